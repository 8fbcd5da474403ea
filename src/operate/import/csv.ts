// The text of a CSV file (RFC 4180), block by block → its records. What is wrong with a quote costs that record alone: it goes on
// with the next line. A line without a quote, as nearly all are, is only split.
import { longestRecord } from './blocks.ts'

// An empty cell is null, a quoted empty one an empty text.
export type CsvCells = (string | null)[]

interface CsvOptions {
  readonly separator: string
  readonly firstLine: number
  // The line on which the record begins.
  readonly onRecord: (cells: CsvCells, line: number) => void
  // `at`: in which cell, from 0.
  readonly onFault: (line: number, at: number, message: string) => void
}

interface Fault {
  readonly at: number
  readonly message: string
}
type Read = { readonly cells: CsvCells; readonly end: number } | Fault | 'more'

export function createCsvReader({ separator, firstLine, onRecord, onFault }: CsvOptions) {
  let rest = ''
  let line = firstLine

  return {
    feed(block: string, isLast: boolean): void {
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
          // Spreadsheets write rows that hold nothing.
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
    },
  }
}

const neverClosed = 'A quote is opened and never closed; expected a second one after the value.'
const inTheMiddle = 'A quote stands within a value; expected the whole value in quotes, and each quote within it twice.'
const afterTheEnd = 'Something follows the closing quote; expected a separator, or each quote within the value twice.'

// A record with a quote somewhere, which may reach over several lines. 'more': it is not yet there whole.
function readQuoted(text: string, from: number, separator: string, isLast: boolean): Read {
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

function countLines(text: string, from: number, end: number): number {
  let count = 0
  for (let at = text.indexOf('\n', from); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

// Which of the two it is follows from the header: no name holds either.
export function findSeparator(header: string, isKnown: (name: string) => boolean): string {
  const known = (separator: string) =>
    header.split(separator).filter((name) => isKnown(name.replaceAll('"', ''))).length
  return known(';') > known(',') || (known(',') === known(';') && header.includes(';') && !header.includes(','))
    ? ';'
    : ','
}
