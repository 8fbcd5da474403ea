// How values are stored in SQLite, and how the service shows them.
import type { ColumnType } from '../contract/relation.ts'

export const sqliteTypes: Record<ColumnType, string> = {
  int: 'INTEGER',
  num: 'REAL',
  text: 'TEXT',
  bool: 'INTEGER',
  time: 'TEXT',
  day: 'TEXT',
}

// '' and 0000-00-00 are smaller than 0001: both are empty dates. A blank is read as the T it stands for.
export function readSqlite(type: ColumnType, expression: string): string {
  if (type === 'time')
    return `CASE WHEN ${expression} > '0001' THEN replace(substr(${expression}, 1, 19), ' ', 'T') END`
  if (type === 'day') return `CASE WHEN ${expression} > '0001' THEN substr(${expression}, 1, 10) END`
  return expression
}

// node:sqlite cannot interrupt a statement: one row in about a thousand asks whether to go on. A prime, because ids may come
// in steps of 2, 10 or 1,000.
export const keepGoing = (id: string) => `(${id} % 1021 OR keep_going())`
