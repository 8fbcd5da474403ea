// Follows the changes of a resource without missing one: each new or changed record once, in its latest version, and a cursor
// to continue from.
import { readCursor, writeCursor } from './cursor.ts'
import { resources, type ResourceName } from './resources.ts'
import { walkWhole, walkChanges } from './walk.ts'
import type { Fetch, Listed, Page, WalkSource } from './source.ts'

export interface ChangesOptions {
  // A cursor of an earlier run, or a day or time (`2026-03-01`, `2026-03-01T08:00:00`). Without it, everything is read.
  readonly since?: string | null
  // The longest time from the `updated_at` of a change until it can be read (default: 15 minutes).
  readonly overlapSeconds?: number
  readonly signal?: AbortSignal
  // Called after each page with the number of records left to read.
  readonly onProgress?: (progress: { readonly left: number }) => void
}

export interface Batch<Result> {
  readonly records: readonly Result[]
  // Continue from it once these records are stored; best store both in one transaction.
  readonly cursor: string
}

export interface Changes<Result> extends AsyncIterable<Result> {
  // Moves after each batch: a program that stops within a batch gets that batch again.
  readonly cursor: string
  batches(): AsyncGenerator<Batch<Result>, void>
}

const defaultOverlapSeconds = 900

interface ChangesClient {
  list(name: ResourceName, query: object): Promise<Page<Listed>>
  status(options: { signal?: AbortSignal }): Promise<{ readonly time: string }>
}

// `fetch` gets a record with its arrays; null: records as in lists.
export function followChanges<Result>(
  client: ChangesClient,
  name: ResourceName,
  { since = null, overlapSeconds = defaultOverlapSeconds, signal, onProgress }: ChangesOptions,
  fetch: Fetch<Result> | null,
): Changes<Result> {
  const { stamped, everything } = resources[name]
  const signalled = signal ? { signal } : {}
  const kind = { resource: name, isFull: fetch !== null }
  const source: WalkSource<Result> = {
    list: (query): Promise<Page<Listed>> => client.list(name, { ...everything, ...query, ...signalled }),
    fetch: fetch && ((id) => fetch(id, signal)),
    time: async () => (await client.status(signalled)).time,
    onProgress: onProgress ?? (() => {}),
  }
  let cursor = writeCursor(readCursor(since, kind))

  async function* batches(): AsyncGenerator<Batch<Result>, void> {
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
