// What commands print: results on stdout, as text or JSON; messages and progress on stderr. Control characters in foreign
// text are escaped here; the only escape sequences that are written are the colours below.
import process from 'node:process'
import { printable, printableJson, printableLine } from '../terminal/printable.ts'
import { progressBar, type Progress } from '../terminal/progress.ts'

export interface ColouredText {
  readonly colour: keyof typeof colours
  readonly text: string
}
export type OutputText = string | readonly (string | ColouredText)[]

export interface Output {
  readonly isJson: boolean
  result(json: unknown, text: OutputText): void
  // One line on stderr.
  remark(text: string): void
}

export interface OutputStream {
  write(text: string): unknown
  readonly isTTY?: boolean
}

const colours = { bold: '1', red: '31', green: '32', yellow: '33', cyan: '36' } as const

export function createOutput(isJson: boolean, stdout: OutputStream, stderr: OutputStream, env = process.env): Output {
  const isColoured = stdout.isTTY === true && !env['NO_COLOR']
  const show = (piece: string | ColouredText) => {
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

// One JSON object for each record, or a table of them; `none` is the remark if there are none.
export function showList<Listed>(
  output: Output,
  records: readonly Listed[],
  { none, headings, row }: ListText<Listed>,
): void {
  if (output.isJson) for (const record of records) output.result(record, '')
  else if (records.length === 0) output.remark(none)
  else output.result(null, table([headings, ...records.map(row)]))
}

interface ListText<Listed> {
  readonly none: string
  readonly headings: readonly string[]
  readonly row: (record: Listed) => readonly string[]
}

// Runs a long job with a progress bar on stderr, or silently with --json.
export async function withProgress<Result>(
  output: Output,
  run: (onProgress: (step: Progress) => void, remark: (text: string) => void) => Promise<Result>,
): Promise<Result> {
  const bar = progressBar({ stream: process.stderr, quiet: output.isJson })
  try {
    const result = await run(
      (step) => bar.update(step),
      (text) => {
        bar.clear()
        output.remark(text)
      },
    )
    bar.finish()
    return result
  } catch (error) {
    bar.clear()
    throw error
  }
}
