// `schema prune`: deletes the rows that the journal need not keep, for tills that cannot do it themselves.
import { OperatorError } from '../../errors.ts'
import { placeOf } from '../../platform/postgres/problems.ts'
import { sessionSetUp } from '../../platform/postgres/session.ts'
import { withConnection } from '../../platform/postgres/with-connection.ts'
import type { PostgresConnection } from '../../platform/postgres/connection.ts'
import type { PostgresUrl } from '../../platform/postgres/url.ts'
import { settingsTable } from '../../settings/table.ts'
import { journalReading } from '../../sql/journal-postgres.ts'
import { pruneJournal } from '../../sql/journal-pruning.ts'
import { findPostgresJournal } from './journal.ts'

interface PruneResult {
  readonly database: string
  readonly deleted: number
  // How many rows the journal has now, and keeps at most.
  readonly rows: number
  readonly keptRows: number
}

const rowsAtOnce = 10_000

export async function prunePostgres(url: PostgresUrl): Promise<PruneResult> {
  const setting = settingsTable.databaseUrl.name
  return withConnection(setting, url, sessionSetUp(url, { timeoutMs: 0 }), async (connection) => {
    const { faults, keptRows = 0, reach } = await findPostgresJournal(connection, [])
    if (faults.length > 0 || !reach)
      throw new OperatorError(`${placeOf(url)} has no usable journal: run "vitrine schema apply".`, 1)
    let { rows } = reach
    for (;;) {
      await connection.script(`BEGIN ISOLATION LEVEL READ COMMITTED; ${pruneJournal(rowsAtOnce)}; COMMIT`)
      const left = await countRows(connection)
      // Tills may have written meanwhile.
      if (left > rows - rowsAtOnce / 2 || left <= keptRows)
        return { database: placeOf(url), deleted: Math.max(0, reach.rows - left), rows: left, keptRows }
      rows = left
    }
  })
}

const countRows = async (connection: PostgresConnection): Promise<number> =>
  Number((await connection.rows(journalReading.reach))[0]?.[0])
