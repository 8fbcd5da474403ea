// CSV (RFC 4180) with a header row → rows of a relation. A fault of quoting costs one record: reading continues with the next
// line. Lines without a quote, nearly all of them, are only split.
import {
  foundText,
  placeColumns,
  wrongValue,
  type ImportColumn,
  type ImportColumns,
  type RowSink,
  type RowParser,
  type StoredValue,
} from './values.ts'
import { countLines, longestRecord } from './blocks.ts'

export function csvRows(columns: ImportColumns, sink: RowSink): RowParser {
  let reader: RowParser | undefined
  // Undefined entries are unknown names. Null: the header is unusable.
  let header: (ImportColumn | undefined)[] | null | undefined
  let line = 1

  const onRecord = (cells: CsvCells, at: number) => {
    if (header === undefined) header = readHeader(cells, at, columns, sink)
    else if (header) readRecord(cells, at, header)
  }
  const readRecord = (cells: CsvCells, at: number, names: (ImportColumn | undefined)[]) => {
    if (cells.length !== names.length)
      return sink.fault(at, null, `Expected ${counted(names.length)}, as in the header; found ${cells.length}.`)
    const values = Array<StoredValue>(columns.all.length).fill(null)
    let hasKey = true
    for (let place = 0; place < names.length; place++) {
      const column = names[place]
      const cell = cells[place] ?? null
      if (column === undefined || (cell === null && !column.isKey)) continue
      const value = cell === null ? undefined : column.read(cell)
      if (value !== undefined) values[column.at] = value
      else {
        sink.fault(at, column.name, wrongValue(column, foundText(cell ?? '')) + hintFor(column, cell ?? ''))
        hasKey &&= !column.isKey
      }
    }
    if (hasKey) sink.row(at, values)
  }
  // The first line with text is the header. Spreadsheets may name the separator before it.
  const begin = (text: string): string => {
    let from = 0
    let separator: string | undefined
    while (from < text.length) {
      const end = text.includes('\n', from) ? text.indexOf('\n', from) : text.length
      const first = text.slice(from, end).trim()
      const named = /^"?sep=([;,])"?$/i.exec(first)?.[1]
      if (first !== '' && named === undefined) {
        separator ??= findSeparator(first, (name) => columns.find(name) !== undefined)
        reader = createCsvReader({ separator, firstLine: line, onRecord, onFault })
        return text.slice(from)
      }
      separator ??= named
      line += 1
      from = end + 1
    }
    return ''
  }
  const onFault = (at: number, place: number, message: string) => {
    if (header === undefined) header = null
    sink.fault(at, header?.[place]?.name ?? null, message)
  }
  return (text, isLast) => {
    const rest = reader ? text : begin(text)
    reader?.(rest, isLast)
    if (isLast && header === undefined) sink.fault(null, null, 'The file is empty; expected a header row.')
  }
}

const counted = (count: number) => `${count} ${count === 1 ? 'value' : 'values'}`

// Null: the header is unusable.
function readHeader(
  cells: CsvCells,
  line: number,
  columns: ImportColumns,
  sink: RowSink,
): (ImportColumn | undefined)[] | null {
  const problem = shapeProblem(cells)
  if (problem !== undefined) {
    sink.fault(line, null, problem)
    return null
  }
  for (const [at, cell] of cells.entries())
    if (cell === null) sink.fault(line, null, `Column ${at + 1} has no name.`)
    else if (!columns.find(cell)) sink.fault(line, cell, columns.unknown(cell))
  return placeColumns(cells, columns, (column, message) => sink.fault(line, column, message))
}

function shapeProblem(cells: CsvCells): string | undefined {
  if (cells.some((cell) => cell?.includes('\r'))) return 'The lines end with CR alone; expected LF or CRLF.'
  return cells.length === 1 && cells[0]?.includes('\t')
    ? 'The columns are separated by tabs; expected semicolons or commas.'
    : undefined
}

const hintFor = ({ type }: ImportColumn, cell: string) =>
  type === 'num' && /^\s*-?\d+,\d+\s*$/.test(cell) ? ' With --decimal-comma, a comma is taken for the point.' : ''

