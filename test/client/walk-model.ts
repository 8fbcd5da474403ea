// A till and a service made of a map, for the walk of the client: no socket and no database, so that thousands of interleavings
// take seconds. A change is stamped by the till's clock when it is made and can be read up to the overlap later; time passes, and
// tills write, before every request.
import type { Listed, Query, WalkSource } from '../../client/source.ts'
import type { Random } from '../support/random.ts'

export interface Full extends Listed {
  readonly total: number
  readonly lines: number
}

export interface ModelOptions {
  readonly overlapSeconds: number
  // The tills' offset from UTC in seconds; the service may be in another zone.
  readonly offsetAt: (ms: number) => number
  readonly serviceAheadSeconds: number
  readonly startMs: number
  // How many records one write may touch, and how often a till writes.
  readonly most: number
  readonly share: number
  // The shop closes after this many writes: a reader that is slower than the writers would never finish.
  readonly writes: number
}

const textOf = (ms: number) => new Date(ms).toISOString().slice(0, 19)
const two = (part: number) => String(Math.floor(part)).padStart(2, '0')
const offsetText = (seconds: number) => {
  const minutes = Math.abs(seconds) / 60
  return `${seconds < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`
}

export function makeModel(random: Random, options: ModelOptions) {
  const { overlapSeconds, offsetAt, serviceAheadSeconds, most, share, writes } = options
  const records = new Map<number, Full>()
  const late: { dueMs: number; made: Full[] }[] = []
  let nowMs = options.startMs
  let last = 0
  let amount = 0
  let isWriting = true

  const stampAt = (ms: number) => textOf(ms + offsetAt(ms) * 1000)
  const commit = (made: readonly Full[]) => made.forEach((record) => records.set(record.id, record))

  function write(): void {
    const updated_at = stampAt(nowMs)
    amount += 1
    const count = random.chance(0.15) ? 1 + random.upTo(most) : 1
    const isNew = random.chance(0.4)
    const first = isNew ? last + 1 : 1 + random.upTo(Math.max(1, last))
    const ids = Array.from({ length: count }, (_, at) => first + at)
    last = Math.max(last, ids.at(-1) ?? 0)
    // A line may change within the second of its document, so that lists show nothing of it.
    const made = ids.map((id) => {
      const before = records.get(id)
      const isLineOnly = before?.updated_at === updated_at && random.chance(0.7)
      return { id, updated_at, total: isLineOnly ? before.total : amount, lines: amount }
    })
    if (!random.chance(0.3)) return commit(made)
    // A late commit does not undo others: a till locks what it writes.
    const free = made.filter(({ id }) => late.every((each) => each.made.every((other) => other.id !== id)))
    late.push({ dueMs: nowMs + random.upTo(overlapSeconds * 1000 + 1), made: free })
  }

  function pass(ms: number): void {
    const untilMs = nowMs + ms
    // One after the other, in the order in which they become visible.
    for (;;) {
      const due = late.filter(({ dueMs }) => dueMs <= untilMs).toSorted((one, other) => one.dueMs - other.dueMs)[0]
      if (!due) break
      late.splice(late.indexOf(due), 1)
      nowMs = Math.max(nowMs, due.dueMs)
      // A record that another till has changed since keeps that change: this till would have waited for it.
      commit(due.made.filter(({ id, lines }) => (records.get(id)?.lines ?? 0) < lines))
    }
    nowMs = untilMs
  }

  function meanwhile(): void {
    if (!isWriting) return pass(random.upTo(300))
    pass(random.chance(0.1) ? random.upTo(90_000) : random.upTo(2500))
    while (amount < writes && random.chance(share)) {
      write()
      pass(random.upTo(700))
    }
  }

  const compare = (one: Full, other: Full) =>
    one.updated_at === other.updated_at ? one.id - other.id : (one.updated_at ?? '') < (other.updated_at ?? '') ? -1 : 1

  let requests = 0
  const source: WalkSource<Full> = {
    async list({ sort, per_page = 25, page = 1, updated_since }: Query) {
      meanwhile()
      requests += 1
      const since = updated_since === undefined ? '' : String(updated_since)
      const found = [...records.values()]
        .filter(({ updated_at }) => since === '' || (updated_at !== null && (updated_at ?? '') >= since))
        .toSorted(compare)
      if (sort === '-updated_at') found.reverse()
      const from = (Number(page) - 1) * Number(per_page)
      const data = found.slice(from, from + Number(per_page)).map(({ id, updated_at = null, total }) => ({
        id,
        updated_at,
        total,
      }))
      const pages = Math.ceil(found.length / Number(per_page))
      return { data, meta: { page: Number(page), per_page: Number(per_page), total: found.length, total_pages: pages } }
    },
    async fetch(id) {
      meanwhile()
      requests += 1
      return records.get(id) as Full
    },
    async time() {
      meanwhile()
      const offset = offsetAt(nowMs) + serviceAheadSeconds
      return `${textOf(nowMs + offset * 1000)}${offsetText(offset)}`
    },
    onProgress: () => {},
  }

  return {
    source,
    records,
    commit,
    pass,
    stampAt,
    now: () => nowMs,
    requests: () => requests,
    stopWriting() {
      isWriting = false
      pass(overlapSeconds * 1000 + 1)
    },
  }
}
