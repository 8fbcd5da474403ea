// A stored value in PostgreSQL as the service shows it.
import type { ColumnType } from '../contract/relation.ts'

export const readPostgres = (type: ColumnType, expression: string) =>
  type === 'time' ? `date_trunc('second', ${expression})` : expression
