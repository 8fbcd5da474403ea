// A stored value in SQLite as the service shows it.
import type { ColumnType } from '../contract/relation.ts'

// '' and 0000-00-00 are smaller than 0001: both are empty dates. A blank is read as the T it stands for.
export function readSqlite(type: ColumnType, expression: string): string {
  if (type === 'time')
    return `CASE WHEN ${expression} > '0001' THEN replace(substr(${expression}, 1, 19), ' ', 'T') END`
  if (type === 'day') return `CASE WHEN ${expression} > '0001' THEN substr(${expression}, 1, 10) END`
  return expression
}
