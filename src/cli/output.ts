// Where a command's words go: results on stdout, as JSON where asked for; messages for people on stderr.

export interface Output {
  readonly isJson: boolean
  // A result, as JSON (one line) or as text for people.
  result(json: unknown, text: string): void
  // A remark for people; never mixed with a result.
  remark(text: string): void
}

export function createOutput(isJson: boolean, stdout: NodeJS.WritableStream, stderr: NodeJS.WritableStream): Output {
  return {
    isJson,
    result: (json, text) => void stdout.write(isJson ? `${JSON.stringify(json)}\n` : `${text}\n`),
    remark: (text) => void stderr.write(`${text}\n`),
  }
}

// Columns as wide as their longest cell, two blanks apart.
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