// An empty cell is null, a quoted empty cell an empty text.
type CsvCells = (string | null)[]

interface CsvOptions {
  readonly separator: string
  readonly firstLine: number
  // `line` is the first line of the record.
  readonly onRecord: (cells: CsvCells, line: number) => void
  // `at` is the index of the cell.
  readonly onFault: (line: number, at: number, message: string) => void
}

// 'more': the end of the record is in the next block.
type QuotedRecord =
  | { readonly cells: CsvCells; readonly end: number }
  | { readonly at: number; readonly message: string }
  | 'more'

export function createCsvReader({ separator, firstLine, onRecord, onFault }: CsvOptions): RowParser {
  let rest = ''
  let line = firstLine

  return (block, isLast) => {
    const text = rest + block
    let from = 0
    let quoteAt = text.indexOf('"')
    while (from < text.length) {
      const newline = text.indexOf('\n', from)
      const end = newline < 0 ? text.length : newline
      if (quoteAt >= 0 && quoteAt < from) quoteAt = text.indexOf('"', from)
      if (quoteAt < 0 || quoteAt >= end) {
        const cells: CsvCells = text.slice(from, text[end - 1] === '\r' ? end - 1 : end).split(separator)
        let isEmpty = true
        for (let at = 0; at < cells.length; at++)
          if (cells[at] === '') cells[at] = null
          else isEmpty = false
        // Spreadsheets write empty rows.
        if (!isEmpty) onRecord(cells, line)
        line += 1
        from = end + 1
        continue
      }
      const read = readQuoted(text, from, separator, isLast)
      if (read === 'more') {
        if (text.length - from <= longestRecord) break
        onFault(line, 0, neverClosed)
      } else if ('cells' in read) {
        onRecord(read.cells, line)
        line += countLines(text, from, read.end)
        from = read.end
        continue
      } else onFault(line, read.at, read.message)
      line += 1
      from = end + 1
    }
    rest = text.slice(from)
  }
}

const neverClosed = 'A quote is opened and never closed; expected a second one after the value.'
const inTheMiddle = 'A quote stands within a value; expected the whole value in quotes, and each quote within it twice.'
const afterTheEnd = 'Something follows the closing quote; expected a separator, or each quote within the value twice.'

// Reads a record with a quote, which may span several lines.
function readQuoted(text: string, from: number, separator: string, isLast: boolean): QuotedRecord {
  const cells: CsvCells = []
  let at = from
  for (;;) {
    if (text[at] === '"') {
      let value = ''
      let begin = at + 1
      for (;;) {
        const quote = text.indexOf('"', begin)
        if (quote < 0 || (quote + 1 === text.length && !isLast))
          return isLast ? { at: cells.length, message: neverClosed } : 'more'
        const isDoubled = text[quote + 1] === '"'
        value += text.slice(begin, isDoubled ? quote + 1 : quote)
        begin = quote + (isDoubled ? 2 : 1)
        if (!isDoubled) break
      }
      at = begin
      cells.push(value)
    } else {
      const begin = at
      while (at < text.length && text[at] !== separator && text[at] !== '\n') at++
      const cell = text.slice(begin, text[at] !== separator && text[at - 1] === '\r' ? at - 1 : at)
      if (cell.includes('"')) return { at: cells.length, message: inTheMiddle }
      cells.push(cell === '' ? null : cell)
    }
    if (text[at] === separator) at += 1
    else {
      if (text[at] === '\r') at += 1
      if (at >= text.length) return { cells, end: at }
      if (text[at] === '\n') return { cells, end: at + 1 }
      return { at: cells.length - 1, message: afterTheEnd }
    }
  }
}

// The separator that gives more known column names.
export function findSeparator(header: string, isKnown: (name: string) => boolean): string {
  const known = (separator: string) =>
    header.split(separator).filter((name) => isKnown(name.replaceAll('"', ''))).length
  return known(';') > known(',') || (known(',') === known(';') && header.includes(';') && !header.includes(','))
    ? ';'
    : ','
}
