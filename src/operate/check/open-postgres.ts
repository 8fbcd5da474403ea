// A PostgreSQL database to be checked: opened, looked at, asked, closed. Whatever keeps that from coming about is a sentence.
import { schemaProblem } from '../../engine/postgres/check.ts'
import { placeOf } from '../../platform/postgres/problems.ts'
import { problemOr, withConnection } from '../../platform/postgres/with-connection.ts'
import type { PostgresUrl } from '../../platform/postgres/url.ts'
import { settingsTable } from '../../settings/table.ts'
import { postgresShape } from './shape-postgres.ts'
import type { Shape } from './shape.ts'
import { postgresSetUp, postgresSource } from './source-postgres.ts'
import type { Source } from './source.ts'

export async function withPostgres<Found>(
  url: PostgresUrl,
  timeoutMs: number,
  check: (source: Source, shape: Shape) => Promise<Found>,
): Promise<{ database: string } & ({ found: Found } | { problem: string })> {
  const setting = settingsTable.databaseUrl.name
  const opened = await problemOr(
    withConnection(setting, url, postgresSetUp(url, timeoutMs), async (connection) => {
      const problem = await schemaProblem(connection, setting, url)
      if (problem !== undefined) return { problem }
      return { found: await check(postgresSource(connection, timeoutMs), await postgresShape(connection, url)) }
    }),
  )
  return { database: placeOf(url), ...opened }
}
