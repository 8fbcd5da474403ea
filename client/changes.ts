// A mirror that misses no change: each record that is new or has changed, in its latest version, once, and a cursor to go on from.
import { readCursor, writeCursor } from './cursor.ts'
import { resources, type ResourceName } from './resources.ts'
import { walkWhole } from './walk-whole.ts'
import type { Fetch, Listed, Page, Source } from './source.ts'
import { walkChanges } from './walk.ts'

export interface ChangesOptions {
  // A cursor of an earlier run, or a day or time (`2026-03-01`, `2026-03-01T08:00:00`); everything when there is none.
  readonly since?: string | null
  // The longest that a change may take from its `updated_at` until it can be read; 15 minutes unless told.
  readonly overlapSeconds?: number
  readonly signal?: AbortSignal
  // After each page: how many records are still to be looked at.
  readonly onProgress?: (progress: { readonly left: number }) => void
}

export interface Batch<Found> {
  readonly records: readonly Found[]
  // To go on from once these are stored, best in one transaction with them.
  readonly cursor: string
}

export interface Changes<Found> extends AsyncIterable<Found> {
  // To go on from. It moves when all records of a batch were taken: whoever stops within one gets that one again.
  readonly cursor: string
  batches(): AsyncGenerator<Batch<Found>, void>
}

const defaultOverlapSeconds = 900

// Of the client, what a walk needs.
interface Service {
  list(name: ResourceName, query: object): Promise<Page<Listed>>
  status(options: { signal?: AbortSignal }): Promise<{ readonly time: string }>
}

// `fetch`: where each record is to be had with its arrays; null: as lists show it.
export function followChanges<Found>(
  client: Service,
  name: ResourceName,
  { since = null, overlapSeconds = defaultOverlapSeconds, signal, onProgress }: ChangesOptions,
  fetch: Fetch<Found> | null,
): Changes<Found> {
  const { stamped, everything } = resources[name]
  const signalled = signal ? { signal } : {}
  const kind = { resource: name, isFull: fetch !== null }
  const source: Source<Found> = {
    list: (query): Promise<Page<Listed>> => client.list(name, { ...everything, ...query, ...signalled }),
    fetch: fetch && ((id) => fetch(id, signal)),
    time: async () => (await client.status(signalled)).time,
    onProgress: onProgress ?? (() => {}),
  }
  let cursor = writeCursor(readCursor(since, kind))

  async function* batches(): AsyncGenerator<Batch<Found>, void> {
    const position = readCursor(cursor, kind)
    const walk = stamped ? walkChanges(position, source, overlapSeconds) : walkWhole(position, source)
    for await (const records of walk) {
      if (records.length === 0) continue
      const batch = { records, cursor: writeCursor(position) }
      yield batch
      cursor = batch.cursor
    }
    cursor = writeCursor(position)
    yield { records: [], cursor }
  }

  return {
    get cursor() {
      return cursor
    },
    batches,
    async *[Symbol.asyncIterator]() {
      for await (const { records } of batches()) yield* records
    },
  }
}
