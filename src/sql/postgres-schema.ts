// The schema in PostgreSQL.
import type { ColumnType } from '../contract/relation.ts'
import type { SchemaDialect } from './dialect.ts'
import { makeJournal } from './journal-postgres.ts'
import { createParentIndex, createTable } from './schema.ts'

export const postgresTypes: Record<ColumnType, string> = {
  int: 'bigint',
  num: 'numeric',
  text: 'text',
  bool: 'boolean',
  time: 'timestamp',
  day: 'date',
}

const schemaWith = (createIndex: string): SchemaDialect => ({
  read: (type, expression) => (type === 'time' ? `date_trunc('second', ${expression})` : expression),
  // In the collation "C", lower() folds ASCII letters only and text compares by byte.
  textOrder: (expression) => `(lower(${expression} COLLATE "C") COLLATE "C")`,
  tables: (relation) => [createTable(relation, postgresTypes, false)],
  // By the parent, then in the order in which its children are shown.
  indexes: (relation) => createParentIndex(createIndex, relation, ' NULLS FIRST, "id"'),
  journal: makeJournal(),
})

export const postgresSchema = schemaWith('CREATE INDEX')
// Does not block writers. To be run outside of transactions.
export const concurrentSchema = schemaWith('CREATE INDEX CONCURRENTLY')
