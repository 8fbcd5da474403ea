// The schema of the source contract in a dialect, as statements, and the parts of it that the dialects share.
import type { Relation } from '../contract/relation.ts'
import { relations } from '../contract/relations.ts'
import type { SchemaDialect } from './dialect.ts'

// Separate, so that a bulk load can run between the tables and the rest.
export const tableStatements = (dialect: SchemaDialect) => relations.flatMap((each) => dialect.tables(each))
export const indexStatements = (dialect: SchemaDialect) => relations.flatMap((each) => dialect.indexes(each))

const withJournal = (dialect: SchemaDialect, journal: readonly string[]) => [
  ...tableStatements(dialect),
  ...indexStatements(dialect),
  ...journal,
]

export const schemaStatements = (dialect: SchemaDialect) => withJournal(dialect, dialect.journal)

// For an operator to run on a database without a journal.
export const schemaScript = (dialect: SchemaDialect) => withJournal(dialect, ['BEGIN', ...dialect.journal, 'COMMIT'])

// The columns of a table, one per line, each with a comment on its codes for the people who fill the table.
export function columnLines(relation: Relation, definition: (name: string) => string, more: readonly string[]): string {
  const columns = Object.keys(relation.columns).map((name) => {
    const codes = relation.codes[name]?.map(({ code, label }) => `${code} ${label}`).join(', ')
    return { text: definition(name), comment: codes ? ` -- ${codes}` : '' }
  })
  const lines = [...columns, ...more.map((text) => ({ text, comment: '' }))]
  return lines.map(({ text, comment }, at) => `  ${text}${at < lines.length - 1 ? ',' : ''}${comment}`).join('\n')
}

export const parentIndexName = ({ name, parent }: Relation) => `${name}_by_${parent}`
