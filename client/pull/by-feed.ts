// Brings a mirror up to date by the change feed: every change and every deletion since the stored cursor.
import { VitrineError } from '../errors.ts'
import type { ResourceName } from '../resources.ts'
import { HasNoFeed, isKept, listPage, wholeFeed, withRetries, type PullJob, type PullResult } from './job.ts'
import { beginAgain } from './positions.ts'
import type { Entry } from './store.ts'

// For one position in one run.
const mostRestarts = 3

export async function pullByFeed(job: PullJob, position: string): Promise<PullResult[]> {
  const { store, remark } = job
  const counts = new Map<string, { changed: number; gone: number }>()
  const count = ({ resource, change }: Entry) => {
    const each = counts.get(resource) ?? { changed: 0, gone: 0 }
    each[change === 'gone' ? 'gone' : 'changed'] += 1
    counts.set(resource, each)
  }
  for (let restarts = 0; ; restarts++) {
    const damaged = await store.damaged(position)
    try {
      if (damaged !== null) throw new MustBeginAgain(`${damaged} was changed or removed by another program`)
      await withRetries(job, () => follow(job, position, count))
      break
    } catch (error) {
      if (!(error instanceof MustBeginAgain) || restarts === mostRestarts) throw error
      remark(`${error.message}, so everything is read again.`)
      await withRetries(job, () => beginAgain(job, position))
    }
  }
  const finished = await store.finish(position)
  return finished.map(({ name, total, removed }) => {
    const { changed = 0, gone = 0 } = counts.get(name) ?? {}
    return { resource: name, changed, gone: gone + removed, total }
  })
}

// The message is the beginning of a sentence.
class MustBeginAgain extends Error {}

async function follow(job: PullJob, position: string, count: (entry: Entry) => void): Promise<void> {
  const { client, store, signal, onProgress } = job
  const { isWithoutLines } = job.mirror
  const stored = await store.resourcesAt(position)
  const cursor = await store.cursorOf(position)
  const fields: Fields = new Map(
    stored.map(({ resource }) => [resource.name, new Set(resource.fields.map(({ name }) => name))]),
  )
  const reading = stored.filter(({ isReadingAll }) => isReadingAll)
  let total = 0
  for (const { resource } of reading) total += (await listPage(job, resource.name, { per_page: 1 })).meta.total
  let done = await store.readSoFar(position)
  const one = position === wholeFeed ? {} : { resource: position.slice(wholeFeed.length + 1) as ResourceName }
  try {
    for await (const part of client.follow({ ...one, cursor, signal })) {
      const given = (part.changes as readonly Entry[]).filter(
        ({ resource, id }) => fields.has(resource) && isKept(job, resource, id),
      )
      if (cursor !== null && given.some((entry) => hasNewFields(entry, fields, isWithoutLines)))
        throw new MustBeginAgain('The service shows fields that the mirror does not have')
      const entries = isWithoutLines ? given.map((entry) => withFields(entry, fields)) : given
      await store.save(position, entries, part.cursor)
      entries.forEach(count)
      done += entries.length
      if (reading.length > 0) onProgress({ what: 'records', done, total: Math.max(done, total) })
    }
  } catch (error) {
    if (!(error instanceof VitrineError)) throw error
    if (error.code === 'not_found') throw new HasNoFeed()
    // A cursor that was changed by hand is an invalid parameter.
    const isCursorRefused = error.code === 'cursor_expired' || (cursor !== null && error.code === 'invalid_parameter')
    if (!isCursorRefused) throw error
    throw new MustBeginAgain(
      'The service cannot continue from where this mirror is (the key or the database was changed, or it is too long ago)',
    )
  }
}

type Fields = ReadonlyMap<string, ReadonlySet<string>>

const hasNewFields = (entry: Entry, fields: Fields, isWithoutLines: boolean) =>
  entry.change === 'record' &&
  Object.entries(entry.record).some(
    ([name, value]) => !fields.get(entry.resource)?.has(name) && !(isWithoutLines && Array.isArray(value)),
  )

function withFields(entry: Entry, fields: Fields): Entry {
  if (entry.change === 'gone') return entry
  const kept = Object.entries(entry.record).filter(([name]) => fields.get(entry.resource)?.has(name))
  return { ...entry, record: { ...Object.fromEntries(kept), id: entry.id } }
}
