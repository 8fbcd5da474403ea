// A small company for tests: records with every column filled by a value found nowhere else in its relation, records
// with nothing stored but their id, and varied ones that share stores, statuses, names, times and amounts.
import { findRelation, relations } from '../../src/contract/relations.ts'
import type { Cell, Rows } from './pos.ts'

export type Row = Readonly<Record<string, Cell>>

// Each column of a relation has a value of its own. Codes and booleans are 1, which every relation knows.
export function filledRow(name: string, id: number, changes: Row = {}): Row {
  const columns = Object.entries(findRelation(name).columns)
  const base = (relations.findIndex((each) => each.name === name) + 1) * 1_000_000
  const cells = columns.map(([column, type], at): [string, Cell] => {
    const own = base + at * 10_000 + id
    if (column === 'id') return [column, id]
    if (column === 'kind' || column === 'status' || type === 'bool') return [column, 1]
    if (type === 'int') return [column, own]
    if (type === 'num') return [column, own + 0.25]
    // Ends with two characters that stand nowhere else.
    if (type === 'text') return [column, `${name}.${column}.${id}.${String.fromCodePoint(0x4e00 + at, 0x5000 + id)}`]
    const time = new Date(Date.UTC(2001, 0, 1) + own * 7000).toISOString()
    return [column, time.slice(0, type === 'day' ? 10 : 19)]
  })
  return { ...Object.fromEntries(cells), ...changes }
}

export function emptyRow(name: string, id: number, changes: Row = {}): Row {
  const columns = Object.keys(findRelation(name).columns)
  return { ...Object.fromEntries(columns.map((column) => [column, column === 'id' ? id : null])), ...changes }
}

const words: readonly Cell[] = [
  ...'Alpha alpha ALPHA beta Beta Zoo zoo Éclair éclair Ωmega ωmega 10 9 Alpha-2 ～wave'.split(' '),
  'a b',
  'alpha 2',
  '😀 smile',
  null,
]
const times: readonly Cell[] = [
  ...'2026-03-01T00:00:00 2026-03-01T23:59:59 2026-03-02T00:00:00 2026-03-02T08:30:00 2026-03-02T08:30:01'.split(' '),
  '2026-03-02 08:30:00.750',
  '2026-03-03 12:00:00',
  '2026-02-28T23:59:59.999',
  '2025-12-31 00:00:00',
  '',
  '0000-00-00 00:00:00',
  '0000-00-00',
  null,
]
const amounts = [null, -5, 0, 10, 10, 9.5, 100, 1000.75, 0.1]
// 77 is an unknown code.
const statuses = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 77, null]

// What varies, by the name of the column. 999 is a reference to nothing.
const varied: Readonly<Record<string, readonly Cell[]>> = {
  name: words,
  code: words,
  date: times,
  updated_at: times,
  status: statuses,
  total: amounts,
  amount_received: amounts,
  active: [1, 1, 0, null],
  paid: [1, 0, null],
  currency: ['USD', 'HTG', null],
  store_id: [1, 2, 3, null],
  from_store_id: [1, 2, 3, null],
  to_store_id: [1, 2, 3, null],
  customer_id: [1, 2, 3, null],
  vendor_id: [0, 1, 2, null],
  purchase_order_id: [1, 2, null],
  department_id: [1, 2, 999, null],
  sub_department_id: [1, 2, 999, null],
  customer_type_id: [1, 2, 999, null],
  price_list_id: [1, 2, null],
}
const kinds: Readonly<Record<string, readonly Cell[]>> = {
  products: [1, 2, 3, 4, 77, null],
  receivings: [1, 2, 77, null],
  adjustments: [1, 2, 77, null],
  invoices: [1, 2],
  invoices_archive: [1, 2],
  invoice_lines: [1, 2, 3, 77, null],
  invoice_lines_archive: [1, 2, 3, 77, null],
  quote_lines: [1, 2, 3, 77, null],
  quote_lines_archive: [1, 2, 3, 77, null],
  sales_order_lines: [1, 2, 3, 77, null],
}

// The same choice for the same id and column, without a pattern between columns.
function choose(list: readonly Cell[], id: number, column: string): Cell {
  // Each status in turn: every resource has records of each of its own.
  if (column === 'status') return list[id % list.length] ?? null
  let hash = id
  for (const character of column) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x9e3779b1) >>> 0
  return list[(hash >>> 8) % list.length] ?? null
}

function variedRow(name: string, id: number): Row {
  const lists: typeof varied = { ...varied, ...(kinds[name] ? { kind: kinds[name] } : {}) }
  const columns = Object.keys(findRelation(name).columns).filter((column) => lists[column])
  return filledRow(
    name,
    id,
    Object.fromEntries(columns.map((column) => [column, choose(lists[column] ?? [], id, column)])),
  )
}

const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at)

