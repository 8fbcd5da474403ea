// What the listener's thread itself asks a PostgreSQL server, on one connection: what was written, for remembered answers, the lag
// of a replica, and thereby whether the server can be reached.
import type { Availability, Log } from '../../platform/log.ts'
import { PostgresFailure, type PostgresConnection } from '../../platform/postgres/connection.ts'
import { createPool, type Pool } from '../../platform/postgres/pool.ts'
import { sessionSetUp } from '../../platform/postgres/session.ts'
import type { PostgresUrl } from '../../platform/postgres/url.ts'
import { toleratedLagSeconds } from '../engine.ts'
import { lookIn, type Look } from '../look.ts'
import { watchFeedHold } from './feed-hold.ts'
import { journalOf, readServer, type Server } from './journal.ts'

// A server that cannot tell is asked again after a while: a journal may be made, or a standby become the primary.
const askAgainMs = 1000

export function watchPostgres(url: PostgresUrl, timeoutMs: number, log: Log) {
  // A server that crashed may have lost transactions.
  let lostConnections = 0
  let server: Server | undefined
  let plainUntil = 0
  const pool = createPool({
    url,
    size: 1,
    setUp: sessionSetUp(url, { timeoutMs, isReadOnly: true }),
    isPipelined: true,
    waitMs: timeoutMs,
    workMs: timeoutMs,
    onLost: (cause) => log.error('database_lost', { cause }),
    onBack: () => log.info('database_back'),
    onGone() {
      lostConnections += 1
      server = undefined
    },
  })
  const lag = watchLag(pool, log)
  const feed = watchFeedHold((text) => pool.use((connection) => connection.rows(text)), log)
  feed.start()

  // A snapshot of a standby does not list the transactions that are running.
  const lookOver = async (connection: PostgresConnection, before: Look | undefined) => {
    const lost = lostConnections
    const reached = (server ??= await readServer(connection))
    const snapshot = { database: reached.identity, ...journalOf(connection, reached) }
    return reached.isStandby ? undefined : lookIn(snapshot, lost, before)
  }

  const look = async (before: Look | undefined): Promise<Look | undefined> => {
    if (performance.now() < plainUntil) return undefined
    try {
      const found = await pool.use((connection) => lookOver(connection, before))
      if (found) return found
      plainUntil = performance.now() + askAgainMs
    } catch (error) {
      server = undefined
      throw error
    }
    server = undefined
    return undefined
  }

  return {
    look,
    // The pool reports it, also while there are no requests.
    availability: { lost: () => {}, back: () => {} } satisfies Availability,
    lagSeconds: lag.seconds,
    feedHold: feed.hold,
    async close() {
      lag.stop()
      feed.stop()
      await pool.close()
    },
  }
}

const readEveryMs = 1000
const reportEveryMs = 60_000

// null: not a replica.
const lagQuery = `SELECT CASE WHEN NOT pg_is_in_recovery() THEN NULL
  WHEN EXISTS (SELECT FROM pg_stat_wal_receiver) AND pg_last_wal_replay_lsn() >= pg_last_wal_receive_lsn() THEN 0
  ELSE greatest(0, extract(epoch FROM clock_timestamp() - coalesce(pg_last_xact_replay_timestamp(), pg_postmaster_start_time())))
END`

const sinceMs = (moment: number) => performance.now() - moment

// How far a streaming replica is behind its primary, read once a second. It is current if it is receiving and has replayed everything.
// Otherwise it shows the time of the last commit it replayed. A quiet shop commits nothing for hours, so the lag is never more than the
// time since the replica was last current.
function watchLag(pool: Pool, log: Log) {
  let isReplica = false
  let lastSeconds = 0
  let lastReadAt = 0
  let currentAt = Number.NEGATIVE_INFINITY
  let isLagging = false
  let reportedAt = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  // While the server does not answer, the lag grows.
  const seconds = (): number | null => {
    if (!isReplica) return null
    const unknown = Math.max(0, sinceMs(lastReadAt) - 2 * readEveryMs) / 1000
    return Math.round((lastSeconds + unknown) * 10) / 10
  }

  const report = () => {
    const [wasLagging, lag] = [isLagging, seconds()]
    isLagging = lag !== null && lag > toleratedLagSeconds
    if (isLagging && (!wasLagging || sinceMs(reportedAt) >= reportEveryMs)) {
      reportedAt = performance.now()
      log.warn('data_lag', { seconds: lag })
    } else if (wasLagging && !isLagging) log.info('data_lag_over', { seconds: lag })
  }

  const read = async () => {
    try {
      const [row] = await pool.use((connection) => connection.rows(lagQuery))
      const lag = row?.[0]
      const wasReplica = isReplica
      isReplica = typeof lag === 'number'
      lastReadAt = performance.now()
      if (lag === 0) currentAt = lastReadAt
      lastSeconds = Math.min(Number(lag), sinceMs(currentAt) / 1000)
      if (isReplica && !wasReplica) log.info('reading_from_replica', { seconds: seconds() })
    } catch (error) {
      // A server that does not know the query is not a replica. One that does not answer is asked again.
      if (error instanceof PostgresFailure && error.code?.startsWith('42')) {
        isReplica = false
        return
      }
    }
    report()
    if (!isStopped) timer = setTimeout(() => void read(), readEveryMs)
  }
  void read()

  return {
    seconds,
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
