// Rows → a CSV file to download (RFC 4180). A spreadsheet would run a text that begins like a formula, so such a text gets an
// apostrophe in front. A mark at the beginning tells Excel that the letters are UTF-8.
import { timeWithOffset } from '../../platform/clock.ts'
import type { Reply } from '../../http/exchange.ts'
import { refused } from './exchange.ts'
import type { ConsoleOptions } from './request.ts'

// Larger files are refused, because a file is made in memory.
export const mostRows = 100_000

type Cell = string | number | null

// The name of the file ends with the day.
export function csvFile(
  name: string,
  { timeZone, clock }: Pick<ConsoleOptions, 'timeZone' | 'clock'>,
  heading: readonly string[],
  rows: readonly (readonly Cell[])[],
): Reply {
  if (rows.length > mostRows) return refused(400, 'too_many_rows', { most: mostRows })
  const day = timeWithOffset(timeZone)(clock.now()).slice(0, 10)
  return {
    status: 200,
    headers: {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': `attachment; filename="${name}-${day}.csv"`,
    },
    body: `\uFEFF${[heading, ...rows].map((row) => `${row.map(cellText).join(',')}\r\n`).join('')}`,
  }
}

function cellText(value: Cell): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
