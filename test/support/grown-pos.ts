// A company that has grown, on PostgreSQL: every relation of documents, people and goods with many rows, made by the
// server itself. Nothing is spread evenly over time, as in life: a store was closed, a status is of old documents alone.
import { relations } from '../../src/contract/relations.ts'
import type { ColumnType, Relation } from '../../src/contract/relation.ts'
import type { PostgresConnection } from '../../src/platform/postgres/connection.ts'
import { postgresSchema } from '../../src/sql/postgres-schema.ts'
import { indexStatements, tableStatements } from '../../src/sql/schema.ts'
import { makePostgresPos } from './place-postgres.ts'

export const referenceRelations = ['stores', 'departments', 'sub_departments', 'price_lists', 'customer_types']
const fewRows = 7

export async function makeGrownPos(connection: PostgresConnection, schema: string, rows: number): Promise<void> {
  const tables = tableStatements(postgresSchema).map((each) => each.replace('CREATE TABLE', 'CREATE UNLOGGED TABLE'))
  await makePostgresPos(connection, schema, {}, tables)
  for (const relation of relations) await connection.script(fill(relation, rows))
  for (const statement of indexStatements(postgresSchema)) await connection.script(statement)
  // Statistics of a small sample are enough, and quickly made.
  await connection.script('SET default_statistics_target = 10')
  await connection.script(`VACUUM ANALYZE ${relations.map(({ name }) => `"${name}"`).join(', ')}`)
}

function fill(relation: Relation, rows: number): string {
  const last = referenceRelations.includes(relation.name) ? fewRows : rows
  const cells = Object.entries(relation.columns).map(([column, type]) => cell(relation, column, type, last))
  return `INSERT INTO "${relation.name}" SELECT ${cells.join(', ')} FROM generate_series(1, ${last}) i`
}

// The rows are divided into `parts` consecutive parts; this is the part of row i, from 0.
const part = (parts: number, rows: number) => `(i - 1) * ${parts} / ${rows}`

function cell({ name, key }: Relation, column: string, type: ColumnType, rows: number): string {
  const isArchived = name.endsWith('_archive')
  // One in a hundred is in both.
  if (column === 'id') return isArchived ? `i + ${Math.floor(rows * 0.99)}` : 'i'
  if (key.includes(column)) return column === 'product_id' ? `(i - 1) / ${fewRows} + 1` : `(i - 1) % ${fewRows} + 1`
  // Credit memos are few and of one season; other kinds had their time.
  if (column === 'kind')
    return name.startsWith('invoices') ? `CASE WHEN ${part(20, rows)} = 9 THEN 2 ELSE 1 END` : `1 + ${part(4, rows)}`
  if (column === 'status') return part(10, rows)
  if (column.endsWith('store_id')) return `1 + ${part(6, rows)}`
  if (/^(department|sub_department|customer_type|price_list)_id$/.test(column)) return `1 + ${part(20, rows)}`
  if (column === 'currency') return `CASE WHEN ${part(3, rows)} = 0 THEN 'USD' ELSE 'HTG' END`
  switch (type) {
    case 'int':
      return `1 + i % ${Math.ceil(rows / 20)}`
    case 'num':
      return `i * 7919 % ${rows} / 100.0`
    // What the company began with is given up, and its first documents were never paid.
    case 'bool':
      return `${part(5, rows)} > 0`
    // Names know nothing of time.
    case 'text':
      return `lpad((i * 7919 % ${rows})::text, 7, '0')`
    case 'day':
      return `date '2020-01-01' + i / 24`
    case 'time':
      return `timestamp '${isArchived ? 2000 : 2020}-01-01' + i * interval '1 hour'`
  }
}
