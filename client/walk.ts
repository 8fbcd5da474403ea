// One walk over what has changed. The service knows when a record was last modified to the second, and no more than that. So the
// walk goes along `updated_at` by value, never by page number: pages move when records change. What late commits, or more changes
// within the same second, could still add to is read again by the next walk, and told apart by content.
import { beginWalk } from './begin-walk.ts'
import type { Group, Position, Walk } from './cursor.ts'
import { perPage, type Listed, type Query, type Source } from './source.ts'
import { later } from './stamp.ts'
import { isSettled, take } from './take.ts'

const earliest = '0001-01-01'
const highest = Number.MAX_SAFE_INTEGER

export async function* walkChanges<Found>(
  position: Position,
  source: Source<Found>,
  overlapSeconds: number,
): AsyncGenerator<Found[], void> {
  // Whoever asks from a day on has not asked for what never had one.
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
  async function* walkStamped(walk: Walk, from: string): AsyncGenerator<Found[], void> {
    for (let at = from; ; walk.at = at) {
      if (walk.group === null) {
        const { data, meta } = await source.list({ sort: 'updated_at', per_page: perPage, updated_since: at })
        source.onProgress({ left: meta.total })
        const isLast = data.length < perPage
        const last = data.at(-1)?.updated_at ?? at
        // There may be more of the page's last second: the next page begins with it.
        yield* taken(isLast ? data : data.filter(({ updated_at }) => updated_at !== last))
        if (isLast) return source.onProgress({ left: 0 })
        // A whole page of one second: all its pages have to be gone through.
        if (last === at) walk.group = await groupOf({ updated_since: at }, { updated_since: later(at, 1) })
        at = last
      } else {
        yield* walkGroup(walk, { updated_since: at }, at)
        at = later(at, 1)
      }
    }
  }

  // Records that were never stamped come first in the order, and once only: nothing tells when they change.
  async function* walkUnstamped(walk: Walk): AsyncGenerator<Found[], void> {
    walk.group ??= await groupOf({}, { updated_since: earliest })
    yield* walkGroup(walk, {}, null)
    position.unstampedTo = walk.unstampedTo
  }

  // Those that have come since are the last of them. The first time it is only found out which these are.
  async function* walkNewUnstamped(total: number, isFirst: boolean): AsyncGenerator<Found[], void> {
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

  // The pages of records with the same stamp, from the last to the first: a record that is changed meanwhile leaves them, those
  // behind it move towards the beginning, and so none is missed. (Where others can still be added, the next walk comes again.)
  async function* walkGroup(walk: Walk, query: Query, stamp: string | null): AsyncGenerator<Found[], void> {
    while (walk.group && walk.group.page > 0) {
      const { page, below } = walk.group
      const { data, meta } = await source.list({ sort: 'updated_at', per_page: perPage, ...query, page })
      const alike = data.filter(({ updated_at }) => updated_at === stamp)
      yield* taken(alike.filter((record) => below === null || record.id < below || !isSettled(position, record)))
      if (stamp === null) walk.unstampedTo = Math.max(walk.unstampedTo, ...alike.map(({ id }) => id))
      source.onProgress({ left: meta.total })
      // It has grown since its pages were counted.
      if (below === null && alike.length === perPage) walk.group = { page: page + 1, below }
      else walk.group = { page: page - 1, below: Math.min(alike[0]?.id ?? highest, below ?? highest) }
    }
    walk.group = null
  }

  // Those records that are in one list and not in the other. What is added meanwhile makes their pages more, not less.
  async function groupOf(all: Query, others: Query): Promise<Group> {
    const beyond = (await source.list({ ...others, per_page: 1 })).meta.total
    const total = (await source.list({ ...all, per_page: 1 })).meta.total
    return { page: Math.max(1, Math.ceil((total - beyond) / perPage)), below: null }
  }

  async function* taken(listed: readonly Listed[]): AsyncGenerator<Found[], void> {
    yield* take(position, listed, source.fetch)
    // Of what the next walk does not come back to, only the last few matter: records move from page to page.
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
