// Finds the records of a list: its total and the ids of one page, from columns in memory. Why an answer is exact:
//
// 1. A base holds what every record of a collection was at its mark, a point in the history of the database.
// 2. The journal in the database names every record that a transaction has written, in that same transaction.
// 3. A request takes a base and its overlay first, then begins its snapshot, then asks the journal for what it has named since the mark:
//    so everything that the snapshot shows and the base does not know is named.
// 4. What is named is treated as unknown: it is masked in the base, read again in the snapshot and kept in the overlay, beside the base.
// 5. Wherever this chain could have a gap (no journal, another database, a changed trigger), the base is void, and plain SQL answers.
import { collectionOf } from '../catalogue/collections.ts'
import type { Resource } from '../catalogue/resource.ts'
import { findResource } from '../catalogue/resources/index.ts'
import type { ListPlan } from '../query/plan.ts'
import type { Dialect } from '../sql/dialect.ts'
import { columnsStatement, pageStatement, totalStatement } from '../sql/records.ts'
import type { Id } from '../sql/statement.ts'
import type { Base } from './columns.ts'
import { emptyOverlay, extendOverlay, findPage, overlaySize, type Overlay } from './overlay.ts'
import { createRememberedSelections } from './selections.ts'
import type { Mark, Snapshot } from './snapshot.ts'
import { UnusualValue } from './values.ts'

export interface FoundPage {
  readonly total: number
  readonly ids: readonly Id[]
}

export interface MarkedBase {
  readonly base: Base
  readonly mark: Mark
}

// As it is sent from thread to thread.
export interface LoadedBase extends MarkedBase {
  readonly id: number
}

// A base with its changes up to a mark.
interface MarkedOverlay {
  readonly overlay: Overlay
  readonly mark: Mark
}

export interface HeldBase extends MarkedOverlay {
  readonly id: number
}

// Beyond this, reading the changed records takes longer than a page by plain SQL, which grows with the rows: the loader catches up instead.
const mostNamedAtOnce = 5000
const mostNamedIn = ({ ids }: Base) => Math.max(mostNamedAtOnce, ids.length / 30)

// The base as of the snapshot; undefined if it is void, or if more records than `mostNamed` were written since.
export async function catchUp<Held extends MarkedOverlay>(
  dialect: Dialect,
  held: Held,
  snapshot: Snapshot,
  mostNamed = Number.POSITIVE_INFINITY,
): Promise<Held | undefined> {
  const { overlay, mark } = held
  const { collection } = overlay.base
  const relations = collection.relations.map(({ name }) => name)
  const changes = await snapshot.changesSince(mark, relations)
  if (!changes) return undefined
  const ids = [...new Set(relations.flatMap((name) => changes.named.get(name) ?? []))]
  if (ids.length === 0) return { ...held, mark: changes.now }
  if (ids.length > mostNamed) return undefined
  const list = dialect.integerList(ids)
  const [recent = [], archived = []] = await Promise.all(
    collection.relations.map(async (relation) =>
      snapshot.rows(columnsStatement(dialect, collection, relation, { ids: list })),
    ),
  )
  return { ...held, overlay: extendOverlay(overlay, ids, { recent, archived }), mark: changes.now }
}

// The plain way: COUNT, ORDER BY and OFFSET. Serves what columns cannot.
export async function findPlainly(
  dialect: Dialect,
  resource: Resource,
  plan: ListPlan,
  snapshot: Pick<Snapshot, 'rows'>,
): Promise<FoundPage> {
  // Sent together: one round trip.
  const [[count], rows] = await Promise.all([
    snapshot.rows(totalStatement(dialect, resource, plan)),
    snapshot.rows(pageStatement(dialect, resource, plan)),
  ])
  return { total: Number(count?.[0] ?? 0), ids: rows.map(([id]) => id as Id) }
}

interface FinderEvents {
  // It is wrong, or only out of date for a reader.
  readonly onVoid: (collection: string, baseId: number, why: string, isWrong: boolean) => void
  // The overlay is so large that a new base is due.
  readonly onGrown: (collection: string, baseId: number) => void
}

// Each reader has one: the bases it was given, with the changes it knows.
export function createFinder(dialect: Dialect, memoryBytes: number, { onVoid, onGrown }: FinderEvents) {
  const known = new Map<string, HeldBase>()
  const remembered = createRememberedSelections(memoryBytes)
  // A request may have captured one of these before it was dropped.
  const dropped = new WeakSet<Base>()

  // Whether there was one.
  const drop = (name: string): boolean => {
    const held = known.get(name)
    if (held) dropped.add(held.overlay.base)
    return known.delete(name)
  }

  // Another base may have been loaded while this one was in use.
  const isInUse = (held: HeldBase) => known.get(nameOf(held))?.overlay.base === held.overlay.base

  const keep = (before: HeldBase, after: HeldBase) => {
    if (!isInUse(before)) return
    known.set(nameOf(before), after)
    if (isGrown(after) && !isGrown(before)) onGrown(nameOf(after), after.id)
  }

  const giveUp = (held: HeldBase, why: string, isWrong = false) => {
    if (isInUse(held)) drop(nameOf(held))
    onVoid(nameOf(held), held.id, why, isWrong)
  }

  return {
    // Whether it replaces another one.
    use({ id, base, mark }: LoadedBase): boolean {
      const isReplaced = known.has(base.collection.name)
      known.set(base.collection.name, { id, overlay: emptyOverlay(base), mark })
      return isReplaced
    },
    drop,
    dropAll: () => [...known.keys()].forEach(drop),
    // To be called before the snapshot begins.
    capture({ resource: name }: ListPlan): HeldBase | undefined {
      const resource = findResource(name)
      return resource && known.get(collectionOf(resource).name)
    },
    page: ({ overlay }: HeldBase, { conditions, order, page, perPage }: ListPlan): FoundPage =>
      findPage(overlay, conditions, order, { offset: (page - 1) * perPage, limit: perPage }, remembered),
    async catchUp(held: HeldBase, snapshot: Snapshot): Promise<HeldBase | undefined> {
      if (dropped.has(held.overlay.base)) return undefined
      try {
        const current = await catchUp(dialect, held, snapshot, mostNamedIn(held.overlay.base))
        if (current) keep(held, current)
        else giveUp(held, 'too much was written since, or the journal does not reach back to them')
        return current
      } catch (error) {
        if (!(error instanceof UnusualValue)) throw error
        giveUp(held, error.message)
        return undefined
      }
    },
    distrust: (held: HeldBase) => giveUp(held, 'they named a record that is not there', true),
  }
}

export type Finder = ReturnType<typeof createFinder>

// Of the collection.
const nameOf = ({ overlay }: HeldBase) => overlay.base.collection.name

// A hundredth of the rows, but enough to pay for merging, and few enough for the loader to read. (Extending an overlay of 5,000 rows
// takes a reader 4 ms, merging it with 650,000 rows takes the loader 0.6 s.)
const leastGrown = 1000
export const isGrown = ({ overlay }: HeldBase): boolean =>
  overlaySize(overlay) >= Math.min(mostNamedAtOnce, Math.max(leastGrown, overlay.base.ids.length / 100))
