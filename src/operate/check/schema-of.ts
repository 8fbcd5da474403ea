// The schema of the contract as the connected engine writes it: what findings offer to be pasted.
import { quoteName } from '../../platform/postgres/names.ts'
import type { ColumnType } from '../../contract/relation.ts'
import type { SchemaDialect } from '../../sql/dialect.ts'
import { concurrentSchema, postgresTypes } from '../../sql/postgres-schema.ts'
import { sqliteSchema, sqliteTypes } from '../../sql/sqlite-schema.ts'
import type { Inquiry } from './question.ts'

type OfferedSchema = SchemaDialect & { readonly types: Readonly<Record<ColumnType, string>> }

const schemas: Readonly<Record<Inquiry['url']['kind'], OfferedSchema>> = {
  sqlite: { ...sqliteSchema, types: sqliteTypes },
  // Tills go on writing while an index is built.
  postgres: { ...concurrentSchema, types: postgresTypes },
}

export const schemaOf = ({ url }: Pick<Inquiry, 'url'>): OfferedSchema => schemas[url.kind]

// As they can be pasted into any session: a fresh one on PostgreSQL makes and looks for everything in the schema public. Where
// something of another schema is named, too, that comes after.
export const pasted = (
  { url }: Pick<Inquiry, 'url'>,
  statements: readonly string[],
  otherSchemas: readonly string[] = [],
): string[] =>
  url.kind === 'postgres'
    ? [`SET search_path TO ${[...new Set([url.schema, ...otherSchemas])].map(quoteName).join(', ')}`, ...statements]
    : [...statements]
