// Records as a list shows them come in; those whose version was not handed on before go out, a batch at a time, each with its
// arrays where these are wanted.
import type { Position } from './cursor.ts'
import { VitrineError } from './errors.ts'
import { hashOf } from './hash.ts'
import type { Fetch, Listed } from './source.ts'

// Single records are asked for some at a time, and handed on as soon as they are there: less is lost when somebody stops. Where
// much is remembered, the cursor is long, and is not to be written for every few records.
const atOnce = 10
const batchSize = ({ seen }: Position) => Math.max(atOnce, Math.ceil(seen.size / 100))

export async function* take<Found>(
  position: Position,
  listed: readonly Listed[],
  fetch: Fetch<Found> | null,
): AsyncGenerator<Found[], void> {
  if (fetch) yield* takeInFull(position, listed, fetch)
  else {
    const fresh = listed.filter((record) => isNew(position, record))
    for (const record of listed) remember(position, record, '')
    yield fresh as unknown[] as Found[]
  }
}

async function* takeInFull<Found>(
  position: Position,
  listed: readonly Listed[],
  fetch: Fetch<Found>,
): AsyncGenerator<Found[], void> {
  // Two changes within one second can leave a list as it was: once no more can come, the record is looked at again.
  const wanted = listed.filter(
    (record) => isNew(position, record) || (isSettled(position, record) && !position.seen.get(record.id)?.isSettled),
  )
  let fresh: Found[] = []
  for (let at = 0; at < wanted.length; at += atOnce) {
    const some = wanted.slice(at, at + atOnce)
    const found = await Promise.all(some.map(async (record) => ({ record, full: await find(fetch, record.id) })))
    for (const { record, full } of found) {
      if (full === undefined) continue
      const hash = hashOf(JSON.stringify(full))
      if (position.seen.get(record.id)?.full !== hash) fresh.push(full)
      // It may have been changed since the list was read: then it will be met again where it is now.
      remember(position, record, hash, stampOf(full as Listed))
    }
    if (fresh.length < batchSize(position) && at + atOnce < wanted.length) continue
    yield fresh
    fresh = []
  }
}

async function find<Found>(fetch: Fetch<Found>, id: number): Promise<Found | undefined> {
  try {
    return await fetch(id)
  } catch (error) {
    // It was there a moment ago, and no longer is for this key.
    if (error instanceof VitrineError && error.code === 'not_found') return undefined
    throw error
  }
}

const versionOf = (record: Listed) => hashOf(JSON.stringify(record))
const isNew = ({ seen }: Position, record: Listed) => seen.get(record.id)?.hash !== versionOf(record)
const stampOf = ({ updated_at }: Listed) => updated_at ?? ''
// Nothing of its second can come any more.
const isOver = ({ walk }: Position, stamp: string) => stamp < (walk?.next ?? '')
export const isSettled = (position: Position, record: Listed) => isOver(position, stampOf(record))

function remember(position: Position, record: Listed, full: string, stamp = stampOf(record)): void {
  // At the end of those that are remembered: it is the latest.
  position.seen.delete(record.id)
  position.seen.set(record.id, {
    stamp,
    hash: versionOf(record),
    full,
    isSettled: isOver(position, stamp),
  })
}
