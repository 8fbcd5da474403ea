// The whole schema of the source contract in a dialect, as one script; `schema apply` goes by smaller steps.
import { relations } from '../contract/relations.ts'
import type { SchemaDialect } from './dialect.ts'

// Tables come first and alone, so that a bulk load can run between them and the rest.
export const tableStatements = (dialect: SchemaDialect) => relations.flatMap((each) => dialect.tables(each))

export const indexStatements = (dialect: SchemaDialect) => relations.flatMap((each) => dialect.indexes(each))

export const schemaStatements = (dialect: SchemaDialect) => [
  ...tableStatements(dialect),
  ...indexStatements(dialect),
  ...dialect.journal,
]

// For others to run, on a database without a journal.
export const schemaScript = (dialect: SchemaDialect) => [
  ...tableStatements(dialect),
  ...indexStatements(dialect),
  'BEGIN',
  ...dialect.journal,
  'COMMIT',
]
