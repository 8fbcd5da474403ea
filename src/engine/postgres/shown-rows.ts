// Rows as they arrive from PostgreSQL → JSON, without making values of their cells. Whatever is unusual takes the way that cells of other
// engines take, so that the bytes are the same.
import { parserOf, type PostgresCell, type RowReader } from '../../platform/postgres/cells.ts'
import { onceFor } from '../../query/once-for.ts'
import type { RowForm, ShownCell, ShownRow } from '../../sql/statement.ts'

// Writes the text of a cell as JSON and returns the place after it, or `unusual`.
type WriteBytes = (to: number, bytes: Buffer, from: number, end: number) => number
const unusual = -1

// Of the row that is being read.
const usualSize = 16 * 1024
const mostKept = 1024 * 1024
let out = Buffer.allocUnsafe(usualSize)

function makeRoom(to: number, size: number): void {
  if (out.length - to >= size) return
  const larger = Buffer.allocUnsafe(2 * (to + size))
  out.copy(larger, 0, 0, to)
  out = larger
}

const put: WriteBytes = (to, bytes, from, end) => {
  let next = to
  for (let at = from; at < end; at += 1) out[next++] = bytes[at] as number
  return next
}
const putAll = (to: number, bytes: Buffer) => put(to, bytes, 0, bytes.length)

const byteOf = (character: string) => character.charCodeAt(0)
const [quote, backslash, minus, point, zero, nine] = [
  byteOf('"'),
  byteOf('\\'),
  byteOf('-'),
  byteOf('.'),
  byteOf('0'),
  byteOf('9'),
]
const [space, letterT, isTrue] = [byteOf(' '), byteOf('T'), byteOf('t')]
const [nullText, trueText, falseText] = [Buffer.from('null'), Buffer.from('true'), Buffer.from('false')]

// A double holds 15 digits exactly; JavaScript switches to an exponent after 6 decimals.
const mostDigits = 15
const mostDecimals = 6

const decimal: WriteBytes = (to, bytes, from, end) => {
  if (end - from > mostDigits) return unusual
  let next = to
  let decimals = -1
  for (let at = from; at < end; at += 1) {
    const byte = bytes[at] as number
    if (byte === point) decimals = next
    else if ((byte < zero || byte > nine) && (byte !== minus || at > from)) return unusual
    out[next++] = byte
  }
  if (decimals >= 0) {
    while (out[next - 1] === zero) next -= 1
    if (next - decimals - 1 > mostDecimals) return unusual
    if (next - 1 === decimals) next -= 1
  }
  // JavaScript has a negative zero, and shows it without its sign.
  return next - to === 2 && out[to] === minus && out[to + 1] === zero ? unusual : next
}

const text: WriteBytes = (to, bytes, from, end) => {
  out[to] = quote
  let next = to + 1
  for (let at = from; at < end; at += 1) {
    const byte = bytes[at] as number
    if (byte < space || byte === quote || byte === backslash) return unusual
    out[next++] = byte
  }
  out[next] = quote
  return next + 1
}

const boolean: WriteBytes = (to, bytes, from) => putAll(to, bytes[from] === isTrue ? trueText : falseText)

// Of four digits a year, and without fractions of seconds.
const dated =
  (length: number): WriteBytes =>
  (to, bytes, from, end) => {
    if (end - from !== length || bytes[from + 4] !== minus) return unusual
    const next = text(to, bytes, from, end)
    if (out[to + 11] === space) out[to + 11] = letterT
    return next
  }

const labelled = (labels: NonNullable<ShownCell['labels']>, isBoolean: boolean): WriteBytes => {
  const nameOf = (code: unknown) => (isBoolean ? (code === 1 ? 't' : 'f') : String(code))
  const shown = new Map(Array.from(labels, ([code, label]) => [nameOf(code), Buffer.from(label)]))
  return (to, bytes, from, end) => {
    const label = shown.get(bytes.toString('latin1', from, end))
    return label ? putAll(to, label) : unusual
  }
}

const integers = [20, 21, 23]
// By object ids in pg_type. Columns of other types are read as values.
const usualTypes: Record<ShownCell['type'], { readonly types: readonly number[]; readonly write: WriteBytes }> = {
  int: { types: integers, write: put },
  num: { types: [...integers, 700, 701, 1700], write: decimal },
  text: { types: [25, 1042, 1043], write: text },
  bool: { types: [16], write: boolean },
  time: { types: [1114], write: dated(19) },
  day: { types: [1082], write: dated(10) },
}

function bytesWriter({ type, labels }: ShownCell, stored: number): WriteBytes {
  const { types, write } = usualTypes[type]
  if (!types.includes(stored)) return () => unusual
  return labels ? labelled(labels, type === 'bool') : write
}

export const readShown = onceFor(({ kept: count, from: first, cells }: RowForm): RowReader<ShownRow> =>
  onceFor((types: readonly number[]) => {
    const columns = types.map((type, at) => {
      const cell = cells[at - first]
      const shown = cell && { ...cell, key: Buffer.from(cell.key), writeBytes: bytesWriter(cell, type) }
      return { parse: parserOf(type), cell: shown }
    })
    const longest = Math.max(...cells.map((cell) => sizeBeside(cell)))
    return (bytes, from) => {
      const kept: PostgresCell[] = []
      const runs: string[] = []
      let to = 0
      let end = from + 2
      for (let at = 0; at < columns.length; at += 1) {
        const { parse, cell } = columns[at] as (typeof columns)[number]
        const length = bytes.readInt32BE(end)
        const begin = end + 4
        end = begin + Math.max(0, length)
        if (at < count) kept.push(length < 0 ? null : parse(bytes.toString('utf8', begin, end)))
        if (!cell) continue
        makeRoom(to, longest + length)
        to = putAll(to, cell.key)
        const next = length < 0 ? putAll(to, nullText) : cell.writeBytes(to, bytes, begin, end)
        to = next === unusual ? putText(to, cell.write(parse(bytes.toString('utf8', begin, end)))) : next
        if (!cell.endsRun) continue
        runs.push(out.toString('utf8', 0, to))
        to = 0
      }
      if (out.length > mostKept) out = Buffer.allocUnsafe(usualSize)
      return { kept, runs }
    }
  }),
)

function putText(to: number, json: string): number {
  const bytes = Buffer.from(json)
  makeRoom(to, bytes.length)
  return putAll(to, bytes)
}

// What a cell may take beside the bytes of its value.
function sizeBeside(cell: ShownCell | null): number {
  if (!cell) return 0
  const others = ['null', ...(cell.labels?.values() ?? [])].map((other) => Buffer.byteLength(other))
  return Buffer.byteLength(cell.key) + Math.max(...others) + '""'.length
}
