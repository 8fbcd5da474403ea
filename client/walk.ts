// One walk over the changed records. It pages by the value of `updated_at`, not by page number, because records move between
// pages when they change. `updated_at` has a resolution of one second, and transactions commit late: the next walk reads the
// last seconds again, and compares contents.
import type { Group, Position, Walk, ClockReading } from './cursor.ts'
import { perPage, type Listed, type Query, type WalkSource } from './source.ts'
import { isSettled, take } from './take.ts'

const earliest = '0001-01-01'
const highest = Number.MAX_SAFE_INTEGER

export async function* walkChanges<Result>(
  position: Position,
  source: WalkSource<Result>,
  overlapSeconds: number,
): AsyncGenerator<Result[], void> {
  // A walk from a given day skips existing records without `updated_at`.
  const isFirst = position.clock === null
  let total: number | null = null
  if (!position.walk) ({ walk: position.walk, total } = await beginWalk(position, source, overlapSeconds))
  const { walk } = position
  if (walk.at === null) {
    yield* walkUnstamped(walk)
    walk.at = earliest
  } else if (total !== null) yield* walkNewUnstamped(total, isFirst)
  yield* walkStamped(walk, walk.at)
  position.from = walk.next
  position.walk = null
  forget(position, ({ stamp }) => stamp < (walk.next ?? ''))

  // From the oldest change to the newest.
  async function* walkStamped(walk: Walk, from: string): AsyncGenerator<Result[], void> {
    for (let at = from; ; walk.at = at) {
      if (walk.group === null) {
        const { data, meta } = await source.list({ sort: 'updated_at', per_page: perPage, updated_since: at })
        source.onProgress({ left: meta.total })
        const isLast = data.length < perPage
        const last = data.at(-1)?.updated_at ?? at
        // The next page begins with the last second of this one, which may continue there.
        yield* taken(isLast ? data : data.filter(({ updated_at }) => updated_at !== last))
        if (isLast) return source.onProgress({ left: 0 })
        // A whole page of one second: read all pages of that second.
        if (last === at) walk.group = await groupOf({ updated_since: at }, { updated_since: later(at, 1) })
        at = last
      } else {
        yield* walkGroup(walk, { updated_since: at }, at)
        at = later(at, 1)
      }
    }
  }

  // Records without `updated_at` come first in the order. They are delivered once: their changes cannot be seen.
  async function* walkUnstamped(walk: Walk): AsyncGenerator<Result[], void> {
    walk.group ??= await groupOf({}, { updated_since: earliest })
    yield* walkGroup(walk, {}, null)
    position.unstampedTo = walk.unstampedTo
  }

  // New records without `updated_at` are the last of them. The first walk only notes the highest id.
  async function* walkNewUnstamped(total: number, isFirst: boolean): AsyncGenerator<Result[], void> {
    const stamped = (await source.list({ updated_since: earliest, per_page: 1 })).meta.total
    let highestId = position.unstampedTo
    for (let page = Math.ceil((total - stamped) / perPage); page > 0; page--) {
      const { data } = await source.list({ sort: 'updated_at', per_page: perPage, page })
      const unstamped = data.filter(({ updated_at }) => updated_at === null)
      const fresh = unstamped.filter(({ id }) => id > position.unstampedTo)
      if (!isFirst) yield* taken(fresh)
      highestId = Math.max(highestId, ...fresh.map(({ id }) => id))
      if (isFirst || fresh.length < unstamped.length) break
    }
    position.unstampedTo = highestId
  }

  // Reads the pages of one second backwards: when a record changes and leaves, the records behind it move to earlier pages, so
  // none is missed. If more can still be added, the next walk reads the second again.
  async function* walkGroup(walk: Walk, query: Query, stamp: string | null): AsyncGenerator<Result[], void> {
    while (walk.group && walk.group.page > 0) {
      const { page, below } = walk.group
      const { data, meta } = await source.list({ sort: 'updated_at', per_page: perPage, ...query, page })
      const alike = data.filter(({ updated_at }) => updated_at === stamp)
      yield* taken(alike.filter((record) => below === null || record.id < below || !isSettled(position, record)))
      if (stamp === null) walk.unstampedTo = Math.max(walk.unstampedTo, ...alike.map(({ id }) => id))
      source.onProgress({ left: meta.total })
      // The group has grown since its pages were counted.
      if (below === null && alike.length === perPage) walk.group = { page: page + 1, below }
      else walk.group = { page: page - 1, below: Math.min(alike[0]?.id ?? highest, below ?? highest) }
    }
    walk.group = null
  }

  // The records of `all` that are not in `others`. Records added meanwhile only make the estimate too high.
  async function groupOf(all: Query, others: Query): Promise<Group> {
    const beyond = (await source.list({ ...others, per_page: 1 })).meta.total
    const total = (await source.list({ ...all, per_page: 1 })).meta.total
    return { page: Math.max(1, Math.ceil((total - beyond) / perPage)), below: null }
  }

  async function* taken(listed: readonly Listed[]): AsyncGenerator<Result[], void> {
    yield* take(position, listed, source.fetch)
    // Settled records are not read again, except the last few, which may move to the next page.
    forget(position, ({ isSettled }) => isSettled, 3 * perPage)
  }
}

