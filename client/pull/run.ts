// Mirrors a resource: follows its changes from the stored cursor, and stores each batch with its cursor.
import type { Client, ResourceDescription } from '../client.ts'
import { VitrineError } from '../errors.ts'
import { resources as facts } from '../resources.ts'
import { wait } from '../wait.ts'
import { shapeOf, type PulledRecord, type VisibleResource, type Store } from './store.ts'

export interface PullJob {
  readonly client: Client
  readonly store: Store
  readonly isWithoutLines: boolean
  readonly signal: AbortSignal
  readonly onProgress: (progress: { readonly what: string; readonly done: number; readonly total: number }) => void
  readonly remark: (text: string) => void
  // Between retries when the network is lost.
  readonly pausesMs: readonly number[]
  readonly isWatching: boolean
  readonly overlapSeconds: number | null
}

export interface PullResult {
  readonly resource: string
  // The number of records that this run stored.
  readonly changed: number
  readonly total: number
}

export async function pullResource(job: PullJob, resource: VisibleResource): Promise<PullResult> {
  const { store, remark } = job
  const { shape } = store.progressOf(resource.name)
  if (shape !== shapeOf(resource)) {
    if (shape !== null)
      remark(`${resource.name}: the key sees other fields, stores or prices than before, so everything is read again.`)
    store.begin(resource)
  }
  store.open(resource)
  let changed = 0
  const count = (records: number) => (changed += records)
  await withRetries(job, () => follow(job, resource, count))
  const total = store.finish(resource)
  await withRetries(job, () => compare(job, resource, total, count))
  return { resource: resource.name, changed, total: store.finish(resource) }
}

async function follow(
  { client, store, isWithoutLines, overlapSeconds, signal, onProgress }: PullJob,
  { name }: ResourceDescription,
  count: (records: number) => number,
) {
  let page = { left: 0, done: count(0) }
  const options = {
    since: store.progressOf(name).cursor,
    signal,
    ...(overlapSeconds === null ? {} : { overlapSeconds }),
    onProgress: ({ left }: { left: number }) => {
      page = { left, done: count(0) }
      onProgress({ what: name, done: page.done, total: page.done + left })
    },
  }
  const isFull = facts[name].arrays && !isWithoutLines
  const changes = isFull ? client.changesInFull(name, options) : client.changes(name, options)
  for await (const { records, cursor } of changes.batches()) {
    store.save(name, records as unknown as PulledRecord[], cursor)
    const done = count(records.length)
    onProgress({ what: name, done, total: Math.max(done, page.done + page.left) })
  }
}

// Retries a few times when the network is lost; with --watch, until it is back.
export async function withRetries<Result>(
  { pausesMs, isWatching, signal, remark }: Pick<PullJob, 'pausesMs' | 'isWatching' | 'signal' | 'remark'>,
  attempt: () => Promise<Result>,
): Promise<Result> {
  for (let tries = 0; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      const pauseMs = pausesMs[isWatching ? Math.min(tries, pausesMs.length - 1) : tries]
      const isLost = error instanceof VitrineError && (error.code === 'network_error' || error.code === 'timed_out')
      if (!isLost || pauseMs === undefined) throw error
      remark(`${error.message} The next attempt is in ${pauseMs / 1000} s.`)
      await wait(pauseMs, signal)
    }
  }
}

// The API does not announce deleted records, nor records that a key has come to see. The totals show both.
async function compare(
  job: PullJob,
  resource: ResourceDescription,
  total: number,
  count: (records: number) => number,
): Promise<void> {
  const { client, remark, signal, store } = job
  const { name } = resource
  const ask = async () => (await client.list(name, { ...facts[name].everything, per_page: 1, signal })).meta.total
  let [here, there] = [total, await ask()]
  if (there > here) {
    // New records may have arrived meanwhile.
    await follow(job, resource, count)
    ;[here, there] = [store.finish(resource), Math.min(there, await ask())]
  }
  const [more, all] = [Math.abs(there - here).toLocaleString('en'), Math.max(here, there).toLocaleString('en')]
  if (there < here)
    remark(
      `${name}: ${more} of ${all} records can no longer be read with this key. They stay until everything is read again (--anew).`,
    )
  if (there > here)
    remark(
      `${name}: ${more} of ${all} records are not in the mirror: the key may see more than before. --anew reads them.`,
    )
}
