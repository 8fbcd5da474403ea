// Records of a list → batches of those whose version was not delivered before, with their arrays if `fetch` is given.
import type { Position } from './cursor.ts'
import { VitrineError } from './errors.ts'
import type { Fetch, Listed } from './source.ts'

// Single records are requested in parallel, and delivered early, so that little is lost when the program stops. With a long
// cursor, batches are larger, because the cursor is written for each batch.
const atOnce = 10
const batchSize = ({ seen }: Position) => Math.max(atOnce, Math.ceil(seen.size / 100))

export async function* take<Result>(
  position: Position,
  listed: readonly Listed[],
  fetch: Fetch<Result> | null,
): AsyncGenerator<Result[], void> {
  if (fetch) yield* takeInFull(position, listed, fetch)
  else {
    const fresh = listed.filter((record) => isNew(position, record))
    for (const record of listed) remember(position, record, '')
    yield fresh as unknown[] as Result[]
  }
}

async function* takeInFull<Result>(
  position: Position,
  listed: readonly Listed[],
  fetch: Fetch<Result>,
): AsyncGenerator<Result[], void> {
  // Two changes within one second may not change the list: once no more can follow, the record is read again.
  const wanted = listed.filter(
    (record) => isNew(position, record) || (isSettled(position, record) && !position.seen.get(record.id)?.isSettled),
  )
  let fresh: Result[] = []
  for (let at = 0; at < wanted.length; at += atOnce) {
    const some = wanted.slice(at, at + atOnce)
    const found = await Promise.all(some.map(async (record) => ({ record, full: await find(fetch, record.id) })))
    for (const { record, full } of found) {
      if (full === undefined) continue
      const hash = hashOf(JSON.stringify(full))
      if (position.seen.get(record.id)?.full !== hash) fresh.push(full)
      // If it was changed after the list was read, the walk meets it again at its new place.
      remember(position, record, hash, stampOf(full as Listed))
    }
    if (fresh.length < batchSize(position) && at + atOnce < wanted.length) continue
    yield fresh
    fresh = []
  }
}

async function find<Result>(fetch: Fetch<Result>, id: number): Promise<Result | undefined> {
  try {
    return await fetch(id)
  } catch (error) {
    // Deleted, or closed to this key, after the list was read.
    if (error instanceof VitrineError && error.code === 'not_found') return undefined
    throw error
  }
}

const versionOf = (record: Listed) => hashOf(JSON.stringify(record))
const isNew = ({ seen }: Position, record: Listed) => seen.get(record.id)?.hash !== versionOf(record)
const stampOf = ({ updated_at }: Listed) => updated_at ?? ''
// No more changes of its second are possible.
const isOver = ({ walk }: Position, stamp: string) => stamp < (walk?.next ?? '')
export const isSettled = (position: Position, record: Listed) => isOver(position, stampOf(record))

function remember(position: Position, record: Listed, full: string, stamp = stampOf(record)): void {
  // Moves it to the end of the map, which is ordered by age.
  position.seen.delete(record.id)
  position.seen.set(record.id, {
    stamp,
    hash: versionOf(record),
    full,
    isSettled: isOver(position, stamp),
  })
}

// Two 32-bit lanes (FNV-1a and a variant): enough to compare versions, and available in every runtime.
function hashOf(text: string): string {
  let one = 0x811c9dc5
  let other = 0x9e3779b9
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    one = Math.imul(one ^ unit, 0x01000193)
    other = Math.imul(other ^ unit, 0x85ebca6b)
    other ^= other >>> 13
  }
  return hex(one) + hex(other)
}

const hex = (lane: number) => (lane >>> 0).toString(16).padStart(8, '0')
