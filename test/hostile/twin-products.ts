// What a twin of a database has otherwise in stock and prices: stock of stores and prices of lists that are not the key's.
import { rowsOf, type Row } from '../model/relations.ts'
import { specified } from '../support/specification/index.ts'
import { isHeld, otherRow, type Twin } from './twin-parts.ts'

// Neither of these is a store or a list that an access has.
const strangeStores = [45, 46, 47]
const strangeList = 48

// Gone, as it was, or with other numbers under the same key.
function otherNumbers(twin: Twin, table: string, row: Row): readonly Row[] {
  const drawn = twin.chance.below(10)
  if (drawn < 3) return []
  if (drawn < 4) return [row]
  const keys = Object.entries(row).filter(([column]) => column.endsWith('_id'))
  return [{ ...row, ...otherRow(twin, table), ...Object.fromEntries(keys) }]
}

function someProducts({ chance, database }: Twin): readonly Row[] {
  return rowsOf(database, 'products').filter(() => chance.below(2) === 0)
}

export function changeStock(twin: Twin): void {
  const { access, chance, database, tables } = twin
  const isOpen = isHeld(access, specified('products'))
  if (isOpen && access.stores === null) return
  const isSeen = (row: Row) => isOpen && access.stores?.includes(Number(row['store_id']))
  const kept = rowsOf(database, 'product_stock').flatMap((row) =>
    isSeen(row) ? [row] : otherNumbers(twin, 'product_stock', row),
  )
  const more = someProducts(twin).map(({ id }) => ({
    ...otherRow(twin, 'product_stock'),
    product_id: id ?? null,
    store_id: strangeStores[chance.below(3)] ?? null,
  }))
  tables['product_stock'] = [...kept, ...more]
}

// A key with a price list sees that list, and the base price where the list has none.
export function changePrices(twin: Twin): void {
  const { access, database, tables } = twin
  const list = access.priceList
  if (list === null) return
  const kept = rowsOf(database, 'product_prices').flatMap((row) =>
    row['price_list_id'] === list ? [row] : otherNumbers(twin, 'product_prices', row),
  )
  const more = someProducts(twin).map(({ id }) => ({
    ...otherRow(twin, 'product_prices'),
    product_id: id ?? null,
    price_list_id: strangeList,
  }))
  tables['product_prices'] = [...kept, ...more]
  const own = new Map(kept.filter((row) => row['price_list_id'] === list).map((row) => [row['product_id'], row]))
  tables['products'] = rowsOf(tables, 'products').map((row) => {
    const shown = own.get(row['id'] ?? null)
    const hidden = ['price', 'second_unit_price'].filter((column) => Number(shown?.[column] ?? 0) !== 0)
    const other = otherRow(twin, 'product_prices')
    return { ...row, ...Object.fromEntries(hidden.map((column) => [column, other[column] ?? null])) }
  })
}
