// A database that is copied: one connection, a read-only session, and one snapshot for all statements. Values are texts, the same from
// every engine.
import { OperatorError } from '../../errors.ts'

export interface SourceColumn {
  readonly name: string
  // Whether its values, or some of them, are texts, so that ids in it get numbers.
  readonly isText: boolean
  // Set if each value has its own type: by row, whether it is a text.
  readonly areTexts?: readonly boolean[]
  // Whether texts that differ only in case are equal there.
  readonly ignoresCase?: boolean
  // Whether the values are bytes, given in hexadecimal digits.
  readonly isBytes?: boolean
  // Set if values are floating-point numbers: they are exact to the cent below this size.
  readonly centsBelow?: number | undefined
  // Absent: unknown, or no numbers.
  readonly numberKind?: NumberKind | undefined
}

export const isTextAt = ({ isText, areTexts }: SourceColumn, row: number) => areTexts?.[row] ?? isText

// What the source says about the numbers of a column.
export type NumberKind = 'decimal' | 'double' | 'whole'

export const centsBelow = { double: 2 ** 46, single: 2 ** 17 }

export interface SourceBatch {
  readonly columns: readonly SourceColumn[]
  readonly rows: readonly (readonly (string | null)[])[]
}

export interface Source {
  // At least one batch, which may have no rows. Afterwards the statement's locks are free: an ALTER of a till does not wait for the
  // rest of a round, and other statements of the tills do not wait for that ALTER.
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

// A table was made anew since the snapshot, so that its rows cannot be read in it.
export class SourceChanged extends OperatorError {
  constructor(said: string) {
    super(`The tables of the source are being changed while they are copied: ${said}.`, 1)
  }
}

const mostSnapshots = 3

// Reads again, in a new snapshot.
export async function untilUnchanged<Result>(read: () => Promise<Result>): Promise<Result> {
  for (let times = 1; ; times += 1)
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof SourceChanged) || times === mostSnapshots) throw error
    }
}

// A server that has not answered by then is frozen, or the network is lost: it would have stopped the statement itself.
export const silenceMsOf = (timeoutMs: number) => timeoutMs + 5000

export const quoteText = (text: string) => `'${text.replaceAll("'", "''")}'`

export const rowsAtOnce = 1000
