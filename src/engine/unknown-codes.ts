// Stored codes that have no label are told to the operator, each once; a column full of nonsense is not told value by value.
import type { OnUnknownCode } from './json.ts'

const mostReports = 1000

export function tellOnce(tell: (column: string, code: string) => void): OnUnknownCode {
  const told = new Set<string>()
  return (column, code) => {
    const shown = String(code)
    if (told.has(`${column} ${shown}`) || told.size >= mostReports) return
    told.add(`${column} ${shown}`)
    tell(column, shown)
  }
}
