// Rows of the journal → the records that they name.
import type { Access } from '../catalogue/access.ts'
import { isArray, itemRelation } from '../catalogue/field.ts'
import { archiveOf, relationsOf, type Resource } from '../catalogue/resource.ts'
import type { JournalRow } from '../finder/snapshot.ts'
import type { FeedPosition } from '../query/plan.ts'
import { allMark } from '../sql/journalled.ts'
import type { Id } from '../sql/statement.ts'

// What the rows of a relation are to a resource.
export interface Role {
  readonly resource: Resource
  readonly isChild: boolean
  readonly isArchive: boolean
}

// A row that names a record.
export interface NamingRow extends JournalRow, Role {
  // Its place among the rows that are read together, and the position after it.
  readonly place: number
  readonly next: FeedPosition
}

export interface Named {
  readonly resource: Resource
  readonly id: Id
  readonly rows: NamingRow[]
}

// By relation: the resources that its rows concern.
export const rolesOf = (resources: readonly Resource[]): Map<string, Role[]> => {
  const roles = resources.flatMap((resource) => {
    const parts = relationsOf(resource).map(({ name }, at): [string, Role] => [
      name,
      { resource, isChild: false, isArchive: at > 0 },
    ])
    const children = resource.fields.filter(isArray).flatMap((field) => {
      const names = [itemRelation(field)]
      if (resource.archived) names.push(archiveOf(itemRelation(field)))
      return names.map((name, at): [string, Role] => [name, { resource, isChild: true, isArchive: at > 0 }])
    })
    return [...parts, ...children]
  })
  const grouped = Map.groupBy(roles, ([relation]) => relation)
  return new Map(Array.from(grouped, ([relation, own]) => [relation, own.map(([, role]) => role)]))
}

// The records that rows name and that may be news to the access, and the position after them.
export function recordsIn(
  rows: readonly JournalRow[],
  roles: ReadonlyMap<string, readonly Role[]>,
  from: FeedPosition,
  access: Access,
): { records: readonly Named[]; position: FeedPosition } {
  const records = new Map<string, Named>()
  let position = from
  let place = 0
  for (const row of rows) {
    const own = roles.get(row.relation) ?? []
    for (const [at, role] of own.entries()) {
      if (at < position.resourcesRead) continue
      const isLast = at === own.length - 1
      const next = isLast
        ? { journal: row.position, walk: null, resourcesRead: 0 }
        : { ...position, resourcesRead: at + 1 }
      if (isNews(row, role, access)) {
        const id = row.id as Id
        const name = nameOf(role.resource, id)
        const known = records.get(name)
        const naming = { ...row, ...role, place: (place += 1), next }
        if (known) known.rows.push(naming)
        else records.set(name, { resource: role.resource, id, rows: [naming] })
      }
      position = next
    }
  }
  return { records: [...records.values()], position }
}

// Whether any record of the relation may have changed. A child without a parent belongs to no record.
export const namesAll = ({ id, relation, before }: JournalRow, roles: ReadonlyMap<string, readonly Role[]>) =>
  id === null && (before.kind === allMark || roles.get(relation)?.some(isOwn) === true)

// Stock of another store and prices of another list are not.
function isNews({ id, relation, before }: JournalRow, { isChild }: Role, { stores, priceList }: Access): boolean {
  if (id === null) return false
  if (!isChild) return true
  if (relation === 'product_stock') return stores === null || stores.includes(Number(before.store_id))
  return relation !== 'product_prices' || priceList === null || Number(before.price_list_id) === priceList
}

export const isOwn = ({ isChild }: Role) => !isChild

export const nameOf = (resource: Resource, id: Id) => `${resource.name} ${id}`
