// The schema of the source contract in a dialect, as statements, and the parts of it that the dialects share.
import type { ColumnType, Relation } from '../contract/relation.ts'
import { columnType, relations } from '../contract/relations.ts'
import { quote, type SchemaDialect } from './dialect.ts'

// Separate, so that a bulk load can run between the tables and the rest.
export const tableStatements = (dialect: SchemaDialect) => relations.flatMap((each) => dialect.tables(each))
export const indexStatements = (dialect: SchemaDialect) => relations.flatMap((each) => dialect.indexes(each))

export const schemaStatements = (dialect: SchemaDialect, journal = dialect.journal) => [
  ...tableStatements(dialect),
  ...indexStatements(dialect),
  ...journal,
]

// For an operator to run on a database without a journal.
export const schemaScript = (dialect: SchemaDialect) =>
  schemaStatements(dialect, ['BEGIN', ...dialect.journal, 'COMMIT'])

// One column per line, each with a comment on its codes for the people who fill the table. `isKeyInline`: the key is one column.
export function createTable(relation: Relation, types: Readonly<Record<ColumnType, string>>, isKeyInline: boolean) {
  const keyWords = isKeyInline ? ' PRIMARY KEY' : ' NOT NULL'
  const columns = Object.keys(relation.columns).map((name) => {
    const text = `${quote(name)} ${types[columnType(relation, name)]}${relation.key.includes(name) ? keyWords : ''}`
    const codes = relation.codes[name]?.map(({ code, label }) => `${code} ${label}`).join(', ')
    return { text, comment: codes ? ` -- ${codes}` : '' }
  })
  if (!isKeyInline) columns.push({ text: `PRIMARY KEY (${relation.key.map(quote).join(', ')})`, comment: '' })
  const lines = columns.map(({ text, comment }, at) => `  ${text}${at < columns.length - 1 ? ',' : ''}${comment}`)
  return `CREATE TABLE IF NOT EXISTS ${quote(relation.name)} (\n${lines.join('\n')}\n)`
}

// Without a default, so that no row is written.
export const addColumns = (
  relation: Relation,
  columns: readonly string[],
  types: Readonly<Record<ColumnType, string>>,
): string[] =>
  columns.map(
    (name) => `ALTER TABLE ${quote(relation.name)} ADD COLUMN ${quote(name)} ${types[columnType(relation, name)]}`,
  )

export const parentIndexName = ({ name, parent }: Relation) => `${name}_by_${parent}`

// By the parent, then in the order of `more`. None for a relation without a parent.
export function createParentIndex(create: string, relation: Relation, more = ''): string[] {
  if (relation.parent === undefined) return []
  const name = quote(parentIndexName(relation))
  return [`${create} IF NOT EXISTS ${name} ON ${quote(relation.name)} (${quote(relation.parent)}${more})`]
}
