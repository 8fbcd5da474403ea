// The whole schema of the source contract in a dialect, as one script; `schema apply` goes by smaller steps.
import { tallies } from '../catalogue/tallies.ts'
import { relations, searchedRelations } from '../contract/relations.ts'
import type { SchemaDialect } from './dialect.ts'

// Tables come first and alone, so that a bulk load can run between them and the indexes.
export const tableStatements = (dialect: SchemaDialect) => relations.flatMap((each) => dialect.tables(each))

export const indexStatements = (dialect: SchemaDialect) => [
  ...dialect.beforeIndexes,
  ...relations.flatMap((each) => [...dialect.indexes(each), ...dialect.searchIndex(each)]),
]

// The last of all: nothing changes the schema after it.
export const trustStatements = (dialect: SchemaDialect) => dialect.trust(tallies, searchedRelations)

// Tallies come last: what is written before them is counted at once, what is written after them row by row.
export const tallyStatements = (dialect: SchemaDialect) => [
  ...tallies.flatMap((each) => dialect.tally(each)),
  ...trustStatements(dialect),
]

export const schemaStatements = (dialect: SchemaDialect) => [
  ...tableStatements(dialect),
  ...indexStatements(dialect),
  ...tallyStatements(dialect),
]

// For others to run, statement by statement, while somebody may be writing: what is written meanwhile waits, and is counted.
export const schemaScript = (dialect: SchemaDialect) => [
  ...tableStatements(dialect),
  ...indexStatements(dialect),
  ...tallies.flatMap((each) => [dialect.begin, ...dialect.tally(each), 'COMMIT']),
  ...trustStatements(dialect),
]
