// What the listener's thread itself asks a PostgreSQL server, on one connection: the version of the data for remembered answers, the lag
// of a replica, and thereby whether the server can be reached.
import type { Availability, Log } from '../../platform/log.ts'
import { createPool } from '../../platform/postgres/pool.ts'
import { sessionSetUp } from '../../platform/postgres/session.ts'
import type { PostgresUrl } from '../../platform/postgres/url.ts'
import type { DataVersion } from '../source.ts'
import { readServer } from './journal.ts'
import { watchLag } from './lag.ts'

// A snapshot is the set of transactions that it shows: if two are equal, all tables read the same. The timeline belongs to it, because
// after a failover lost transactions may leave their numbers to others. On a replica a snapshot does not list all that it hides.
const versionQuery = `SELECT CASE WHEN NOT pg_is_in_recovery() THEN
  concat_ws(' ', pg_current_snapshot(), left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)) END`

export function watchPostgres(url: PostgresUrl, timeoutMs: number, log: Log) {
  // A server that crashed may have lost transactions, so a version is valid for one connection only.
  let lostConnections = 0
  let last: { readonly version: string; readonly database: string | undefined } | undefined
  const pool = createPool({
    url,
    size: 1,
    setUp: sessionSetUp(url, { timeoutMs, isReadOnly: true }),
    isPipelined: true,
    waitMs: timeoutMs,
    workMs: timeoutMs,
    onLost: (cause) => log.error('database_lost', { cause }),
    onBack: () => log.info('database_back'),
    onGone: () => (lostConnections += 1),
  })
  const lag = watchLag(pool, log)

  const look = (): Promise<DataVersion | undefined> =>
    pool.use(async (connection) => {
      const since = lostConnections
      const [row] = await connection.rows(versionQuery)
      if (typeof row?.[0] !== 'string') return undefined
      const version = `${since} ${row[0]}`
      if (last?.version !== version) {
        const { identity, isGenuine, areTables } = await readServer(connection)
        last = { version, database: isGenuine && areTables ? identity : undefined }
      }
      return last.database === undefined ? undefined : { version, database: last.database }
    })

  return {
    look,
    // The pool reports it, also while there are no requests.
    availability: { lost: () => {}, back: () => {} } satisfies Availability,
    lagSeconds: lag.seconds,
    async close() {
      lag.stop()
      await pool.close()
    },
  }
}
