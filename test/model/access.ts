// Which stored rows are records of a resource at all, and which of those a caller may see.
import { rowsOf, type Database, type Row } from './relations.ts'
import type { Resource } from './resources.ts'

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

export const mayRead = (resource: Resource, access: Access) => access.permissions.includes(resource.permission)

export const maySeeStore = (access: Access, store: unknown) =>
  access.stores === null ||
  (store !== null && store !== undefined && access.stores.some((each) => each === Number(store)))

// "The same id in the recent and the archived table: the recent one counts, the other is not shown and not counted."
function recordsOf(resource: Resource, database: Database): Stored[] {
  const recent = rowsOf(database, resource.relation)
  const ids = new Set(recent.map((row) => row['id']))
  const archived = resource.archive ? rowsOf(database, `${resource.relation}_archive`) : []
  return [
    ...recent.map((row) => ({ row, archived: false })),
    ...archived.filter((row) => !ids.has(row['id'] ?? null)).map((row) => ({ row, archived: true })),
  ].filter(({ row }) => resource.kind === null || row['kind'] === resource.kind)
}

function isVisible(resource: Resource, row: Row, access: Access): boolean {
  if (resource.name === 'stores') return maySeeStore(access, row['id'])
  if (resource.name === 'price-lists') return access.priceList === null || access.priceList === row['id']
  if (resource.name === 'transfers')
    return maySeeStore(access, row['from_store_id']) || maySeeStore(access, row['to_store_id'])
  const hasStore = resource.fields.some(({ name }) => name === 'store_id')
  return !hasStore || maySeeStore(access, row['store_id'])
}

export const visibleRecords = (resource: Resource, database: Database, access: Access): Stored[] =>
  recordsOf(resource, database).filter(({ row }) => isVisible(resource, row, access))
