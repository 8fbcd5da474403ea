// How far a streaming replica is behind its primary, read once a second. It is current if it is receiving and has replayed everything.
// Otherwise it shows the time of the last commit it replayed. A quiet shop commits nothing for hours, so the lag is never more than the
// time since the replica was last current.
import type { Log } from '../../platform/log.ts'
import { PostgresFailure } from '../../platform/postgres/connection.ts'
import type { Pool } from '../../platform/postgres/pool.ts'
import { toleratedLagSeconds } from '../engine.ts'

const readEveryMs = 1000
const reportEveryMs = 60_000

// null: not a replica.
const lagQuery = `SELECT CASE WHEN NOT pg_is_in_recovery() THEN NULL
  WHEN EXISTS (SELECT FROM pg_stat_wal_receiver) AND pg_last_wal_replay_lsn() >= pg_last_wal_receive_lsn() THEN 0
  ELSE greatest(0, extract(epoch FROM clock_timestamp() - coalesce(pg_last_xact_replay_timestamp(), pg_postmaster_start_time())))
END`

const sinceMs = (moment: number) => performance.now() - moment

export function watchLag(pool: Pool, log: Log) {
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
