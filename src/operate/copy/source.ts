// A database that is copied: one connection, a read-only session, and one snapshot for all statements. Values are texts, the same from
// every engine.

export interface SourceColumn {
  readonly name: string
  // Whether its values are texts, so that ids in it get numbers.
  readonly isText: boolean
  // Whether texts that differ only in case are equal there.
  readonly ignoresCase: boolean
  // Whether the values are bytes, given in hexadecimal digits.
  readonly isBytes: boolean
  // Set if values are floating-point numbers: they are exact to the cent below this size.
  readonly centsBelow?: number | undefined
}

export const centsBelow = { double: 2 ** 46, single: 2 ** 17 }

type SourceRow = readonly (string | null)[]

export interface SourceBatch {
  readonly columns: readonly SourceColumn[]
  readonly rows: readonly SourceRow[]
}

export interface Source {
  // At least one batch, which may have no rows.
  readonly batches: (select: string) => AsyncIterable<SourceBatch>
  // A text → a literal of the source's SQL.
  readonly quoteText: (text: string) => string
}

export interface SourceOptions {
  // The company's: times with a zone are converted to it.
  readonly timeZone: string
  // For each statement.
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export type UseSource<Result> = (source: Source) => Promise<Result>

// The source refused a statement; others can still be tried. The message is the end of a sentence.
export class SourceFailure extends Error {}

// The source stopped a statement that took too long. Others are not tried: the source is busy.
export class SourceTimeout extends Error {
  constructor(timeoutMs: number) {
    super(`it took longer than ${timeoutMs / 1000} s`)
  }
}

const patienceMs = 5000

// Calls `giveUp` if the source does not stop a statement itself some seconds after its timeout: it is frozen, or the network is lost.
export async function* inTime<Item>(
  items: AsyncIterable<Item>,
  timeoutMs: number,
  giveUp: () => void,
): AsyncGenerator<Item> {
  const endsAt = performance.now() + timeoutMs
  // The time that the reader of the items takes does not count.
  const start = () => setTimeout(giveUp, Math.max(endsAt - performance.now(), 0) + patienceMs)
  let timer = start()
  try {
    for await (const item of items) {
      clearTimeout(timer)
      yield item
      timer = start()
    }
  } finally {
    clearTimeout(timer)
  }
}

export const silence = 'it does not answer any more'

export const quoteText = (text: string) => `'${text.replaceAll("'", "''")}'`

export const rowsAtOnce = 1000
