// Brings one resource of a mirror up to date from a service without a change feed, by `updated_at`. Such a service does not report
// deletions; the totals reveal them.
import { resources as facts, type ResourceName } from '../resources.ts'
import { totalOf, withRetries, type PullJob, type PullResult } from './job.ts'
import { beginAgain } from './positions.ts'
import type { FinishedResource, PulledRecord } from './store.ts'

export async function pullByTime(job: PullJob, position: string): Promise<PullResult> {
  const { store, remark } = job
  const name = position as ResourceName
  const damaged = await store.damaged(position)
  if (damaged !== null) {
    remark(`${damaged} was changed or removed by another program, so everything is read again.`)
    await withRetries(job, () => beginAgain(job, position))
  }
  let changed = 0
  const count = (records: number) => (changed += records)
  const finish = async (): Promise<FinishedResource> =>
    (await store.finish(position))[0] ?? { name: position, total: 0, removed: 0 }
  await withRetries(job, () => follow(job, name, count))
  const { removed } = await finish()
  await withRetries(job, () => compare(job, name, finish, count))
  return { resource: position, changed, gone: removed, total: (await finish()).total }
}

async function follow(
  { client, store, mirror: { isWithoutLines }, overlapSeconds, signal, onProgress }: PullJob,
  name: ResourceName,
  count: (records: number) => number,
) {
  let page = { left: 0, done: count(0) }
  const options = {
    since: await store.cursorOf(name),
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
    const entries = (records as unknown as readonly PulledRecord[]).map((record) => ({
      resource: name,
      id: record.id,
      change: 'record' as const,
      record,
    }))
    await store.save(name, entries, cursor)
    const done = count(records.length)
    onProgress({ what: name, done, total: Math.max(done, page.done + page.left) })
  }
}

// Differing totals reveal deleted records, and old records that the key could not read before.
async function compare(
  job: PullJob,
  name: ResourceName,
  finish: () => Promise<FinishedResource>,
  count: (records: number) => number,
): Promise<void> {
  let [here, there] = [(await finish()).total, await totalOf(job, name)]
  if (there > here) {
    // New records may have arrived meanwhile.
    await follow(job, name, count)
    ;[here, there] = [(await finish()).total, Math.min(there, await totalOf(job, name))]
  }
  const [more, all] = [Math.abs(there - here).toLocaleString('en'), Math.max(here, there).toLocaleString('en')]
  if (there < here)
    job.remark(
      `${name}: ${more} of ${all} records can no longer be read with this key. They stay until everything is read again (--anew).`,
    )
  if (there > here)
    job.remark(
      `${name}: ${more} of ${all} records are not in the mirror: the key may see more than before. --anew reads them.`,
    )
}
