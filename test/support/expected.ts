// What the specification says is shown of stored rows: a plain second opinion on records, for the fixture company.
import type { Cell, Rows } from './pos.ts'
import type { Row } from './fixture.ts'
import { lineType, namesByReference, zeroedWhenVoid } from './specification/index.ts'
import type { ArrayRule, FieldRule, FieldType, LabelRule, ResourceRule } from './specification/index.ts'

export interface Seen {
  readonly stores?: readonly number[]
  readonly priceList?: number
  // The add-on permissions; both, unless told otherwise.
  readonly permissions?: readonly string[]
}

export interface Stored {
  readonly row: Row
  readonly suffix: '' | '_archive'
}

export type Value = string | number | boolean | null
export type Shown = Readonly<Record<string, Value | readonly Readonly<Record<string, Value>>[]>>

// The records of a resource, recent and archived together. If two have the same id, the recent one counts.
export function storedRecords(rows: Rows, { relation, archived, kind }: ResourceRule): Stored[] {
  const recent = rows[relation] ?? []
  const taken = new Set(recent.map(({ id }) => id))
  const older = archived ? (rows[`${relation}_archive`] ?? []).filter(({ id }) => !taken.has(id ?? null)) : []
  return [
    ...recent.map((row) => ({ row, suffix: '' }) as const),
    ...older.map((row) => ({ row, suffix: '_archive' }) as const),
  ].filter(({ row }) => kind === undefined || row['kind'] === kind)
}

export function isSeen(rule: ResourceRule, row: Row, { stores, priceList }: Seen): boolean {
  if (rule.name === 'price-lists' && priceList !== undefined) return row['id'] === priceList
  if (!stores) return true
  const columns = rule.name === 'stores' ? ['id'] : ['store_id', 'from_store_id', 'to_store_id'].filter((c) => c in row)
  return columns.length === 0 || columns.some((column) => stores.includes(Number(row[column] ?? 0)))
}

export function shownRecord(
  rows: Rows,
  rule: ResourceRule,
  { row, suffix }: Stored,
  shows: 'list' | 'detail',
  seen: Seen = {},
): Shown {
  const isVoid = rule.labels['status']?.codes['void'] !== undefined && row['status'] === 4
  const record: Record<string, Shown[string]> = {}
  for (const field of permitted(rule.fields, seen)) {
    const reference = namesByReference[field.name]
    if (rule.name === 'products' && productTotals[field.name])
      record[field.name] = stockTotal(rows, row, field.name, seen)
    else if (rule.name === 'products' && /^(second_unit_)?price$/.test(field.name))
      record[field.name] = clientPrice(rows, row, field.name, seen)
    else if (reference) record[field.name] = nameOf(rows, reference[1], row[reference[0]] ?? null)
    else record[field.name] = shownField(field, row, rule.labels[field.name], isVoid)
    if (rule.name === 'products' && field.name === 'vendor_id') record[field.name] ??= 0
  }
  for (const [name, array] of Object.entries(rule.arrays)) {
    if (shows === 'list' && !array.inLists) continue
    if (name === 'price_lists' && seen.priceList !== undefined) continue
    record[name] = shownItems(rows, name, array, { row, suffix }, isVoid, seen)
  }
  return record
}

function permitted(fields: readonly FieldRule[], { permissions }: Seen): FieldRule[] {
  return fields.filter(({ permission }) => permission === null || !permissions || permissions.includes(permission))
}

function shownItems(
  rows: Rows,
  name: string,
  { relation, parent, fields }: ArrayRule,
  { row, suffix }: Stored,
  isVoid: boolean,
  seen: Seen,
) {
  const own = (rows[relation + suffix] ?? []).filter((item) => item[parent] === row['id'])
  if (name === 'price_lists')
    return (rows['price_lists'] ?? []).map((list) => {
      const found = own.find((price) => price['price_list_id'] === list['id'])
      return {
        price_list_id: Number(list['id']),
        price: Number(found?.['price'] ?? 0),
        second_unit_price: Number(found?.['second_unit_price'] ?? 0),
      }
    })
  const visible = name === 'stock' ? own.filter((item) => isStore(seen, item['store_id'])) : own
  const byDate = name === 'payments'
  const sorted = visible.toSorted((one, other) => {
    const dates = byDate ? compare(shownCell('date-time', one['date']), shownCell('date-time', other['date'])) : 0
    return dates || Number(one['id'] ?? one['store_id']) - Number(other['id'] ?? other['store_id'])
  })
  return sorted.map((item) => {
    const record: Record<string, Value> = {}
    for (const field of permitted(fields, seen)) record[field.name] = shownField(field, item, lineType, isVoid)
    // A free-text line of a sale has product_id 0.
    if ('type' in record) record['product_id'] ??= 0
    return record
  })
}

function shownField(field: FieldRule, row: Row, label: LabelRule | undefined, isVoid: boolean): Value {
  if (isVoid && zeroedWhenVoid.has(field.name)) return 0
  if (field.type !== 'label') return shownCell(field.type, row[field.name])
  const stored = row[label?.column ?? ''] ?? null
  return Object.entries(label?.codes ?? {}).find(([, code]) => code === stored)?.[0] ?? null
}

export function shownCell(type: FieldType, cell: Cell | undefined): Value {
  if (cell === undefined || cell === null) return null
  if (type === 'boolean') return cell === 1
  if (type !== 'date' && type !== 'date-time') return typeof cell === 'bigint' ? Number(cell) : cell
  const text = String(cell)
  if (text === '' || text.startsWith('0000')) return null
  return type === 'date' ? text.slice(0, 10) : text.slice(0, 19).replace(' ', 'T')
}

const isStore = ({ stores }: Seen, store: Cell | undefined) => !stores || stores.includes(Number(store))

const nameOf = (rows: Rows, relation: string, id: Cell): Value =>
  shownCell('string', rows[relation]?.find((each) => id !== null && each['id'] === id)?.['name'])

const productTotals: Readonly<Record<string, string>> = {
  quantity_total: 'quantity',
  on_sales_order: 'on_sales_order',
  on_purchase_order: 'on_purchase_order',
}

// In thousandths, so that 0.1 + 0.2 is 0.3.
function stockTotal(rows: Rows, { id }: Row, field: string, seen: Seen): number {
  const own = (rows['product_stock'] ?? []).filter(
    (each) => each['product_id'] === id && isStore(seen, each['store_id']),
  )
  const thousandths = own.map((each) => Math.round(Number(each[productTotals[field] ?? ''] ?? 0) * 1000))
  return thousandths.reduce((sum, each) => sum + each, 0) / 1000
}

function clientPrice(rows: Rows, row: Row, field: string, { priceList }: Seen): Value {
  const base = shownCell('number', row[field])
  if (priceList === undefined) return base
  const own = rows['product_prices']?.find(
    (each) => each['product_id'] === row['id'] && each['price_list_id'] === priceList,
  )
  return shownCell('number', own?.[field]) || base
}

// The order of a sort: empty values first, text by code point after folding ASCII letters.
export function compare(one: Value, other: Value): number {
  if (one === null || other === null) return Number(one !== null) - Number(other !== null)
  if (typeof one === 'number' && typeof other === 'number') return one - other
  return Buffer.compare(Buffer.from(folded(String(one))), Buffer.from(folded(String(other))))
}

const folded = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
