// The schema in PostgreSQL.
import type { ColumnType } from '../contract/relation.ts'
import { columnType } from '../contract/relations.ts'
import { quote, type SchemaDialect } from './dialect.ts'
import { postgresTally } from './postgres-tallies.ts'
import { trigramIndex } from './postgres-trigrams.ts'
import { readPostgres } from './postgres-values.ts'
import { columnLines, indexName, indexTerms, searchIndexName } from './shared-terms.ts'

export const postgresTypes: Record<ColumnType, string> = {
  int: 'bigint',
  num: 'numeric',
  text: 'text',
  bool: 'boolean',
  time: 'timestamp',
  day: 'date',
}

// Compared by code point, whatever the locale of the database.
export const searchTerm = (expression: string) => `${expression} COLLATE "C"`

// Search indexes need it.
export const makeExtension = 'CREATE EXTENSION IF NOT EXISTS pg_trgm'

const expressions: Pick<SchemaDialect, 'read' | 'textOrder'> = {
  read: readPostgres,
  // In the collation "C", lower() folds the ASCII letters alone and text compares by byte.
  textOrder: (expression) => `(lower(${expression} COLLATE "C") COLLATE "C")`,
}

const schemaWith = (createIndex: string): SchemaDialect => ({
  ...expressions,
  beforeIndexes: [makeExtension],

  tables(relation) {
    const definition = (name: string) =>
      `${quote(name)} ${postgresTypes[columnType(relation, name)]}${relation.key.includes(name) ? ' NOT NULL' : ''}`
    const lines = columnLines(relation, definition, [`PRIMARY KEY (${relation.key.map(quote).join(', ')})`])
    return [`CREATE TABLE IF NOT EXISTS ${quote(relation.name)} (\n${lines}\n)`]
  },

  // Empty values come first, as in every list, so that one index serves both directions. The key is never empty and goes
  // without, in the lists too: its own index has no such order.
  indexes(relation) {
    return relation.indexes.map((terms) => {
      const list = indexTerms(expressions, relation, terms).map((term) => `${term} NULLS FIRST`)
      const name = quote(indexName(relation, terms))
      return `${createIndex} IF NOT EXISTS ${name} ON ${quote(relation.name)} (${[...list, '"id"'].join(', ')})`
    })
  },

  searchIndex(relation) {
    return relation.search.map((name) => {
      const index = quote(searchIndexName(relation, name))
      const how = trigramIndex(searchTerm(quote(name)))
      return `${createIndex} IF NOT EXISTS ${index} ON ${quote(relation.name)} ${how}`
    })
  },

  begin: 'BEGIN',
  tally: postgresTally,
  // Part of making it: the server tells of each relation and trigger by itself whether it is still the same.
  trust: () => [],
})

export const postgresSchema = schemaWith('CREATE INDEX')
// While others write; outside of transactions.
export const concurrentSchema = schemaWith('CREATE INDEX CONCURRENTLY')
