// The mirroring itself: each resource is followed from where its store stands, and every batch is stored with its cursor.
import type { Client, ResourceDescription } from '../client.ts'
import { VitrineError } from '../errors.ts'
import { resources as facts } from '../resources.ts'
import { wait } from '../wait.ts'
import type { Found, Store } from './store.ts'

export interface Work {
  readonly client: Client
  readonly store: Store
  readonly isWithoutLines: boolean
  readonly signal: AbortSignal
  readonly onProgress: (progress: { readonly what: string; readonly done: number; readonly total: number }) => void
  readonly remark: (text: string) => void
  // Between two tries when the network is lost.
  readonly pausesMs: readonly number[]
}

export interface Pulled {
  readonly resource: string
  // How many versions of records were stored by this run.
  readonly changed: number
  readonly total: number
}

export async function pullResource(work: Work, described: ResourceDescription, isAnew: boolean): Promise<Pulled> {
  const { store, remark } = work
  const resource = shown(described, work.isWithoutLines)
  const shape = JSON.stringify(resource.fields)
  const before = store.progressOf(resource.name)
  if (before.shape === null || isAnew || before.shape !== shape) {
    if (before.shape !== null && !isAnew)
      remark(`${resource.name}: the key sees other fields than before, so everything is read again.`)
    store.begin(resource, shape)
  }
  store.open(resource)
  const changed = await withRetries(work, (count) => follow(work, resource, count))
  const total = store.finish(resource)
  await lookForGone(work, resource, total)
  return { resource: resource.name, changed, total }
}

// Without the arrays that nobody asks for.
const shown = (described: ResourceDescription, isWithoutLines: boolean): ResourceDescription => ({
  ...described,
  fields: isWithoutLines ? described.fields.filter((field) => field.in === 'list') : described.fields,
})

async function follow(
  { client, store, isWithoutLines, signal, onProgress }: Work,
  { name }: ResourceDescription,
  count: (records: number) => number,
) {
  let page = { left: 0, done: count(0) }
  const options = {
    since: store.progressOf(name).cursor,
    signal,
    onProgress: ({ left }: { left: number }) => {
      page = { left, done: count(0) }
      onProgress({ what: name, done: page.done, total: page.done + left })
    },
  }
  const isFull = facts[name].arrays && !isWithoutLines
  const changes = isFull ? client.changesInFull(name, options) : client.changes(name, options)
  for await (const { records, cursor } of changes.batches()) {
    // The services' records are plain JSON.
    store.save(name, records as unknown as Found[], cursor)
    const done = count(records.length)
    onProgress({ what: name, done, total: Math.max(done, page.done + page.left) })
  }
}

// The network may come back: a few tries, each from what is stored.
async function withRetries(
  { pausesMs, signal, remark }: Work,
  attempt: (count: (records: number) => number) => Promise<void>,
): Promise<number> {
  let changed = 0
  for (let tries = 0; ; tries++) {
    const before = changed
    try {
      await attempt((records) => (changed += records))
      return changed
    } catch (error) {
      // Whoever gets on may fail as often again.
      if (changed > before) tries = 0
      const pauseMs = pausesMs[tries]
      const isLost = error instanceof VitrineError && (error.code === 'network_error' || error.code === 'timed_out')
      if (!isLost || pauseMs === undefined) throw error
      remark(`${error.message} The next try is in ${pauseMs / 1000} seconds.`)
      await wait(pauseMs, signal)
    }
  }
}

// Records are never announced as gone. More of them here than there says so.
async function lookForGone(
  { client, remark, signal }: Work,
  { name }: ResourceDescription,
  total: number,
): Promise<void> {
  const there = (await client.list(name, { ...facts[name].everything, per_page: 1, signal })).meta.total
  if (there < total)
    remark(
      `${name}: ${(total - there).toLocaleString('en')} of ${total.toLocaleString('en')} records can no longer be read with this key. They stay in the mirror until everything is read again (--anew).`,
    )
}
