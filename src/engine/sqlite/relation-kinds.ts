// Whether all relations are tables. What a view shows may change without anybody writing (a date compared with today's), so
// nothing of it is remembered.
import { relations } from '../../contract/relations.ts'
import type { Sqlite } from '../../platform/sqlite.ts'

const names = relations.map(({ name }) => `'${name}'`).join(', ')
const tables = `SELECT count(*) AS tables FROM sqlite_schema
  WHERE type = 'table' AND lower(name) IN (${names}) AND sql NOT LIKE 'CREATE VIRTUAL %'`

export const areTables = (sqlite: Sqlite): boolean => sqlite.prepare(tables).get()?.['tables'] === relations.length
