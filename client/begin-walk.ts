// How far a walk that begins now may be believed. A change is stamped when it is made and seen when it is committed: whatever was
// stamped longer ago than the overlap has been seen by now. "Ago" is by the clock that stamps, of which two things are known: it has
// reached the newest stamp there is, and the service tells its own time. Neither is trusted alone: a record may be stamped in the
// future, and the service may run in another zone.
import type { ClockSeen, Position, Walk } from './cursor.ts'
import { earlierOf, later, laterOf } from './stamp.ts'
import type { Source } from './walk.ts'

export async function beginWalk(
  position: Position,
  { list, time }: Pick<Source<unknown>, 'list' | 'time'>,
  overlapSeconds: number,
): Promise<Walk> {
  const now = await time()
  const newest = (await list({ sort: '-updated_at', per_page: 1 })).data[0]?.updated_at ?? null
  const [nowMs, local, before] = [Date.parse(now), now.slice(0, 19), position.clock]
  const clock = lookAtClock(before, nowMs, local, newest, overlapSeconds)
  // In autumn an hour is written twice: what is stamped the second time lies behind what was read the first time.
  const setBackSeconds = before ? Math.max(0, before.offsetSeconds - clock.offsetSeconds) : 0
  if (position.from !== null && setBackSeconds > 0) position.from = later(position.from, -setBackSeconds)
  position.clock = clock
  return { next: nextFrom(position.from, clock, nowMs, local, overlapSeconds), at: position.from, group: null }
}

function lookAtClock(
  before: ClockSeen | null,
  nowMs: number,
  local: string,
  newest: string | null,
  overlapSeconds: number,
): ClockSeen {
  const offsetSeconds = (Date.parse(`${local}Z`) - nowMs) / 1000
  const isSame = before?.offsetSeconds === offsetSeconds
  const isNewestOld = isSame && before.newest === newest
  return {
    offsetSeconds,
    shiftSeconds: before && !isSame ? Math.abs(before.offsetSeconds - offsetSeconds) : (before?.shiftSeconds ?? 0),
    shiftUntilMs: before && !isSame ? nowMs + overlapSeconds * 1000 : (before?.shiftUntilMs ?? 0),
    newest,
    newestSinceMs: isNewestOld ? before.newestSinceMs : nowMs,
  }
}

// Where the walk after this one begins.
function nextFrom(
  from: string | null,
  clock: ClockSeen,
  nowMs: number,
  local: string,
  overlapSeconds: number,
): string | null {
  const { newest, newestSinceMs, shiftSeconds, shiftUntilMs } = clock
  if (newest === null) return from
  // Nobody has written for so long that nothing of that second can come any more.
  if (newest <= local && nowMs - newestSinceMs >= overlapSeconds * 1000) return laterOf(later(newest, 1), from ?? '')
  const reached = later(earlierOf(newest, local), -overlapSeconds - (nowMs < shiftUntilMs ? shiftSeconds : 0))
  return laterOf(reached, from ?? '')
}
