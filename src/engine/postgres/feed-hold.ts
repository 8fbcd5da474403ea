// Finds the transaction that holds the change feed back, and says so in the log: where more transactions are running than a cursor holds,
// changes of newer ones are told when older ones have ended.
import type { Log } from '../../platform/log.ts'
import type { PostgresRow } from '../../platform/postgres/cells.ts'
import { journalTable } from '../../sql/journalled.ts'
import type { FeedHold } from '../engine.ts'
import { ifKnown } from './journal.ts'
import { isSame, parseSnapshot, shortened } from './position.ts'

// A shorter one ends by itself before a person could do anything.
const toleratedSeconds = 60

type Ask = (text: string) => Promise<readonly PostgresRow[]>

interface RunningTransaction {
  readonly xid: string
  // As a person finds it on the server.
  readonly holder: string
  readonly remedy: string
  // null: the role may not see when it began.
  readonly seconds: number | null
}

const snapshotQuery = `SELECT CASE WHEN NOT pg_is_in_recovery() AND to_regclass('${journalTable}') IS NOT NULL THEN pg_current_snapshot()::text END`

// Every role sees sessions with their transactions, but without rights (pg_read_all_stats) not when those of other roles began.
// (A prepared transaction can be ended in its own database only.)
const runningQuery = `SELECT backend_xid::text, concat('session ', pid, ' of ', usename, ' (', nullif(application_name, ''), ')'),
    concat('SELECT pg_terminate_backend(', pid, ')'), extract(epoch FROM clock_timestamp() - xact_start)::float8
  FROM pg_catalog.pg_stat_activity WHERE backend_xid IS NOT NULL
  UNION ALL SELECT transaction::text, format('prepared transaction %L of %s in database %I', gid, owner, database),
    format('ROLLBACK PREPARED %L', gid), extract(epoch FROM clock_timestamp() - prepared)::float8 FROM pg_catalog.pg_prepared_xacts`

// Those that a cursor lists, and the next, at which it ends: with one of them less, it gets further. Undefined while nothing newer has to
// wait.
export async function findRunning(ask: Ask): Promise<readonly RunningTransaction[] | undefined> {
  const [row] = await ifKnown(ask(snapshotQuery), [])
  if (typeof row?.[0] !== 'string') return undefined
  const seen = parseSnapshot(row[0])
  const told = shortened(seen)
  if (isSame(told, seen)) return undefined
  const awaited = new Set([...told.running, told.xmax])
  const rows = await ask(runningQuery)
  return rows
    .filter(([xid]) => awaited.has(String(xid)))
    .map(([xid, holder, remedy, seconds]) => ({
      xid: String(xid),
      holder: String(holder).replace(' ()', ''),
      remedy: String(remedy),
      seconds: typeof seconds === 'number' ? seconds : null,
    }))
}

// The oldest, if it has been running for longer than a minute. `since`: how long those are known whose beginning the role may not see.
export function holdOf(
  running: readonly RunningTransaction[],
  since: (xid: string) => number = () => 0,
): FeedHold | undefined {
  const aged = running.map(({ xid, holder, remedy, seconds }) => ({
    holder,
    remedy,
    seconds: Math.floor(seconds ?? since(xid)),
  }))
  const [oldest] = aged.toSorted((one, other) => other.seconds - one.seconds)
  return oldest && oldest.seconds >= toleratedSeconds ? oldest : undefined
}

const lookEveryMs = 5000

// `nowMs`: of a clock that only goes forward.
export function watchFeedHold(ask: Ask, log: Log, nowMs = () => performance.now()) {
  let hold: FeedHold | undefined
  let knownSince = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  const look = async () => {
    const running = (await findRunning(ask)) ?? []
    const now = nowMs()
    knownSince = new Map(running.map(({ xid }) => [xid, knownSince.get(xid) ?? now]))
    const wasHeld = hold !== undefined
    hold = holdOf(running, (xid) => (now - (knownSince.get(xid) ?? now)) / 1000)
    if (hold && !wasHeld) log.warn('feed_held_back', { ...hold })
    else if (!hold && wasHeld) log.info('feed_held_back_over', {})
  }

  const keepLooking = async () => {
    // A server that does not answer is asked again.
    await look().catch(() => {})
    if (!isStopped) timer = setTimeout(() => void keepLooking(), lookEveryMs)
  }

  return {
    look,
    start: () => void keepLooking(),
    hold: (): FeedHold | null => hold ?? null,
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
