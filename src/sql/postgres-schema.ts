// The schema in PostgreSQL.
import type { ColumnType } from '../contract/relation.ts'
import { columnType } from '../contract/relations.ts'
import { quote, type SchemaDialect } from './dialect.ts'
import { makeJournal } from './journal-postgres.ts'
import { readPostgres } from './postgres-values.ts'
import { columnLines, parentIndexName } from './shared-terms.ts'

export const postgresTypes: Record<ColumnType, string> = {
  int: 'bigint',
  num: 'numeric',
  text: 'text',
  bool: 'boolean',
  time: 'timestamp',
  day: 'date',
}

const expressions: Pick<SchemaDialect, 'read' | 'textOrder'> = {
  read: readPostgres,
  // In the collation "C", lower() folds the ASCII letters alone and text compares by byte.
  textOrder: (expression) => `(lower(${expression} COLLATE "C") COLLATE "C")`,
}

const schemaWith = (createIndex: string): SchemaDialect => ({
  ...expressions,
  tables(relation) {
    const definition = (name: string) =>
      `${quote(name)} ${postgresTypes[columnType(relation, name)]}${relation.key.includes(name) ? ' NOT NULL' : ''}`
    const lines = columnLines(relation, definition, [`PRIMARY KEY (${relation.key.map(quote).join(', ')})`])
    return [`CREATE TABLE IF NOT EXISTS ${quote(relation.name)} (\n${lines}\n)`]
  },

  // By the record, then in the order in which its parts are shown.
  indexes: (relation) =>
    relation.parent === undefined
      ? []
      : [
          `${createIndex} IF NOT EXISTS ${quote(parentIndexName(relation))} ON ${quote(relation.name)} (${quote(relation.parent)} NULLS FIRST, "id")`,
        ],

  journal: makeJournal(),
})

export const postgresSchema = schemaWith('CREATE INDEX')
// While others write; outside of transactions.
export const concurrentSchema = schemaWith('CREATE INDEX CONCURRENTLY')
