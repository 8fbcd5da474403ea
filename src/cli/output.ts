// Where a command's words go: results on stdout, as JSON where asked for; messages for people on stderr. Whatever foreign text
// stands in them is made safe to print here; the only escape sequences that are written are the colours below.
import process from 'node:process'
import { printable, printableJson, printableLine } from '../../client/pull/printable.ts'

export interface Painted {
  readonly colour: keyof typeof colours
  readonly text: string
}
// Pieces that follow one another.
export type Text = string | readonly (string | Painted)[]

export interface Output {
  readonly isJson: boolean
  // A result, as JSON (one line) or as text for people.
  result(json: unknown, text: Text): void
  // A remark for people, of one line; never mixed with a result.
  remark(text: string): void
}

export interface Stream {
  write(text: string): unknown
  readonly isTTY?: boolean
}

const colours = { bold: '1', red: '31', green: '32', yellow: '33', cyan: '36' } as const

export function createOutput(isJson: boolean, stdout: Stream, stderr: Stream, env = process.env): Output {
  const isColoured = stdout.isTTY === true && !env['NO_COLOR']
  const show = (piece: string | Painted) => {
    if (typeof piece === 'string') return printable(piece)
    const text = printable(piece.text)
    return isColoured ? `\u001B[${colours[piece.colour]}m${text}\u001B[0m` : text
  }
  return {
    isJson,
    result: (json, text) =>
      void stdout.write(isJson ? `${printableJson(JSON.stringify(json))}\n` : `${[text].flat().map(show).join('')}\n`),
    remark: (text) => void stderr.write(`${printableLine(text)}\n`),
  }
}

// Columns as wide as their longest cell, two blanks apart.
export function table(rows: readonly (readonly string[])[]): string {
  const shown = rows.map((row) => row.map(printableLine))
  const widths = (shown[0] ?? []).map((_, at) => Math.max(...shown.map((row) => row[at]?.length ?? 0)))
  return shown
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
