// How far a walk that begins now may be believed. A change is stamped when it is made and seen when it is committed: whatever was
// stamped longer ago than the overlap has been seen by now. "Ago" is by the clock that stamps, of which two things are known: it has
// reached the newest stamp there is, and the service tells its own time. Neither is trusted alone: a record may be stamped in the
// future, and the service may run in another zone. (In another zone it does not see when the tills' clock is set to summer time.)
import type { ClockSeen, Position, Walk } from './cursor.ts'
import { later, laterOf } from './stamp.ts'
import { perPage, type Source } from './source.ts'

// By so much clocks are set in spring and autumn; and not twice within so long.
const usualShiftSeconds = 3600
const betweenShiftsMs = 28 * 86_400_000
// Times are cut to seconds, and the newest second may still go on.
const cutSeconds = 2

export async function beginWalk(
  position: Position,
  { list, time }: Pick<Source<unknown>, 'list' | 'time'>,
  overlapSeconds: number,
): Promise<{ readonly walk: Walk; readonly total: number }> {
  // In this order: what is the newest was there already at the time that is told, however long the answers take.
  const { data, meta } = await list({ sort: '-updated_at', per_page: perPage })
  const now = await time()
  const [nowMs, local, before] = [Date.parse(now), now.slice(0, 19), position.clock]
  const stamps = data.flatMap(({ updated_at }) => updated_at ?? [])
  // What is stamped in the future tells nothing of the clock.
  const newest = stamps.find((stamp) => stamp <= local) ?? (stamps.length > 0 ? local : null)
  const clock = lookAtClock(before, nowMs, local, newest, overlapSeconds)
  // In autumn an hour is written twice: what is stamped the second time lies behind what was read the first time.
  if (position.from !== null && before) position.from = later(position.from, -setBackSeconds(before, clock))
  position.clock = clock
  const next = nextFrom(position.from, clock, overlapSeconds)
  return { walk: { next, at: position.from, group: null, unstampedTo: position.unstampedTo }, total: meta.total }
}

// Whoever comes back after months may have missed that it was set, and set again.
const isKnown = (before: ClockSeen | null, atMs: number) => before !== null && atMs - before.atMs < betweenShiftsMs

const setBackSeconds = (before: ClockSeen, { atMs, offsetSeconds }: ClockSeen) =>
  isKnown(before, atMs) ? Math.max(0, before.offsetSeconds - offsetSeconds) : usualShiftSeconds

function lookAtClock(
  before: ClockSeen | null,
  atMs: number,
  local: string,
  newest: string | null,
  overlapSeconds: number,
): ClockSeen {
  const offsetSeconds = (Date.parse(`${local}Z`) - atMs) / 1000
  // Whoever sees it for the first time does not know whether it was set just now.
  const known = before && isKnown(before, atMs) ? before : null
  const setSeconds = known ? Math.abs(known.offsetSeconds - offsetSeconds) : usualShiftSeconds
  const { shiftSeconds, shiftUntilMs } =
    known && setSeconds === 0 ? known : { shiftSeconds: setSeconds, shiftUntilMs: atMs + overlapSeconds * 1000 }
  const isNewestOld = known && setSeconds === 0 && known.newest === newest
  return {
    atMs,
    offsetSeconds,
    shiftSeconds,
    shiftUntilMs,
    newest,
    newestSinceMs: isNewestOld ? known.newestSinceMs : atMs,
  }
}

// Where the walk after this one begins.
function nextFrom(from: string | null, clock: ClockSeen, overlapSeconds: number): string | null {
  const { atMs, newest, newestSinceMs, shiftSeconds, shiftUntilMs } = clock
  if (newest === null) return from
  // Nobody has written for so long that nothing of that second can come any more.
  if (atMs - newestSinceMs >= (overlapSeconds + cutSeconds) * 1000) return laterOf(later(newest, 1), from ?? '')
  return laterOf(later(newest, -overlapSeconds - (atMs < shiftUntilMs ? shiftSeconds : 0)), from ?? '')
}
