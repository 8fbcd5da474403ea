// The schema in SQLite. It must run on any SQLite from 3.40 on, triggers and search indexes included, without a function
// of ours: the point-of-sale system writes the file with its own.
import type { Relation } from '../contract/relation.ts'
import { columnType } from '../contract/relations.ts'
import { quote, type SchemaDialect } from './dialect.ts'
import { columnLines, indexName, indexTerms } from './shared-terms.ts'
import { sqliteTally, trustSqliteTally } from './sqlite-tallies.ts'
import { readSqlite, sqliteTypes } from './sqlite-values.ts'

export const searchTable = (relation: Relation) => `${relation.name}_search`

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

  // The search table keeps its own copy of the words, so that a writer's INSERT OR REPLACE (which fires no delete
  // trigger) cannot leave it wrong: each trigger removes by row id, then adds.
  searchIndex(relation) {
    if (relation.search.length === 0) return []
    const search = quote(searchTable(relation))
    const table = quote(relation.name)
    const words = (row: string) =>
      relation.search.map((name) => `coalesce(${row}${quote(name)}, '')`).join(' || char(10) || ')
    const remove = (row: string) => `DELETE FROM ${search} WHERE rowid = ${row}."id";`
    const add = `INSERT INTO ${search} (rowid, words) VALUES (new."id", ${words('new.')});`
    const changed = ['id', ...relation.search]
      .map((name) => `old.${quote(name)} IS NOT new.${quote(name)}`)
      .join(' OR ')
    const trigger = (event: string, when: string, body: string) =>
      `CREATE TRIGGER IF NOT EXISTS ${quote(`${relation.name}_search_${event.toLowerCase()}`)} AFTER ${event} ON ${table}${when}\n` +
      `BEGIN\n  ${body}\nEND`
    return [
      `CREATE VIRTUAL TABLE IF NOT EXISTS ${search} USING fts5 (words, tokenize = 'trigram', detail = none, columnsize = 0)`,
      trigger('INSERT', '', `${remove('new')}\n  ${add}`),
      trigger('UPDATE', ` WHEN ${changed}`, `${remove('old')}\n  ${remove('new')}\n  ${add}`),
      trigger('DELETE', '', remove('old')),
      // Rows that were there before the triggers.
      `INSERT INTO ${search} (rowid, words) SELECT "id", ${words('')} FROM ${table}\n` +
        `WHERE "id" NOT IN (SELECT rowid FROM ${search})`,
    ]
  },

  begin: 'BEGIN IMMEDIATE',
  tally: sqliteTally,
  trust: (tallies) => tallies.map(trustSqliteTally),
}
