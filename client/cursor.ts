// The position of a synchronisation as text to store: how far it is complete, the unfinished walk, and the versions already
// delivered of records that will be read again.
import { parseJson, VitrineError } from './errors.ts'

export interface Position {
  readonly resource: string
  readonly isFull: boolean
  // All changes before this time have been delivered. null: none yet.
  from: string | null
  walk: Walk | null
  readonly seen: Map<number, SeenVersion>
  // Of the last walk; see `beginWalk`.
  clock: ClockReading | null
  // The highest id of a record without `updated_at`: later records have higher ids.
  unstampedTo: number
}

export interface Walk {
  // The value of `from` after this walk.
  readonly next: string | null
  at: string | null
  // Set while it reads the pages of one second.
  group: Group | null
  unstampedTo: number
}

export interface Group {
  // The next page, counting down.
  readonly page: number
  // This id and higher ids are done. null: the last page is not found yet.
  readonly below: number | null
}

export interface SeenVersion {
  readonly stamp: string
  readonly hash: string
  // The hash of the record with its arrays.
  readonly full: string
  // No more changes of its second were possible when it was read.
  readonly isSettled: boolean
}

export interface ClockReading {
  readonly atMs: number
  readonly offsetSeconds: number
  // After a change of the clock's offset: by how much, and until when it matters.
  readonly shiftSeconds: number
  readonly shiftUntilMs: number
  // The time of the newest change that is not in the future, and when we first saw it as the newest.
  readonly newest: string | null
  readonly newestSinceMs: number
}

const format = 1

export const writeCursor = ({ seen, ...position }: Position): string =>
  JSON.stringify({
    format,
    ...position,
    seen: Array.from(seen, ([id, { stamp, hash, full, isSettled }]) => [id, stamp, hash, full, isSettled ? 1 : 0]),
  })

export function readCursor(text: string | null, kind: Pick<Position, 'resource' | 'isFull'>): Position {
  if (text === null || /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2})?$/.test(text))
    return { ...kind, from: text, walk: null, seen: new Map(), clock: null, unstampedTo: 0 }
  const read = parseJson(text) as StoredPosition | null
  if (read?.format !== format || !Array.isArray(read.seen))
    throw unusable('`since` is neither a cursor of this client nor a day or time such as 2026-03-01T08:00:00.')
  if (read.resource !== kind.resource) throw unusable(`This cursor is of ${read.resource}, not of ${kind.resource}.`)
  if (read.isFull !== kind.isFull)
    throw unusable('This cursor is of the other kind: changes and changesInFull each have their own.')
  const { from, walk, clock, unstampedTo } = read
  const seen = read.seen.map(
    ([id, stamp, hash, full, settled]) => [id, { stamp, hash, full, isSettled: settled === 1 }] as const,
  )
  return { ...kind, from, walk, seen: new Map(seen), clock, unstampedTo }
}

type StoredPosition = Omit<Position, 'seen'> & { format: number; seen: [number, string, string, string, number][] }

const unusable = (sentence: string) => new VitrineError(sentence, { code: 'invalid_cursor' })
