// A stored row as the record the specification describes: its fields in order, gates applied, arrays in a detail.
import type { Cell } from '../support/pos.ts'
import type { Access, Stored } from './access.ts'
import { compareShown } from './order.ts'
import { showProductField } from './products.ts'
import { rowsOf, type Database, type Row } from './relations.ts'
import type { ArrayInDetail, FieldName, Resource } from './resources.ts'
import { isVoid, showColumn, showLabel, showLineType, type Shape, type Shown } from './values.ts'

// Names that come by reference: field → column that points, relation it points into.
const references: Record<string, readonly [column: string, relation: string]> = {
  department: ['department_id', 'departments'],
  sub_department: ['sub_department_id', 'sub_departments'],
  customer_type: ['customer_type_id', 'customer_types'],
  from_store: ['from_store_id', 'stores'],
  to_store: ['to_store_id', 'stores'],
}

const labels = new Set(['status', 'type', 'payment_status'])
const saleLines = new Set(['invoice_lines', 'quote_lines', 'sales_order_lines'])

const allowed = (fields: readonly FieldName[], access: Access) =>
  fields.filter(({ gate }) => gate === null || access.permissions.includes(gate)).map(({ name }) => name)

function showField(resource: Resource, name: string, row: Row, database: Database, access: Access): Shown {
  const ofProduct = resource.name === 'products' ? showProductField(name, row, database, access) : undefined
  if (ofProduct !== undefined) return ofProduct
  if (labels.has(name)) return showLabel(resource, name, row)
  const reference = references[name]
  if (reference) return nameOf(rowsOf(database, reference[1]), row[reference[0]])
  return showColumn(name, row[name], isVoid(resource, row))
}

const nameOf = (rows: readonly Row[], id: Cell | undefined) => rows.find((row) => row['id'] === id)?.['name'] ?? null

export function showRecord(resource: Resource, { row }: Stored, database: Database, access: Access): Shape {
  const names = allowed(resource.fields, access).filter((name) => name !== 'price_lists' || access.priceList === null)
  return Object.fromEntries(names.map((name) => [name, showField(resource, name, row, database, access)]))
}

function showArray(resource: Resource, array: ArrayInDetail, stored: Stored, database: Database, access: Access) {
  const inVoid = isVoid(resource, stored.row)
  const names = allowed(array.fields, access)
  const byDate = array.name === 'payments'
  return rowsOf(database, array.relation + (stored.archived ? '_archive' : ''))
    .filter((row) => row[array.parent] === stored.row['id'])
    .map((row) => ({ id: row['id'] ?? null, date: byDate ? showColumn('date', row['date'], false) : null, row }))
    .toSorted((one, other) => compareShown(one.date, other.date) || compareShown(one.id, other.id))
    .map(({ row }) => Object.fromEntries(names.map((name) => [name, showLineField(array, name, row, inVoid)])))
}

function showLineField(array: ArrayInDetail, name: string, row: Row, inVoid: boolean): Cell {
  if (name === 'type') return showLineType(row['kind'])
  if (name === 'product_id' && saleLines.has(array.relation)) return row['product_id'] ?? 0
  return showColumn(name, row[name], inVoid)
}

export const showDetail = (resource: Resource, stored: Stored, database: Database, access: Access): Shape => ({
  ...showRecord(resource, stored, database, access),
  ...Object.fromEntries(
    resource.arrays.map((array) => [array.name, showArray(resource, array, stored, database, access)]),
  ),
})
