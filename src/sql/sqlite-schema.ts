// The schema in SQLite. It must run on any SQLite from 3.40 on, triggers and search indexes included, without a function
// of ours: the point-of-sale system writes the file with its own.
import { columnType } from '../contract/relations.ts'
import { quote, type SchemaDialect } from './dialect.ts'
import { columnLines, indexName, indexTerms } from './shared-terms.ts'
import { fillSearch, makeSearch, numberCells, trustSearch } from './sqlite-search.ts'
import { sqliteTally, trustSqliteTally } from './sqlite-tallies.ts'
import { readSqlite, sqliteTypes } from './sqlite-values.ts'

export const sqliteSchema: SchemaDialect = {
  read: readSqlite,
  // NOCASE folds the ASCII letters and compares bytes, which for UTF-8 is the order of code points.
  textOrder: (expression) => `${expression} COLLATE NOCASE`,

  beforeIndexes: [],

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
  indexes(relation) {
    return relation.indexes.map((terms) => {
      const list = indexTerms(sqliteSchema, relation, terms).join(', ')
      return `CREATE INDEX IF NOT EXISTS ${quote(indexName(relation, terms))} ON ${quote(relation.name)} (${list})`
    })
  },

  searchIndex: (relation) =>
    relation.search.length === 0 ? [] : [...makeSearch(relation), numberCells(relation), ...fillSearch(relation)],

  begin: 'BEGIN IMMEDIATE',
  tally: sqliteTally,
  trust: (tallies, searched) => [...tallies.map(trustSqliteTally), ...searched.map(trustSearch)],
}
