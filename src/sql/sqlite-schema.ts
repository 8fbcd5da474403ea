// The schema in SQLite. It must run on any SQLite from 3.40 on, triggers included, without a function of
// ours: the point-of-sale system writes the file with its own.
import { columnType } from '../contract/relations.ts'
import { quote, type SchemaDialect } from './dialect.ts'
import { makeJournal } from './journal-sqlite.ts'
import { columnLines, parentIndexName } from './shared-terms.ts'
import { readSqlite, sqliteTypes } from './sqlite-values.ts'

export const sqliteSchema: SchemaDialect = {
  read: readSqlite,
  // NOCASE folds the ASCII letters and compares bytes, which for UTF-8 is the order of code points.
  textOrder: (expression) => `${expression} COLLATE NOCASE`,

  tables(relation) {
    const single = relation.key.length === 1
    const keyWords = single ? ' PRIMARY KEY' : ' NOT NULL'
    const definition = (name: string) =>
      `${quote(name)} ${sqliteTypes[columnType(relation, name)]}${relation.key.includes(name) ? keyWords : ''}`
    const key = single ? [] : [`PRIMARY KEY (${relation.key.map(quote).join(', ')})`]
    const options = single ? 'STRICT' : 'STRICT, WITHOUT ROWID'
    const lines = columnLines(relation, definition, key)
    return [`CREATE TABLE IF NOT EXISTS ${quote(relation.name)} (\n${lines}\n) ${options}`]
  },

  // The row id ends every index by itself.
  indexes: (relation) =>
    relation.parent === undefined
      ? []
      : [
          `CREATE INDEX IF NOT EXISTS ${quote(parentIndexName(relation))} ON ${quote(relation.name)} (${quote(relation.parent)})`,
        ],

  journal: makeJournal(),
}
