// Where a synchronisation stands, as text to store: how far it is sure, the walk under way, and which versions were handed on
// of those records that will be read again.
import { VitrineError } from './errors.ts'

export interface Position {
  readonly resource: string
  readonly isFull: boolean
  // Everything modified before it was read when nothing could be added to it any more. null: nothing yet.
  from: string | null
  walk: Walk | null
  readonly seen: Map<number, Seen>
  // What the last walk saw of the clocks; see begin-walk.ts.
  clock: ClockSeen | null
  // The highest id of a record without a stamp: those that come later have higher ones.
  unstampedTo: number
}

export interface Walk {
  // What `from` will be at its end.
  readonly next: string | null
  at: string | null
  // Within records of one second.
  group: Group | null
  unstampedTo: number
}

export interface Group {
  // To read next, counting down.
  readonly page: number
  // This id and higher ones have been gone through. null: the last page is still looked for.
  readonly below: number | null
}

export interface Seen {
  readonly stamp: string
  readonly hash: string
  // Of the record with its arrays.
  readonly full: string
  // It was read when nothing of its second could come any more.
  readonly isSettled: boolean
}

export interface ClockSeen {
  readonly atMs: number
  readonly offsetSeconds: number
  // The clock was set to another offset: by how much, and until which instant that has to be minded.
  readonly shiftSeconds: number
  readonly shiftUntilMs: number
  // The newest change there was, and since which instant it is the newest. Those in the future do not count.
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
  if (text === null) return { ...kind, from: null, walk: null, seen: new Map(), clock: null, unstampedTo: 0 }
  if (/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2})?$/.test(text))
    return { ...kind, from: text, walk: null, seen: new Map(), clock: null, unstampedTo: 0 }
  const read = parse(text)
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

type Written = Omit<Position, 'seen'> & { format: number; seen: [number, string, string, string, number][] }

function parse(text: string): Written | null {
  try {
    return JSON.parse(text) as Written | null
  } catch {
    return null
  }
}

const unusable = (sentence: string) => new VitrineError(sentence, { code: 'invalid_cursor' })
