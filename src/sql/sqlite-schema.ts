// The schema in SQLite. It must run on any SQLite from 3.40 on, triggers included, without a function of ours: the tills write
// the file with their own SQLite.
import type { ColumnType } from '../contract/relation.ts'
import type { SchemaDialect } from './dialect.ts'
import { makeJournal } from './journal-sqlite.ts'
import { createParentIndex, createTable } from './schema.ts'

export const sqliteTypes: Record<ColumnType, string> = {
  int: 'INTEGER',
  num: 'REAL',
  text: 'TEXT',
  bool: 'INTEGER',
  time: 'TEXT',
  day: 'TEXT',
}

export const sqliteSchema: SchemaDialect = {
  // '' and 0000-00-00 are smaller than 0001: both are empty dates. A blank stands for a T.
  read(type, expression) {
    if (type === 'time')
      return `CASE WHEN ${expression} > '0001' THEN replace(substr(${expression}, 1, 19), ' ', 'T') END`
    if (type === 'day') return `CASE WHEN ${expression} > '0001' THEN substr(${expression}, 1, 10) END`
    return expression
  },
  // NOCASE folds ASCII letters and compares bytes, which for UTF-8 is the order of code points.
  textOrder: (expression) => `${expression} COLLATE NOCASE`,

  tables(relation) {
    const isKeyInline = relation.key.length === 1
    return [`${createTable(relation, sqliteTypes, isKeyInline)} ${isKeyInline ? 'STRICT' : 'STRICT, WITHOUT ROWID'}`]
  },
  // Every index of SQLite ends with the row id.
  indexes: (relation) => createParentIndex('CREATE INDEX', relation),
  journal: makeJournal(),
}
