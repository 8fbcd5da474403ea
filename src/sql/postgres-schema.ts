// The schema in PostgreSQL.
import type { ColumnType } from '../contract/relation.ts'
import { columnType } from '../contract/relations.ts'
import { quote, type SchemaDialect } from './dialect.ts'
import { makeJournal } from './journal-postgres.ts'
import { columnLines, parentIndexName } from './schema.ts'

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
  tables(relation) {
    const definition = (name: string) =>
      `${quote(name)} ${postgresTypes[columnType(relation, name)]}${relation.key.includes(name) ? ' NOT NULL' : ''}`
    const lines = columnLines(relation, definition, [`PRIMARY KEY (${relation.key.map(quote).join(', ')})`])
    return [`CREATE TABLE IF NOT EXISTS ${quote(relation.name)} (\n${lines}\n)`]
  },

  // By the parent, then in the order in which its children are shown.
  indexes: (relation) =>
    relation.parent === undefined
      ? []
      : [
          `${createIndex} IF NOT EXISTS ${quote(parentIndexName(relation))} ON ${quote(relation.name)} (${quote(relation.parent)} NULLS FIRST, "id")`,
        ],

  journal: makeJournal(),
})

export const postgresSchema = schemaWith('CREATE INDEX')
// Does not block writers. To be run outside of transactions.
export const concurrentSchema = schemaWith('CREATE INDEX CONCURRENTLY')
