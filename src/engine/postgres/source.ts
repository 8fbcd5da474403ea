// A PostgreSQL server as a source: one connection, one read-only transaction (REPEATABLE READ) for each snapshot. A late statement is
// cancelled on the server. A connection that failed is not used again.
import type { Snapshot } from '../../finder/snapshot.ts'
import { PostgresFailure, type PostgresConnection } from '../../platform/postgres/connection.ts'
import { createPool } from '../../platform/postgres/pool.ts'
import { sessionSetUp } from '../../platform/postgres/session.ts'
import type { PostgresUrl } from '../../platform/postgres/url.ts'
import { createCompletion } from '../../sql/lacking-columns.ts'
import { postgres as dialect } from '../../sql/postgres.ts'
import { absentColumns, namesOf } from '../missing-parts.ts'
import { hungUp, type Likely, type OnConnected, type PosSource } from '../source.ts'
import { namesIn, readColumns } from './check.ts'
import { ifKnown, journalOf, readServer, type Server } from './journal.ts'
import { readShown } from './shown-rows.ts'

const reopenAfterMs = 5000
const begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'
// A relation has other columns than when the connection was made (another type, a column less, or one that it lacked), or is gone, as the
// journal may be. The next connection looks at them again.
const schemaChanged = new Set(['0A000', '42703', '42702', '42P01'])
// A new version of the POS may alter several relations, one after the other.
const mostTries = 3

// Makes the server notice a closed connection, in case a request to cancel arrived before its statement began. Not every version has the
// setting, and not every operating system supports it.
const noticeLeaving = `; SELECT set_config('client_connection_check_interval', '1s', false)
  FROM pg_catalog.pg_settings WHERE name = 'client_connection_check_interval' AND version() LIKE '%linux%'`

// PostgreSQL would soon plan a repeated statement without its values, and some foreign data wrappers cannot send ids that the plan does
// not know. Planning each time takes up to a millisecond, so this is done only where views may read foreign tables.
const planEachTime = `SELECT set_config(name, 'force_custom_plan', false) FROM pg_catalog.pg_settings
  WHERE name = 'plan_cache_mode' AND EXISTS (SELECT FROM pg_catalog.pg_foreign_table)`

// The server that a connection reached, and the columns that its relations lack.
interface Opened extends Server {
  readonly lacking: readonly string[]
  // Makes a statement one that these columns can answer.
  readonly complete: (text: string) => string
}

export function createPostgresSource(url: PostgresUrl, timeoutMs: number, onConnected: OnConnected): PosSource {
  let server: Opened | undefined
  let openedAt = 0
  const pool = createPool({
    url,
    size: 1,
    // Read-only, whatever the role may do.
    setUp: sessionSetUp(url, { timeoutMs, isReadOnly: true }) + noticeLeaving,
    isPipelined: true,
    waitMs: timeoutMs,
    workMs: timeoutMs,
    onGone: () => (server = undefined),
  })

  const open = async (connection: PostgresConnection): Promise<Opened> => {
    const [found, columns] = await Promise.all([
      readServer(connection),
      ifKnown(readColumns(connection, url), new Map()),
    ])
    if (!found.areTables) await connection.rows(planEachTime)
    const lacking = absentColumns(namesIn(columns), 'not required')
    const opened = { ...found, lacking: namesOf(lacking), complete: createCompletion(dialect, lacking) }
    server = opened
    openedAt = performance.now()
    onConnected({
      areTables: found.areTables,
      mustConfirm: true,
      hasJournal: found.whyPlain === undefined,
      hasFeed: found.whyPlain === undefined && !found.isStandby,
    })
    return opened
  }

  // A journal may be made at any time.
  const isOutdated = ({ whyPlain }: Server) => whyPlain !== undefined && performance.now() - openedAt > reopenAfterMs

  // Sent together with all that the work asks for at once. If BEGIN fails, all fails, and no result is used.
  const attempt = <Result>(
    work: (snapshot: Snapshot) => Promise<Result>,
    signal: AbortSignal | undefined,
    likely: Likely,
  ) =>
    pool.use(async (connection): Promise<Result> => {
      const known = server && !isOutdated(server) ? server : await open(connection)
      const run = async (reading: PostgresConnection) => {
        const [, result] = await Promise.all([connection.rows(begin), work(snapshotOf(reading, known))])
        return result
      }
      // Not awaited: later statements queue behind it.
      const commit = () => void connection.rows('COMMIT').catch(() => {})
      if (likely === 'one-step') {
        const done = await inOneStep(connection, commit, run)
        if (done) return done.result
      }
      const result = await run(connection)
      commit()
      return result
    }, signal)

  return {
    dialect,
    async within(work, signal, likely = 'several-steps') {
      for (let tries = 1; ; tries += 1) {
        try {
          return await attempt(work, signal, likely)
        } catch (error) {
          if (!(error instanceof PostgresFailure)) throw error
          if (tries === mostTries || !schemaChanged.has(error.code ?? '')) throw withCode(error, signal)
        }
      }
    },
    close: () => pool.close(),
  }
}

// COMMIT leaves with the statements that the work sends at once. Undefined if it tried to send more: it must run again.
async function inOneStep<Result>(
  connection: PostgresConnection,
  commit: () => void,
  run: (connection: PostgresConnection) => Promise<Result>,
): Promise<{ readonly result: Result } | undefined> {
  let isOver = false
  // Before the connection's own tick, which sends what has gathered.
  process.nextTick(() => {
    isOver = true
    commit()
  })
  const unlessOver = <Rows>(ask: () => Promise<Rows>) => (isOver ? Promise.reject(new SnapshotIsOver()) : ask())
  try {
    const result = await run({
      ...connection,
      read: (...asked) => unlessOver(() => connection.read(...asked)),
      rows: (...asked) => unlessOver(() => connection.rows(...asked)),
    })
    return { result }
  } catch (error) {
    if (error instanceof SnapshotIsOver) return undefined
    throw error
  }
}

class SnapshotIsOver extends Error {}

const snapshotOf = (connection: PostgresConnection, known: Opened): Snapshot => ({
  database: known.identity,
  rows: ({ text, values }) => connection.rows(known.complete(text), values),
  shown: ({ text, values }, form) => connection.read(known.complete(text), values, readShown(form)),
  // A base that was loaded while the relations had other columns is void.
  ...journalOf(connection, { ...known, identity: [known.identity, ...known.lacking].join(' ') }),
})

// Failures cross threads by their code.
function withCode(error: PostgresFailure, signal: AbortSignal | undefined): Error {
  if (signal?.aborted) return Object.assign(new Error(error.message), { code: hungUp })
  if (error.code !== undefined) return error
  const code = error.isLate ? '57014' : error.isCrowded ? '53300' : 'ECONNRESET'
  return Object.assign(new Error(error.message), { code })
}
