// Which stored rows are records of a resource at all, and which of those a caller may see.
import type { ResourceRule } from '../support/specification/index.ts'
import { rowsOf, type Database, type Row } from './relations.ts'

export interface Access {
  readonly permissions: readonly string[]
  // null: not restricted.
  readonly stores: readonly number[] | null
  readonly priceList: number | null
}

// A row and where its arrays are: an archived document has archived lines.
export interface Stored {
  readonly row: Row
  readonly archived: boolean
}

export const mayRead = (rule: ResourceRule, access: Access) => access.permissions.includes(rule.permission)

export const maySeeStore = (access: Access, store: unknown) =>
  access.stores === null ||
  (store !== null && store !== undefined && access.stores.some((each) => each === Number(store)))

// "The same id in the recent and the archived table: the recent one counts, the other is not shown and not counted."
function recordsOf({ relation, archived, kind }: ResourceRule, database: Database): Stored[] {
  const recent = rowsOf(database, relation)
  const ids = new Set(recent.map((row) => row['id']))
  const older = archived ? rowsOf(database, `${relation}_archive`) : []
  return [
    ...recent.map((row) => ({ row, archived: false })),
    ...older.filter((row) => !ids.has(row['id'] ?? null)).map((row) => ({ row, archived: true })),
  ].filter(({ row }) => kind === undefined || row['kind'] === kind)
}

function isVisible({ name, fields }: ResourceRule, row: Row, access: Access): boolean {
  if (name === 'stores') return maySeeStore(access, row['id'])
  if (name === 'price-lists') return access.priceList === null || access.priceList === row['id']
  if (name === 'transfers') return maySeeStore(access, row['from_store_id']) || maySeeStore(access, row['to_store_id'])
  const hasStore = fields.some((field) => field.name === 'store_id')
  return !hasStore || maySeeStore(access, row['store_id'])
}

export const visibleRecords = (rule: ResourceRule, database: Database, access: Access): Stored[] =>
  recordsOf(rule, database).filter(({ row }) => isVisible(rule, row, access))
