// A second database for a first one and an access: other in everything that this access may not see, and in nothing else.
// What it may see is taken from the model of test/model, which was written down by hand from the specification.
import { Random } from '../../demo/random.ts'
import { visibleRecords, type Access } from '../model/access.ts'
import { columnsOf, rowsOf, type Database, type Row } from '../model/relations.ts'
import { isVoid } from '../model/values.ts'
import { specification, zeroedWhenVoid, type FieldRule, type ResourceRule } from '../support/specification/index.ts'
import { isHeld, otherRow, type Twin } from './twin-parts.ts'
import { changePrices, changeStock } from './twin-products.ts'

export function twinOf(database: Database, access: Access, others: Database, seed: number): Database {
  const tables = Object.fromEntries(Object.keys(columnsOf).map((name) => [name, rowsOf(database, name)]))
  const twin: Twin = { database, access, others, chance: new Random(seed, 'twin'), tables }
  for (const relation of new Set(specification.map((rule) => rule.relation))) changeRecords(twin, relation)
  changeStock(twin)
  changePrices(twin)
  return tables
}

// The names of stores and the like stand in records under other permissions: these rows hide only behind a restriction.
const mayHide = ({ stores, priceList }: Access, relation: string): boolean => {
  if (relation === 'stores') return stores !== null
  if (relation === 'price_lists') return priceList !== null
  return !['departments', 'sub_departments', 'customer_types'].includes(relation)
}

function changeRecords(twin: Twin, relation: string): void {
  const { database, access, tables } = twin
  if (!mayHide(access, relation)) return
  const here = specification.filter((rule) => rule.relation === relation)
  const held = here.filter((rule) => isHeld(access, rule))
  const seen = new Set(held.flatMap((rule) => visibleRecords(rule, database, access).map(({ row }) => row)))
  for (const table of here[0]?.archived ? [relation, `${relation}_archive`] : [relation]) {
    const pinned = pinnedIds(twin, table)
    const kept = rowsOf(database, table).flatMap((row) =>
      seen.has(row)
        ? [otherCells(twin, table, row, here[0]?.fields ?? [], isVoidIn(here, row))]
        : otherHidden(twin, table, row, pinned.has(row['id'])),
    )
    tables[table] = [...kept, ...newHidden(twin, table, held.length === 0)]
    changeArrays(twin, here, table, seen)
  }
}

const isVoidIn = (here: readonly ResourceRule[], row: Row) => here.some((rule) => isVoid(rule, row))

// Ids that must exist in both: a recent document hides an archived one, even from a key that may not see it, and a transfer
// names its other store.
function pinnedIds({ database, access }: Twin, table: string): ReadonlySet<unknown> {
  if (table !== 'stores') return new Set(rowsOf(database, `${table}_archive`).map(({ id }) => id))
  const transfers = specification.filter(({ name }) => name === 'transfers')
  return new Set(
    transfers
      .flatMap((rule) => visibleRecords(rule, database, access))
      .flatMap(({ row }) => [row['from_store_id'], row['to_store_id']]),
  )
}

// A record that is seen, with other contents where they are not: where a permission is missing, and what was stored before
// a document became void.
function otherCells(twin: Twin, table: string, row: Row, fields: readonly FieldRule[], inVoid: boolean): Row {
  const other = otherRow(twin, table)
  const cells = Object.entries(row).map(([column, cell]) => {
    const gate = fields.find(({ name }) => name === column)?.permission ?? null
    const isUnseen =
      (gate !== null && !twin.access.permissions.includes(gate)) || (inVoid && zeroedWhenVoid.has(column))
    return [column, isUnseen ? (other[column] ?? null) : cell] as const
  })
  return Object.fromEntries(cells)
}

// Gone, as it was, or other.
function otherHidden(twin: Twin, table: string, row: Row, isPinned: boolean): readonly Row[] {
  const drawn = twin.chance.below(10)
  if (drawn < 3 && !isPinned) return []
  if (drawn < 4) return [row]
  const name = table === 'stores' && isPinned ? { name: row['name'] ?? null } : {}
  // Of another kind it might be a record of a resource that is seen.
  const kind = 'kind' in row ? { kind: row['kind'] ?? null } : {}
  return [
    { ...row, ...otherRow(twin, table), id: row['id'] ?? null, ...kind, ...name, ...storesLike(twin, table, row) },
  ]
}

const storeColumns = (table: string) => (columnsOf[table] ?? []).filter((column) => column.endsWith('store_id'))
// Stores that no access has.
const strangeStores = [null, 0, 41, 42, 43]

// A document that its stores hide has others that do; one that is hidden for another reason may have any.
function storesLike({ access: { stores }, chance }: Twin, table: string, row: Row): Row {
  const columns = storeColumns(table)
  if (columns.some((column) => row[column] !== null && stores?.includes(Number(row[column])))) return {}
  const own = chance.below(2) === 0
  return Object.fromEntries(
    columns.map((column) => [column, (own ? row[column] : strangeStores[chance.below(5)]) ?? null]),
  )
}

// Out of the way of every id that is there.
const firstNewId = 700_000

function newHidden(twin: Twin, table: string, isAllHidden: boolean): readonly Row[] {
  const { access, chance } = twin
  const columns = storeColumns(table)
  const isRestricted = table === 'stores' || table === 'price_lists' || (access.stores !== null && columns.length > 0)
  if (!isAllHidden && !isRestricted) return []
  return Array.from({ length: chance.below(8) }, (_, at) => {
    const stores = columns.map((column) => [column, strangeStores[chance.below(5)] ?? null] as const)
    return { ...otherRow(twin, table), id: firstNewId + at, ...Object.fromEntries(stores) }
  })
}

function changeArrays(twin: Twin, here: readonly ResourceRule[], table: string, seen: ReadonlySet<Row>): void {
  const { chance, database, tables } = twin
  const owners = new Map(rowsOf(database, table).map((row) => [row['id'], row]))
  const suffix = table.endsWith('_archive') ? '_archive' : ''
  // Those of products, which are in lists too, are changed apart.
  const arrays = Object.values(here[0]?.arrays ?? {}).filter(({ inLists }) => !inLists)
  for (const { relation, parent, fields } of arrays) {
    const own = relation + suffix
    tables[own] = rowsOf(database, own).flatMap((item) => {
      const owner = owners.get(item[parent] ?? null)
      if (owner && seen.has(owner)) return [otherCells(twin, own, item, fields, isVoidIn(here, owner))]
      const drawn = chance.below(10)
      if (drawn < 3) return []
      if (drawn < 6) return [item]
      return [{ ...item, ...otherRow(twin, own), id: item['id'] ?? null, [parent]: item[parent] ?? null }]
    })
  }
}
