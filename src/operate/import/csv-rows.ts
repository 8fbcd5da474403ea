// A CSV file with a header row → rows of a relation.
import { twice, type Column, type Columns, type RowSink, type RowSource } from './columns.ts'
import { createCsvReader, findSeparator, type CsvCells } from './csv.ts'
import { foundText, wrongValue, type StoredValue } from './values.ts'

export function csvRows(columns: Columns, sink: RowSink): RowSource {
  let reader: ReturnType<typeof createCsvReader> | undefined
  // By the place in a record; undefined where the header has a name that is none. Null: there is no header to go by.
  let header: (Column | undefined)[] | null | undefined
  let line = 1

  const onRecord = (cells: CsvCells, at: number) => {
    if (header === undefined) header = readHeader(cells, at, columns, sink)
    else if (header) readRecord(cells, at, header)
  }
  const readRecord = (cells: CsvCells, at: number, names: (Column | undefined)[]) => {
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
    // Without its key nobody knows which row it is.
    if (hasKey) sink.row(at, values)
  }
  // The first line that holds something is the header; spreadsheets may have named the separator before it.
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
  return {
    feed(text, isLast) {
      const rest = reader ? text : begin(text)
      reader?.feed(rest, isLast)
      if (isLast && header === undefined) sink.fault(null, null, 'The file is empty; expected a header row.')
    },
  }
}

const counted = (count: number) => `${count} ${count === 1 ? 'value' : 'values'}`

// Null where the records cannot be told apart by it.
function readHeader(cells: CsvCells, line: number, columns: Columns, sink: RowSink): (Column | undefined)[] | null {
  const seen = new Set<Column>()
  const problem = shapeProblem(cells)
  if (problem !== undefined) {
    sink.fault(line, null, problem)
    return null
  }
  const header = cells.map((cell, place) => {
    const column = columns.find(cell ?? '')
    if (!column) {
      const fault = cell === null ? `Column ${place + 1} has no name.` : columns.unknown(cell)
      sink.fault(line, cell, fault)
    } else if (seen.has(column)) sink.fault(line, column.name, twice)
    else seen.add(column)
    return column
  })
  const lacking = columns.keys.filter((column) => !seen.has(column))
  for (const { name } of lacking) sink.fault(line, name, 'The column is not there; expected the key of the relation.')
  return lacking.length > 0 ? null : header
}

function shapeProblem(cells: CsvCells): string | undefined {
  if (cells.some((cell) => cell?.includes('\r'))) return 'The lines end with CR alone; expected LF or CRLF.'
  return cells.length === 1 && cells[0]?.includes('\t')
    ? 'The columns are separated by tabs; expected semicolons or commas.'
    : undefined
}

// Of a comma that may stand for the point.
const hintFor = ({ type }: Column, cell: string) =>
  type === 'num' && /^\s*-?\d+,\d+\s*$/.test(cell) ? ' With --decimal-comma, a comma is taken for the point.' : ''