function forget({ seen }: Position, isOver: (known: { stamp: string; isSettled: boolean }) => boolean, kept = 0): void {
  let surplus = seen.size - kept
  for (const [id, known] of seen) {
    if (surplus-- <= 0) return
    if (isOver(known)) seen.delete(id)
  }
}

// For resources without `updated_at`, which are small.
export async function* walkWhole<Result>(
  position: Position,
  { list, fetch }: WalkSource<Result>,
): AsyncGenerator<Result[], void> {
  for (let page = 1; ; page++) {
    const { data, meta } = await list({ sort: 'id', per_page: perPage, page })
    yield* take(position, data, fetch)
    if (page >= meta.total_pages) return
  }
}

// Daylight saving time shifts clocks by this much, and not twice within 28 days.
const usualShiftSeconds = 3600
const betweenShiftsMs = 28 * 86_400_000
// Times are truncated to seconds, and the newest second may not be over.
const cutSeconds = 2

// Decides up to which time this walk is complete. A change gets its `updated_at` before its commit makes it visible, at most the
// overlap later. The clock that writes `updated_at` is known only indirectly: it has reached the newest value, and the service
// tells its own time. Neither is trusted alone: a value may be in the future, and the service may have another time zone.
// Limit: with another time zone, the service does not see when the tills' clock changes to summer time.
async function beginWalk(
  position: Position,
  { list, time }: Pick<WalkSource<unknown>, 'list' | 'time'>,
  overlapSeconds: number,
): Promise<{ readonly walk: Walk; readonly total: number }> {
  // In this order, so that the newest record is not newer than the time.
  const { data, meta } = await list({ sort: '-updated_at', per_page: perPage })
  const now = await time()
  const [nowMs, local, before] = [Date.parse(now), now.slice(0, 19), position.clock]
  const stamps = data.flatMap(({ updated_at }) => updated_at ?? [])
  // Times in the future say nothing about the clock.
  const newest = stamps.find((stamp) => stamp <= local) ?? (stamps.length > 0 ? local : null)
  const clock = lookAtClock(before, nowMs, local, newest, overlapSeconds)
  // In autumn an hour occurs twice: changes of the second one lie behind those already read.
  if (position.from !== null && before) position.from = later(position.from, -setBackSeconds(before, clock))
  position.clock = clock
  const next = nextFrom(position.from, clock, overlapSeconds)
  return { walk: { next, at: position.from, group: null, unstampedTo: position.unstampedTo }, total: meta.total }
}

// After months, the clock may have been shifted and shifted back.
const isKnown = (before: ClockReading | null, atMs: number) => before !== null && atMs - before.atMs < betweenShiftsMs

const setBackSeconds = (before: ClockReading, { atMs, offsetSeconds }: ClockReading) =>
  isKnown(before, atMs) ? Math.max(0, before.offsetSeconds - offsetSeconds) : usualShiftSeconds

function lookAtClock(
  before: ClockReading | null,
  atMs: number,
  local: string,
  newest: string | null,
  overlapSeconds: number,
): ClockReading {
  const offsetSeconds = (Date.parse(`${local}Z`) - atMs) / 1000
  // At the first reading, a shift may have just happened.
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

// The beginning of the next walk.
function nextFrom(from: string | null, clock: ClockReading, overlapSeconds: number): string | null {
  const { atMs, newest, newestSinceMs, shiftSeconds, shiftUntilMs } = clock
  if (newest === null) return from
  // No change for so long that no more of that second can appear.
  if (atMs - newestSinceMs >= (overlapSeconds + cutSeconds) * 1000) return laterOf(later(newest, 1), from ?? '')
  return laterOf(later(newest, -overlapSeconds - (atMs < shiftUntilMs ? shiftSeconds : 0)), from ?? '')
}

// Times of the service, such as `2026-03-01T08:00:00`, have no zone and compare as text.
const later = (stamp: string, seconds: number): string =>
  new Date(Date.parse(`${stamp.length === 10 ? `${stamp}T00:00:00` : stamp}Z`) + seconds * 1000)
    .toISOString()
    .replace(/\.\d+Z$/, '')

const laterOf = (one: string, other: string): string => (one > other ? one : other)
