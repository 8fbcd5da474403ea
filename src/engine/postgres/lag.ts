// How far a streaming replica is behind its primary, looked at once a second. It has everything when all it received is
// replayed and it is still receiving; otherwise the commit it replayed last tells the time it shows.
import type { Log } from '../../log.ts'
import { PostgresFailure } from '../../postgres/connection.ts'
import type { Pool } from '../../postgres/pool.ts'

const everyMs = 1000
// What is told: to callers by a header, to the operator once a minute.
export const toleratedSeconds = 1
const tellEveryMs = 60_000

const lagQuery = `SELECT CASE WHEN NOT pg_is_in_recovery() THEN NULL
  WHEN EXISTS (SELECT FROM pg_stat_wal_receiver) AND pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0
  ELSE greatest(0, extract(epoch FROM clock_timestamp() - coalesce(pg_last_xact_replay_timestamp(), pg_postmaster_start_time())))
END`

export function watchLag(pool: Pool, log: Log) {
  let seconds: number | null = null
  let isLagging = false
  let toldAt = 0
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  const tell = () => {
    const wasLagging = isLagging
    isLagging = seconds !== null && seconds > toleratedSeconds
    if (isLagging && (!wasLagging || performance.now() - toldAt >= tellEveryMs)) {
      toldAt = performance.now()
      log.warn('data_lag', { seconds })
    } else if (wasLagging && !isLagging) log.info('data_lag_over', { seconds })
  }

  const look = async () => {
    try {
      const [row] = await pool.use((connection) => connection.rows(lagQuery))
      const wasReplica = seconds !== null
      seconds = typeof row?.[0] === 'number' ? Math.round(row[0] * 10) / 10 : null
      if (seconds !== null && !wasReplica) log.info('reading_from_replica', { seconds })
      tell()
    } catch (error) {
      // A server that does not know the question is no replica; of one that does not answer the requests tell.
      if (error instanceof PostgresFailure && error.code?.startsWith('42')) return
    }
    if (!isStopped) timer = setTimeout(() => void look(), everyMs)
  }
  void look()

  return {
    seconds: () => seconds,
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
