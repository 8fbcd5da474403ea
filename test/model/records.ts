// A stored row as the record the specification describes: its fields in order, gates applied, arrays in a detail.
import type { Cell } from '../support/pos.ts'
import { lineType, namesByReference } from '../support/specification/index.ts'
import type { ArrayRule, FieldRule, ResourceRule } from '../support/specification/index.ts'
import type { Access, Stored } from './access.ts'
import { compareShown } from './order.ts'
import { showProductField } from './products.ts'
import { rowsOf, type Database, type Row } from './relations.ts'
import { isVoid, showColumn, showLabel, showTime, type Shape, type Shown } from './values.ts'

const saleLines = new Set(['invoice_lines', 'quote_lines', 'sales_order_lines'])

const allowed = (fields: readonly FieldRule[], access: Access) =>
  fields.filter(({ permission }) => permission === null || access.permissions.includes(permission))

function showField(rule: ResourceRule, field: FieldRule, row: Row, database: Database, access: Access): Shown {
  const { name } = field
  const ofProduct = rule.name === 'products' ? showProductField(name, row, database, access) : undefined
  if (ofProduct !== undefined) return ofProduct
  const label = rule.labels[name]
  if (label) return showLabel(label, row)
  const reference = namesByReference[name]
  if (reference) return nameOf(rowsOf(database, reference[1]), row[reference[0]])
  return showColumn(field, row[name], isVoid(rule, row))
}

const nameOf = (rows: readonly Row[], id: Cell | undefined) => rows.find((row) => row['id'] === id)?.['name'] ?? null

// The arrays of products are in lists, too.
const arraysOf = ({ arrays }: ResourceRule, place: 'lists' | 'details', access: Access) =>
  Object.entries(arrays).filter(
    ([name, { inLists }]) => inLists === (place === 'lists') && !(name === 'price_lists' && access.priceList !== null),
  )

export function showRecord(rule: ResourceRule, { row }: Stored, database: Database, access: Access): Shape {
  const fields = allowed(rule.fields, access).map((field) => [
    field.name,
    showField(rule, field, row, database, access),
  ])
  const arrays = arraysOf(rule, 'lists', access).map(([name]) => [
    name,
    showProductField(name, row, database, access) ?? null,
  ])
  return Object.fromEntries([...fields, ...arrays])
}

function showArray(
  rule: ResourceRule,
  name: string,
  array: ArrayRule,
  stored: Stored,
  database: Database,
  access: Access,
) {
  const inVoid = isVoid(rule, stored.row)
  const fields = allowed(array.fields, access)
  return rowsOf(database, array.relation + (stored.archived ? '_archive' : ''))
    .filter((row) => row[array.parent] === stored.row['id'])
    .map((row) => ({ id: row['id'] ?? null, date: name === 'payments' ? showTime(row['date']) : null, row }))
    .toSorted((one, other) => compareShown(one.date, other.date) || compareShown(one.id, other.id))
    .map(({ row }) => Object.fromEntries(fields.map((field) => [field.name, showItem(array, field, row, inVoid)])))
}

function showItem({ relation }: ArrayRule, field: FieldRule, row: Row, inVoid: boolean): Cell {
  if (field.type === 'label') return showLabel(lineType, row)
  if (field.name === 'product_id' && saleLines.has(relation)) return row['product_id'] ?? 0
  return showColumn(field, row[field.name], inVoid)
}

export const showDetail = (rule: ResourceRule, stored: Stored, database: Database, access: Access): Shape => ({
  ...showRecord(rule, stored, database, access),
  ...Object.fromEntries(
    arraysOf(rule, 'details', access).map(([name, array]) => [
      name,
      showArray(rule, name, array, stored, database, access),
    ]),
  ),
})
