// A row as it arrives → plain values. Times stay texts and are never turned into a Date. A row is the number of its cells in two bytes,
// and for each cell its length in four, -1 for null, and its text.

// Reads the row that begins at a place of these bytes, which may be overwritten afterwards.
export type ReadRow<Row> = (bytes: Buffer, at: number) => Row
// Given the types of the columns: their object ids in pg_type.
export type RowReader<Row> = (types: readonly number[]) => ReadRow<Row>

export type PostgresCell = string | number | bigint | boolean | null | Uint8Array
export type PostgresRow = readonly PostgresCell[]

// The text of a value as PostgreSQL sends it → a plain value. An integer beyond 2^53 keeps its digits.
type ParseText = (text: string) => PostgresCell

const integer: ParseText = (text) => {
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : BigInt(text)
}

// By the object id of the type in pg_type.
const parsers: Readonly<Record<number, ParseText>> = {
  16: (text) => text === 't',
  17: (text) => Buffer.from(text.slice(2), 'hex'),
  20: integer,
  21: Number,
  23: Number,
  700: Number,
  701: Number,
  1700: Number,
  1114: (text) => text.replace(' ', 'T'),
}

const unchanged: ParseText = (text) => text

export const parserOf = (type: number): ParseText => parsers[type] ?? unchanged

export const textsIn = (bytes: Buffer, from: number): (string | null)[] => {
  const count = bytes.readInt16BE(from)
  let at = from + 2
  return Array.from({ length: count }, () => {
    const start = at + 4
    const length = bytes.readInt32BE(at)
    at = start + Math.max(0, length)
    return length < 0 ? null : bytes.toString('utf8', start, at)
  })
}

export const readCells: RowReader<PostgresRow> = (types) => {
  const parse = types.map(parserOf)
  return (bytes, from) =>
    textsIn(bytes, from).map((text, at) => (text === null ? null : (parse[at] ?? unchanged)(text)))
}
