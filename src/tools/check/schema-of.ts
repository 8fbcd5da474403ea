// The schema of the contract as the connected engine writes it: what findings offer to be pasted.
import type { ColumnType } from '../../contract/relation.ts'
import type { SchemaDialect } from '../../sql/dialect.ts'
import { concurrentSchema, postgresTypes } from '../../sql/postgres-schema.ts'
import { sqliteSchema } from '../../sql/sqlite-schema.ts'
import { sqliteTypes } from '../../sql/sqlite-values.ts'
import type { Inquiry } from './question.ts'

type OfferedSchema = SchemaDialect & { readonly types: Readonly<Record<ColumnType, string>> }

const schemas: Readonly<Record<Inquiry['url']['kind'], OfferedSchema>> = {
  sqlite: { ...sqliteSchema, types: sqliteTypes },
  // Tills go on writing while an index is built.
  postgres: { ...concurrentSchema, types: postgresTypes },
}

export const schemaOf = ({ url }: Pick<Inquiry, 'url'>): OfferedSchema => schemas[url.kind]
