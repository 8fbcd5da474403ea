// Brings one resource of a mirror up to date from a service without a change feed: everything is read again by list, and arrays
// record by record. What does not come is gone.
import { VitrineError } from '../errors.ts'
import type { ResourceName } from '../resources.ts'
import { isKept, listPage, withRetries, type PullJob, type PullResult } from './job.ts'
import { Refused, type PulledRecord } from './store.ts'

const perPage = 100
// A list ends at page 10,000.
const mostRecords = 10_000 * perPage
const requestsAtOnce = 10
const allDates: Dates = { date_from: '0001-01-01', date_to: '9999-12-31' }
const dayMs = 86_400_000

interface Dates {
  readonly date_from: string
  readonly date_to: string
}

// A part of the list. Its pages are read from the last to the first, so that a deletion moves records to pages that are still to
// come, and never past the reader.
interface Piece {
  readonly query: Partial<Dates> & { readonly sort?: 'date' }
  // null: not counted yet.
  readonly nextPage: number | null
}

export async function pullByList(job: PullJob, position: string): Promise<PullResult> {
  const { store } = job
  const before = await store.readSoFar(position)
  await withRetries(job, () => readEverything(job, position as ResourceName))
  const changed = (await store.readSoFar(position)) - before
  const [{ total, removed } = { total: 0, removed: 0 }] = await store.finish(position)
  return { resource: position, changed, gone: removed, total }
}

async function readEverything(job: PullJob, name: ResourceName): Promise<void> {
  const { store, onProgress } = job
  const fields = (await store.resourcesAt(name)).flatMap(({ resource }) => resource.fields)
  const hasArrays = fields.some((field) => field.in === 'detail')
  const isDated = fields.some((field) => field.name === 'date')
  const cursor = await store.cursorOf(name)
  const pieces = cursor === null ? [{ query: {}, nextPage: null }] : (JSON.parse(cursor) as Piece[])
  let done = await store.readSoFar(name)
  const { total } = (await listPage(job, name, { per_page: 1 })).meta
  for (let piece = pieces.pop(); piece; piece = pieces.pop()) {
    const { query, nextPage } = piece
    if (nextPage === null) pieces.push(...(await countPages(job, name, query, isDated)))
    if (!nextPage) continue
    const { data } = await listPage(job, name, { sort: 'id', ...query, per_page: perPage, page: nextPage })
    const listed = data.filter(({ id }) => isKept(job, name, id))
    const records = hasArrays ? await inFull(job, name, listed) : listed
    pieces.push({ query, nextPage: nextPage - 1 })
    await store.save(
      name,
      records.map((record) => ({ resource: name, id: record.id, change: 'record', record })),
      JSON.stringify(pieces),
    )
    done += records.length
    onProgress({ what: name, done, total: Math.max(done, total) })
  }
}

// A list with more records than its pages can show is divided by date, in halves until they fit. The last piece is read first.
// Records without a date are the first of `sort=date`, and are read before the others, because they can get a date meanwhile.
async function countPages(job: PullJob, name: ResourceName, query: Piece['query'], isDated: boolean): Promise<Piece[]> {
  const { total } = (await listPage(job, name, { ...query, per_page: 1 })).meta
  if (total <= mostRecords) return [{ query, nextPage: Math.ceil(total / perPage) }]
  const { date_from: from, date_to: to } = query
  if (!isDated || (from !== undefined && from === to))
    throw new Refused(`${name}: without a change feed no more than ${mostRecords.toLocaleString('en')} can be read.`)
  if (from === undefined || to === undefined) {
    const undated = total - (await listPage(job, name, { ...allDates, per_page: 1 })).meta.total
    return [
      { query: allDates, nextPage: null },
      { query: { sort: 'date' }, nextPage: Math.ceil(undated / perPage) },
    ]
  }
  const middleMs = Math.floor((Date.parse(from) + Date.parse(to)) / 2 / dayMs) * dayMs
  return [
    { query: { date_from: dayOf(middleMs + dayMs), date_to: to }, nextPage: null },
    { query: { date_from: from, date_to: dayOf(middleMs) }, nextPage: null },
  ]
}

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

async function inFull(job: PullJob, name: ResourceName, listed: readonly PulledRecord[]): Promise<PulledRecord[]> {
  const records: PulledRecord[] = []
  for (let at = 0; at < listed.length; at += requestsAtOnce) {
    const some = listed.slice(at, at + requestsAtOnce)
    records.push(...(await Promise.all(some.map(({ id }) => find(job, name, id)))).flat())
  }
  return records
}

async function find({ client, signal }: PullJob, name: ResourceName, id: number): Promise<PulledRecord[]> {
  try {
    return [(await client.get(name, id, { signal })) as unknown as PulledRecord]
  } catch (error) {
    // It went after the list was read.
    if (error instanceof VitrineError && error.code === 'not_found') return []
    throw error
  }
}
