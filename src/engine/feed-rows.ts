// Rows of the journal → the records that they name, and when an access could see a record that it does not see now.
import type { Access } from '../catalogue/access.ts'
import type { Condition } from '../catalogue/condition.ts'
import { isArray, itemRelation } from '../catalogue/field.ts'
import { archiveOf, relationsOf, type Resource } from '../catalogue/resource.ts'
import { findRelation } from '../contract/relations.ts'
import type { JournalRow } from '../finder/snapshot.ts'
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
export interface NamingRow {
  readonly row: JournalRow
  readonly role: Role
  // Among the rows that are read together.
  readonly place: number
  // How many resources of the row were read after it; 0: all of them.
  readonly resourcesRead: number
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

// The records that rows name and that may be news to the access. `resourcesRead`: of the first row.
export function recordsIn(
  rows: readonly JournalRow[],
  roles: ReadonlyMap<string, readonly Role[]>,
  resourcesRead: number,
  access: Access,
): Named[] {
  const records = new Map<string, Named>()
  let place = 0
  for (const [rowAt, row] of rows.entries()) {
    const own = roles.get(row.relation) ?? []
    for (let at = rowAt === 0 ? resourcesRead : 0; at < own.length; at += 1) {
      const role = own[at] as Role
      if (!isNews(row, role, access)) continue
      const naming = { row, role, place: (place += 1), resourcesRead: (at + 1) % own.length }
      const id = row.id as Id
      const name = nameOf(role.resource, id)
      const known = records.get(name)
      if (known) known.rows.push(naming)
      else records.set(name, { resource: role.resource, id, rows: [naming] })
    }
  }
  return [...records.values()]
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

// What a relation has under an id: nothing, a record for this access, or one for others.
type Presence = 'absent' | 'shown' | 'hidden'

// Whether the access may have seen the record before one of its own rows. Before a row of the archive, or the insert of a recent record,
// the other of the two may have been shown: a later row says so, and may come with the next ones that are read.
export const mayBeGone = ({ resource, rows }: Named, conditions: readonly Condition[]) =>
  rows.some(({ row, role }) => {
    if (!isOwn(role)) return false
    const before = presenceBefore(row, conditions)
    return before === 'shown' || (resource.archived && (role.isArchive || before === 'absent'))
  })

const transactionOf = ({ transaction, seq }: JournalRow) => transaction ?? seq

// The `seq` of the rows before which the access could see the record. That is found by going back from now: each row says what the record
// was before it. What it was between two rows of one transaction no access could see. (SQLite does not tell transactions apart: there, a
// record may be named that was visible only within one.)
export function visibleBefore(
  rows: readonly JournalRow[],
  conditions: readonly Condition[],
  { archive, ...now }: { readonly recent: Presence; readonly archived: Presence; readonly archive: string | undefined },
): ReadonlySet<number> {
  const firsts = new Map(rows.toReversed().map((row) => [transactionOf(row), row]))
  let { recent, archived } = now
  const found = new Set<number>()
  for (const row of rows.toReversed()) {
    const before = presenceBefore(row, conditions)
    if (row.relation === archive) archived = before
    else recent = before
    if (firsts.get(transactionOf(row)) !== row) continue
    if (recent === 'shown' || (recent === 'absent' && archived === 'shown')) found.add(row.seq)
  }
  return found
}

function presenceBefore(row: JournalRow, conditions: readonly Condition[]): Presence {
  if (isInsert(row)) return 'absent'
  return conditions.every((condition) => holds(condition, row)) ? 'shown' : 'hidden'
}

// Of a row of the record itself: its values before an update or a delete are never null.
const isInsert = ({ relation, before }: JournalRow) =>
  journalled(findRelation(relation)).before.every(([name]) => before[name] === null)

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
