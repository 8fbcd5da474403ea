// What a product shows beyond its own row: stock over the visible stores, and the price that applies to the caller.
import type { Cell } from '../support/pos.ts'
import { maySeeStore, type Access } from './access.ts'
import { addDecimals } from './decimals.ts'
import { rowsOf, type Database, type Row } from './relations.ts'
import type { Shown } from './values.ts'

const byColumn = (column: string) => (one: Row, other: Row) => Number(one[column]) - Number(other[column])

function stockOf(product: Row, database: Database, access: Access): Row[] {
  return rowsOf(database, 'product_stock')
    .filter((row) => row['product_id'] === product['id'] && maySeeStore(access, row['store_id']))
    .toSorted(byColumn('store_id'))
}

function priceIn(list: Cell | undefined, product: Row, column: string, database: Database): number {
  const found = rowsOf(database, 'product_prices').find(
    (row) => row['product_id'] === product['id'] && row['price_list_id'] === list,
  )
  return Number(found?.[column] ?? 0)
}

const stockColumns = ['quantity', 'on_sales_order', 'on_purchase_order']

export function showProductField(name: string, product: Row, database: Database, access: Access): Shown | undefined {
  if (name === 'vendor_id') return product['vendor_id'] ?? 0
  if (name === 'price' || name === 'second_unit_price') {
    const own = access.priceList === null ? 0 : priceIn(access.priceList, product, name, database)
    return own === 0 ? (product[name] ?? null) : own
  }
  if (name === 'price_lists')
    return rowsOf(database, 'price_lists')
      .toSorted(byColumn('id'))
      .map(({ id }) => ({
        price_list_id: id ?? null,
        price: priceIn(id, product, 'price', database),
        second_unit_price: priceIn(id, product, 'second_unit_price', database),
      }))
  if (name === 'stock')
    return stockOf(product, database, access).map((row) => ({
      store_id: row['store_id'] ?? null,
      ...Object.fromEntries(stockColumns.map((column) => [column, row[column] ?? null])),
    }))
  const summed = name === 'quantity_total' ? 'quantity' : name
  if (!stockColumns.includes(summed)) return undefined
  return addDecimals(stockOf(product, database, access).map((row) => Number(row[summed] ?? 0)))
}
