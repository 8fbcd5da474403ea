// A database that is copied: one connection, a session that can only read, and one snapshot for all statements. Values come as texts,
// the same from every engine.

export interface SourceColumn {
  readonly name: string
  // Whether its values are texts, so that ids in it get numbers.
  readonly isText: boolean
  // Whether texts that differ only in case are equal there.
  readonly ignoresCase: boolean
  // Whether the values are bytes, given in hexadecimal digits.
  readonly isBytes: boolean
}

type SourceRow = readonly (string | null)[]

export interface SourceBatch {
  readonly columns: readonly SourceColumn[]
  readonly rows: readonly SourceRow[]
}

export interface Source {
  // At least one batch, which may have no rows.
  readonly batches: (select: string) => AsyncIterable<SourceBatch>
  // A text as a literal of its SQL.
  readonly quoteText: (text: string) => string
}

export interface SourceOptions {
  // The company's; times with a zone are given in it.
  readonly timeZone: string
  // For each statement.
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export type UseSource<Result> = (source: Source) => Promise<Result>

// The source refused a statement or stopped it: the end of a sentence.
export class SourceFailure extends Error {}

export const rowsAtOnce = 1000

export const lateMessage = (timeoutMs: number) => `it took longer than ${timeoutMs / 1000} s`

// Doubles are given with six decimals, as Vitrine adds them up: 0.30000000000000004 is 0.3. Beyond this size a double no longer has
// six decimals.
const mostRounded = 2 ** 33

export function doubleText(value: number): string {
  return String(Math.abs(value) < mostRounded ? Math.round(value * 1e6) / 1e6 : value)
}
