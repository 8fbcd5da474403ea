// Random databases: every relation of the contract, small and full of ties, gaps and references to nothing.
import * as fc from 'fast-check'
import { cellOf, quantity, smallId } from './generate-values.ts'
import { columnsOf, type Database, type Row } from './relations.ts'

// Mostly ids that other rows point at.
const id = fc.oneof(
  { weight: 12, arbitrary: smallId },
  { weight: 8, arbitrary: fc.integer({ min: 1, max: 30 }) },
  { weight: 1, arbitrary: fc.constantFrom(2 ** 31, 2 ** 40, Number.MAX_SAFE_INTEGER) },
)
const referenceId = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 1, max: 7 }) },
  { weight: 1, arbitrary: fc.constantFrom(12, 999) },
)

const referenceTables = new Set(['stores', 'departments', 'sub_departments', 'price_lists', 'customer_types'])
const pairs = new Set(['product_prices', 'product_stock'])
const counted = new Set(['quantity', 'on_sales_order', 'on_purchase_order'])

// Lines and the like, of which a document has several.
const isPart = (relation: string) => /_(lines|payments|applications)/.test(relation)

function idOf(relation: string): fc.Arbitrary<number> {
  if (referenceTables.has(relation)) return referenceId
  return isPart(relation) ? fc.integer({ min: 1, max: 200 }) : id
}

function rowOf(relation: string): fc.Arbitrary<Row> {
  const cells = (columnsOf[relation] ?? []).map((column) => {
    if (column === 'id') return [column, idOf(relation)] as const
    if (pairs.has(relation)) {
      if (column === 'product_id') return [column, smallId] as const
      if (column.endsWith('_id')) return [column, referenceId] as const
      if (counted.has(column)) return [column, quantity] as const
    }
    return [column, cellOf(column)] as const
  })
  return fc.record(Object.fromEntries(cells))
}

const keyOf = (relation: string) => (row: Row) =>
  pairs.has(relation) ? `${row['product_id']}/${row['price_list_id'] ?? row['store_id']}` : String(row['id'])

function sizeOf(relation: string): { minLength: number; maxLength: number } {
  if (referenceTables.has(relation)) return { minLength: 2, maxLength: 7 }
  return isPart(relation) || pairs.has(relation) ? { minLength: 12, maxLength: 40 } : { minLength: 8, maxLength: 22 }
}

const tableOf = (relation: string): fc.Arbitrary<readonly Row[]> =>
  fc.oneof(
    {
      weight: 14,
      arbitrary: fc.uniqueArray(rowOf(relation), { selector: keyOf(relation), ...sizeOf(relation), size: 'max' }),
    },
    { weight: 1, arbitrary: fc.constant([]) },
  )

export const database: fc.Arbitrary<Database> = fc.record(
  Object.fromEntries(Object.keys(columnsOf).map((relation) => [relation, tableOf(relation)])),
)
