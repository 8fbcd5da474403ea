// Results as a table and a small chart for a terminal of 80 columns; a wider one also shows the figures behind each value.
import type { Result } from './results.ts'
import type { Unit } from './rows/row.ts'

const widths = { name: 42, value: 10, target: 11, verdict: 7, peer: 8 }
const narrow = 80
const wide = 110
const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

export function table(results: readonly Result[], columns: number): string {
  const lines = results.map(({ row, value, target, isPassed, raw, note, peer }) => {
    const cells =
      row.name.padEnd(widths.name) +
      shown(value, row.unit).padStart(widths.value) +
      `${row.isLeast ? '≥' : '≤'} ${shown(target, row.unit, true)}`.padStart(widths.target) +
      (isPassed ? 'pass' : 'SHORT').padStart(widths.verdict) +
      (peer ? shown(peer.value, row.unit) : '').padStart(widths.peer)
    const details = Object.entries(raw).map(([name, figure]) => `${name} ${figure}`)
    return columns < wide ? cells : `${cells}  ${[...(note ? [note] : []), ...details].join('; ')}`.slice(0, columns)
  })
  const head =
    ''.padEnd(widths.name) +
    'measured'.padStart(widths.value) +
    'target'.padStart(widths.target) +
    ''.padStart(widths.verdict) +
    'peer'.padStart(widths.peer)
  return [head, ...lines].join('\n')
}

function shown(value: number, unit: Unit, isTarget = false): string {
  if (unit === 'objects') return `${value}`
  if (unit === 'records/s' || unit === 'requests/s') return `${Math.round(value).toLocaleString('en')}/s`
  if (unit === 'MB') return `${Math.round(value)} MB`
  const digits = isTarget ? String(value) : digitsOf(value)
  return unit === 'of bare' ? digits : `${digits} ${unit}`
}

function digitsOf(value: number): string {
  if (value >= 100) return value.toFixed(0)
  if (value >= 10) return value.toFixed(1)
  return value >= 0.1 ? value.toFixed(2) : value.toFixed(4)
}

/** How much of its target each row uses: a bar that ends left of the mark passes. */
export function chart(results: readonly Result[], columns: number): string {
  const room = Math.min(columns < narrow ? narrow : columns, 120) - widths.name - 9
  // The mark is in the middle; a row that uses more than twice its target gets an arrow.
  const mark = Math.floor(room / 2)
  const lines = results.map(({ row, used }) => {
    const bar = [...barOf(Math.min(used * mark, room - 1)).padEnd(room)]
    if (used > 2) bar[room - 1] = '▶'
    if (bar[mark] === ' ') bar[mark] = '│'
    return `${row.name.padEnd(widths.name)} ${bar.join('')} ${used.toFixed(2).padStart(6)}`
  })
  return [`${'share of the target used'.padEnd(widths.name)} ${' '.repeat(mark)}│ target`, ...lines].join('\n')
}

function barOf(cells: number): string {
  const whole = Math.floor(cells)
  return '█'.repeat(whole) + (eighths[Math.floor((cells - whole) * 8)] ?? '')
}

export function notes(results: readonly Result[]): string {
  const short = results.filter(({ isPassed }) => !isPassed).length
  const judged = `${results.length - short} of ${results.length} rows pass.`
  const deepest = results.flatMap(({ deepestPage }) => deepestPage ?? [])
  const [least, most] = [Math.min(...deepest), Math.max(...deepest)].map((page) => page.toLocaleString('en'))
  if (deepest.length === 0 || least === '9,000') return judged
  return `${judged} "deep" is the last full page up to 9,000:\nhere page ${most}, with a filter down to page ${least}.`
}
