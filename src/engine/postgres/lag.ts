// How far a streaming replica is behind its primary, looked at once a second. It has everything when all it received is
// replayed and it is still receiving; otherwise the commit it replayed last tells the time it shows. A quiet shop commits
// nothing for hours, so it is never further behind than the time since it last had everything.
import type { Log } from '../../platform/log.ts'
import { PostgresFailure } from '../../platform/postgres/connection.ts'
import type { Pool } from '../../platform/postgres/pool.ts'
import { toleratedLagSeconds } from '../engine.ts'

const everyMs = 1000
const tellEveryMs = 60_000

// null: no replica.
const lagQuery = `SELECT CASE WHEN NOT pg_is_in_recovery() THEN NULL
  WHEN EXISTS (SELECT FROM pg_stat_wal_receiver) AND pg_last_wal_replay_lsn() >= pg_last_wal_receive_lsn() THEN 0
  ELSE greatest(0, extract(epoch FROM clock_timestamp() - coalesce(pg_last_xact_replay_timestamp(), pg_postmaster_start_time())))
END`

const sinceMs = (moment: number) => performance.now() - moment

export function watchLag(pool: Pool, log: Log) {
  let isReplica = false
  // What was seen at the last look, and when; and when it last had everything.
  let seen = 0
  let seenAt = 0
  let wholeAt = Number.NEGATIVE_INFINITY
  let isLagging = false
  let toldAt = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  // Between two looks it is what was seen; while nobody answers, it grows.
  const seconds = (): number | null => {
    if (!isReplica) return null
    const unseen = Math.max(0, sinceMs(seenAt) - 2 * everyMs) / 1000
    return Math.round((seen + unseen) * 10) / 10
  }

  const tell = () => {
    const [wasLagging, lag] = [isLagging, seconds()]
    isLagging = lag !== null && lag > toleratedLagSeconds
    if (isLagging && (!wasLagging || sinceMs(toldAt) >= tellEveryMs)) {
      toldAt = performance.now()
      log.warn('data_lag', { seconds: lag })
    } else if (wasLagging && !isLagging) log.info('data_lag_over', { seconds: lag })
  }

  const look = async () => {
    try {
      const [row] = await pool.use((connection) => connection.rows(lagQuery))
      const lag = row?.[0]
      const wasReplica = isReplica
      isReplica = typeof lag === 'number'
      seenAt = performance.now()
      if (lag === 0) wholeAt = seenAt
      seen = Math.min(Number(lag), sinceMs(wholeAt) / 1000)
      if (isReplica && !wasReplica) log.info('reading_from_replica', { seconds: seconds() })
    } catch (error) {
      // A server that does not know the question is no replica; one that does not answer is asked again.
      if (error instanceof PostgresFailure && error.code?.startsWith('42')) {
        isReplica = false
        return
      }
    }
    tell()
    if (!isStopped) timer = setTimeout(() => void look(), everyMs)
  }
  void look()

  return {
    seconds,
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
