// Rows of the journal → the records that they name, and when an access could see a record that it does not see now.
import type { Access } from '../catalogue/access.ts'
import type { Condition } from '../catalogue/condition.ts'
import { isArray, itemRelation } from '../catalogue/field.ts'
import { archiveOf, relationsOf, type Resource } from '../catalogue/resource.ts'
import { findRelation } from '../contract/relations.ts'
import type { JournalRow } from '../finder/snapshot.ts'
import type { FeedPosition } from '../query/plan.ts'
import { allMark, journalled } from '../sql/journalled.ts'
import type { Id } from '../sql/statement.ts'

// What the rows of a relation are to a resource.
export interface Role {
  readonly relation: string
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
    const items = resource.fields.filter(isArray).map(itemRelation)
    const children = resource.archived ? [items, items.map(archiveOf)] : [items]
    return [
      ...relationsOf(resource).map(({ name }, at) => ({ relation: name, resource, isChild: false, isArchive: at > 0 })),
      ...children.flatMap((names, at) =>
        names.map((relation) => ({ relation, resource, isChild: true, isArchive: at > 0 })),
      ),
    ]
  })
  return Map.groupBy(roles, ({ relation }) => relation)
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

// A row of the record itself, or of the archived one with its id.
export interface OwnRow extends JournalRow {
  readonly isArchive: boolean
}

// What a relation has under an id: nothing, a record for this access, or one for others.
export type Presence = 'absent' | 'shown' | 'hidden'

// The `seq` of the rows before which the access could see it. That is found by going back from now: each row says what the record was
// before it. `older`: the transaction of an earlier row of the record, if that may be the same.
export function visibleBefore(
  rows: readonly OwnRow[],
  conditions: readonly Condition[],
  recentNow: Presence,
  archivedNow: Presence,
  older: string | null,
): ReadonlySet<number> {
  let [recent, archived] = [recentNow, archivedNow]
  const found = new Set<number>()
  for (const [at, row] of [...rows.entries()].toReversed()) {
    const before = presenceBefore(row, conditions)
    if (row.isArchive) archived = before
    else recent = before
    // No access could see what was between two rows of one transaction. (SQLite does not tell: there, a record may be named that was
    // visible only within a transaction.)
    if (row.transaction !== null && row.transaction === (at === 0 ? older : rows[at - 1]?.transaction)) continue
    if (recent === 'shown' || (recent === 'absent' && archived === 'shown')) found.add(row.seq)
  }
  return found
}

function presenceBefore(row: JournalRow, conditions: readonly Condition[]): Presence {
  if (isInsert(row)) return 'absent'
  return conditions.every((condition) => holds(condition, row)) ? 'shown' : 'hidden'
}

// The values before an update or a delete are never null. Of relations without them, every row counts as one that was there.
function isInsert({ relation, before }: JournalRow): boolean {
  const { before: columns } = journalled(findRelation(relation))
  return columns.length > 0 && columns.every(([name]) => before[name] === null)
}

// Whether a restriction held for the row that a record had before.
function holds(condition: Condition, { id, before }: JournalRow): boolean {
  const valueOf = (column: string) => {
    if (column === 'id') return Number(id)
    const stored = before[column === 'kind' || column === 'to_store_id' ? column : 'store_id']
    return stored === null || stored === '' ? Number.NaN : Number(stored)
  }
  if (condition.is === 'equal') return valueOf(condition.column) === condition.value
  if (condition.is === 'in-stores') return condition.columns.some((name) => condition.stores.includes(valueOf(name)))
  throw new Error(`${condition.is} is not a restriction`)
}
