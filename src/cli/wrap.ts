// Text within so many columns.

// Pieces that are never broken themselves, with a blank between two; what is wider than a line stands in one of its own.
export function fill(pieces: readonly string[], width: number, first = '', following = first): string {
  const lines: string[] = []
  let line = first
  let isStart = true
  for (const piece of pieces) {
    if (!isStart && line.length + 1 + piece.length > width) {
      lines.push(line)
      line = following
      isStart = true
    }
    line += isStart ? piece : ` ${piece}`
    isStart = false
  }
  return [...lines, line].join('\n')
}

export const wrapText = (text: string, width: number, indent = ''): string =>
  fill(text.trim().split(/\s+/), width, indent)
