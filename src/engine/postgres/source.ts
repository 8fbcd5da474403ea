// A PostgreSQL server as a source: one connection, one read-only transaction (REPEATABLE READ) for each snapshot. What is late is cancelled
// on the server. A connection that failed is not used again.
import type { Changes, Mark } from '../../finder/snapshot.ts'
import { PostgresFailure, type PostgresConnection } from '../../platform/postgres/connection.ts'
import { createPool } from '../../platform/postgres/pool.ts'
import { sessionSetUp } from '../../platform/postgres/session.ts'
import type { PostgresUrl } from '../../platform/postgres/url.ts'
import { postgres as dialect } from '../../sql/postgres.ts'
import { hungUp, type OnOpened, type Source, type SourceSnapshot } from '../source.ts'
import { readChanges, readMark, readServer, type Server } from './journal.ts'
import { createVersions } from './version.ts'

interface PostgresSourceOptions {
  readonly url: PostgresUrl
  readonly timeoutMs: number
  readonly onOpened: OnOpened
}

const begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'
// A view was made anew with other types, and the connection has a statement that was prepared for the old ones.
const typeChanged = '0A000'

// A server notices by itself that we have gone, should every request to cancel have come before the statement began. Not every
// version has the setting, and not every system that it runs on can.
const noticeLeaving = `; SELECT set_config('client_connection_check_interval', '1s', false)
  FROM pg_catalog.pg_settings WHERE name = 'client_connection_check_interval' AND version() LIKE '%linux%'`

export function createPostgresSource({ url, timeoutMs, onOpened }: PostgresSourceOptions): Source {
  // Of the connection that is open.
  let server: Server | undefined
  const versions = createVersions()
  const pool = createPool({
    url,
    size: 1,
    // Whatever the role may do: its sessions only read.
    setUp: sessionSetUp(url, { timeoutMs, isReadOnly: true }) + noticeLeaving,
    isPipelined: true,
    waitMs: timeoutMs,
    workMs: timeoutMs,
    onLost: () => {},
    onBack: () => {},
    onGone: () => (server = undefined),
  })

  const open = async (connection: PostgresConnection): Promise<Server> => {
    const found = await readServer(connection)
    server = found
    onOpened({ areTables: found.areTables, mustConfirm: true, hasJournal: found.whyPlain === undefined })
    return found
  }

  const snapshotOf = (connection: PostgresConnection, known: Server): SourceSnapshot => ({
    rows: ({ text, values }) => connection.rows(text, values),
    mark: (relations) => readMark(connection, known, relations),
    changesSince: (mark: Mark, relations): Promise<Changes | undefined> =>
      readChanges(connection, known, mark, relations),
    version: () => versions.read(connection, known),
  })

  const attempt = <Result>(
    work: (snapshot: SourceSnapshot) => Promise<Result>,
    signal: AbortSignal | undefined,
  ): Promise<Result> =>
    pool.use(async (connection) => {
      const known = server ?? (await open(connection))
      // All are sent together. Should the first one fail, its failure is that of the whole, and nothing of the rest is used.
      const [, result] = await Promise.all([connection.rows(begin), work(snapshotOf(connection, known))])
      await connection.rows('COMMIT')
      return result
    }, signal)

  return {
    dialect,
    async within(work, signal) {
      try {
        return await attempt(work, signal).catch((error: unknown) => {
          if (error instanceof PostgresFailure && error.code === typeChanged) return attempt(work, signal)
          throw error
        })
      } catch (error) {
        throw error instanceof PostgresFailure ? withCode(error, signal) : error
      }
    },
    close: () => pool.close(),
  }
}

// Failures cross threads by their code.
function withCode(error: PostgresFailure, signal: AbortSignal | undefined): Error {
  if (signal?.aborted) return Object.assign(new Error(error.message), { code: hungUp })
  if (error.code !== undefined) return error
  const code = error.isLate ? '57014' : error.isCrowded ? '53300' : 'ECONNRESET'
  return Object.assign(new Error(error.message), { code })
}