const owners: Readonly<Record<string, readonly [string, string]>> = {
  invoice_lines: ['invoices', 'invoice_id'],
  invoice_lines_archive: ['invoices_archive', 'invoice_id'],
  invoice_payments: ['invoices', 'invoice_id'],
  invoice_payments_archive: ['invoices_archive', 'invoice_id'],
  quote_lines: ['quotes', 'quote_id'],
  quote_lines_archive: ['quotes_archive', 'quote_id'],
  sales_order_lines: ['sales_orders', 'sales_order_id'],
  sales_order_payments: ['sales_orders', 'sales_order_id'],
  payment_applications: ['payments', 'payment_id'],
  purchase_order_lines: ['purchase_orders', 'purchase_order_id'],
  receiving_lines: ['receivings', 'receiving_id'],
  transfer_lines: ['transfers', 'transfer_id'],
  adjustment_lines: ['adjustments', 'adjustment_id'],
}

// Four for each record: filled, varied twice and empty; the later ids come first, so that an order is needed.
function children(name: string, parent: string, ids: readonly number[]): Row[] {
  return ids.flatMap((id) => [
    emptyRow(name, id * 10 + 4, { [parent]: id }),
    ...[3, 2].map((at) => ({ ...variedRow(name, id * 10 + at), [parent]: id })),
    filledRow(name, id * 10 + 1, { [parent]: id }),
  ])
}

const known = {
  store_id: 1,
  department_id: 1,
  sub_department_id: 2,
  customer_type_id: 1,
  from_store_id: 1,
  to_store_id: 2,
}
const only = (name: string, changes: Row): Row =>
  Object.fromEntries(Object.entries(changes).filter(([column]) => column in findRelation(name).columns))

// A status that the resource knows, where it does not know 1 (open).
const status: Readonly<Record<string, number>> = { payments: 3, adjustments: 9 }

// Id 1 is filled, 2 is empty, the others vary. In the archive the ids go on, and some stand in both.
function documents(name: string, first = 1, last = 40): Row[] {
  return [
    filledRow(name, first, only(name, { ...known, ...(name in status ? { status: status[name] ?? 1 } : {}) })),
    emptyRow(name, first + 1, name.startsWith('invoices') ? { kind: 1 } : {}),
    ...from(first + 2, last).map((id) => variedRow(name, id)),
  ]
}

function makeCompany(): Rows {
  const rows: Record<string, Row[]> = {}
  for (const name of ['stores', 'departments', 'sub_departments', 'customer_types'])
    rows[name] = [filledRow(name, 1), emptyRow(name, 12), ...from(2, 11).map((id) => variedRow(name, id))]
  rows['price_lists'] = [filledRow('price_lists', 1), ...from(2, 7).map((id) => variedRow('price_lists', id))]
  for (const name of ['vendors', 'customers', 'products']) rows[name] = documents(name)
  for (const name of ['payments', 'purchase_orders', 'receivings', 'transfers', 'adjustments', 'sales_orders'])
    rows[name] = documents(name, 1, 60)
  rows['quotes'] = documents('quotes')
  rows['quotes_archive'] = [...documents('quotes_archive', 101, 140), variedRow('quotes_archive', 5)]
  const memos = (name: string, first: number) => [
    filledRow(name, first, { ...only(name, known), kind: 2 }),
    emptyRow(name, first + 1, { kind: 2 }),
  ]
  rows['invoices'] = [...documents('invoices', 1, 60), ...memos('invoices', 61)]
  rows['invoices_archive'] = [
    ...documents('invoices_archive', 101, 160),
    ...memos('invoices_archive', 161),
    // The recent ones with these ids count, whatever their kind.
    { ...variedRow('invoices_archive', 5), kind: 1 },
    { ...variedRow('invoices_archive', 6), kind: 1 },
    { ...variedRow('invoices_archive', 7), kind: 2 },
    { ...variedRow('invoices_archive', 8), kind: 2 },
  ]
  for (const [name, [owner, parent]] of Object.entries(owners))
    rows[name] = children(
      name,
      parent,
      (rows[owner] ?? []).map(({ id }) => Number(id)).filter((id) => id % 2 === 1),
    )
  rows['product_prices'] = from(1, 40).flatMap((product) => productPrices(product))
  rows['product_stock'] = from(1, 40).flatMap((product) => productStock(product))
  return rows
}

// Product 1 has every price; the others lack some, and have zeros and nulls.
function productPrices(product_id: number): Row[] {
  return from(1, 7)
    .filter((list) => product_id === 1 || (product_id + list) % 4 !== 0)
    .map((price_list_id) => ({
      product_id,
      price_list_id,
      price: product_id === 1 ? 70 + price_list_id : choose([0, null, 12.5, 13], product_id, `price${price_list_id}`),
      second_unit_price:
        product_id === 1 ? 80 + price_list_id : choose([0, null, 6.25, 7], product_id, `second${price_list_id}`),
    }))
}

function productStock(product_id: number): Row[] {
  return from(1, 3)
    .filter((store) => product_id === 1 || (product_id + store) % 3 !== 0)
    .map((store_id) => ({
      product_id,
      store_id,
      quantity: choose([0.1, 0.2, 0.7, 40, -3, null], product_id, `quantity${store_id}`),
      on_sales_order: choose([0.1, 0.2, 5, null], product_id, `sales${store_id}`),
      on_purchase_order: choose([0.1, 0.2, 6, null], product_id, `purchase${store_id}`),
    }))
}

export const company: Rows = makeCompany()
