// Finds the records of a list: its total and the ids of one page, from columns in memory. Why an answer is exact:
//
// 1. A base holds what every record of a collection was at its mark, a point in the history of the database.
// 2. The journal in the database names every record that a transaction has written, in that same transaction.
// 3. A request takes a base and its overlay first, then begins its snapshot, then asks the journal for what it has named since the mark:
//    so everything that the snapshot shows and the base does not know is named.
// 4. What is named is treated as unknown: it is masked in the base, read again in the snapshot and kept in the overlay, beside the base.
// 5. Wherever this chain could have a gap (no journal, another database, a changed trigger), the base is void, and plain SQL answers.
import { collectionOf, findCollection, type Collection } from '../catalogue/collections.ts'
import { findResource } from '../catalogue/resources/index.ts'
import type { ListPlan } from '../query/plan.ts'
import type { Id } from '../sql/arrays.ts'
import type { Dialect } from '../sql/dialect.ts'
import { columnsStatement } from '../sql/records.ts'
import type { Base } from './columns.ts'
import { emptyOverlay, extendOverlay, findPage, type Overlay } from './overlay.ts'
import { createRememberedSelections } from './remembered-selections.ts'
import type { Mark, Snapshot } from './snapshot.ts'
import { UnusualValue } from './values.ts'

export interface Page {
  readonly total: number
  readonly ids: readonly Id[]
}

// The columns of a collection and the mark they are of, as they are handed from thread to thread.
export interface LoadedBase {
  readonly id: number
  readonly collection: string
  readonly base: Base
  readonly mark: Mark
}

// A base and what is known of the records that were written since it was made.
export interface Held {
  readonly id: number
  readonly collection: Collection
  readonly base: Base
  readonly overlay: Overlay
  // Where the overlay stands.
  readonly mark: Mark
}

// From so many on, reading what changed takes longer than a page by plain SQL, and a new base is due.
const mostNamedAtOnce = 5000

export function holdBase({ id, collection: name, base, mark }: LoadedBase): Held {
  const collection = findCollection(name)
  return { id, collection, base, overlay: emptyOverlay(base), mark }
}

// The same as of a snapshot; undefined where the base is void.
export async function catchUp(dialect: Dialect, held: Held, snapshot: Snapshot): Promise<Held | undefined> {
  const { collection, overlay, mark } = held
  const relations = collection.relations.map(({ name }) => name)
  const changes = await snapshot.changesSince(mark, relations)
  if (!changes) return undefined
  const ids = [...new Set(relations.flatMap((name) => changes.named.get(name) ?? []))]
  if (ids.length === 0) return { ...held, mark: changes.now }
  if (ids.length > mostNamedAtOnce) return undefined
  const list = dialect.integerList(ids)
  const [recent = [], archived = []] = await Promise.all(
    collection.relations.map(async (relation) =>
      snapshot.rows(columnsStatement(dialect, collection, relation, { ids: list })),
    ),
  )
  const extended = extendOverlay(overlay, ids, { recent, archived })
  return { ...held, overlay: extended, mark: changes.now }
}

interface FinderEvents {
  // A base that was given turned out to be void, or its collection cannot be kept in columns.
  readonly onVoid: (held: Held, why: string) => void
  // A base has got so large an overlay that a new one is due.
  readonly onGrown: (held: Held) => void
}

// For each reader: the bases it was given, and what it knows of what was written since.
export function createFinder(dialect: Dialect, memoryBytes: number, { onVoid, onGrown }: FinderEvents) {
  const known = new Map<string, Held>()
  const remembered = createRememberedSelections(memoryBytes)

  // A request may have captured one of these before.
  const dropped = new WeakSet<Base>()

  const drop = (name: string) => {
    const held = known.get(name)
    if (held) dropped.add(held.base)
    known.delete(name)
  }

  const keep = (before: Held, after: Held) => {
    const { name } = before.collection
    // Another base may have come while this one was caught up.
    if (known.get(name)?.base !== before.base) return
    known.set(name, after)
    if (isGrown(after) && !isGrown(before)) onGrown(after)
  }

  const giveUp = (held: Held, why: string) => {
    if (known.get(held.collection.name)?.base === held.base) drop(held.collection.name)
    onVoid(held, why)
  }

  return {
    use(loaded: LoadedBase) {
      known.set(loaded.collection, holdBase(loaded))
    },
    drop,
    dropAll: () => [...known.keys()].forEach(drop),
    // To be taken before the snapshot begins.
    capture({ resource: name }: ListPlan): Held | undefined {
      const resource = findResource(name)
      return resource && known.get(collectionOf(resource).name)
    },
    page({ base, overlay }: Held, { conditions, order, page, perPage }: ListPlan): Page {
      return findPage(base, overlay, conditions, order, { offset: (page - 1) * perPage, limit: perPage }, remembered)
    },
    async catchUp(held: Held, snapshot: Snapshot): Promise<Held | undefined> {
      if (dropped.has(held.base)) return undefined
      try {
        const current = await catchUp(dialect, held, snapshot)
        if (current) keep(held, current)
        else giveUp(held, 'the journal does not reach back to them')
        return current
      } catch (error) {
        if (!(error instanceof UnusualValue)) throw error
        giveUp(held, error.message)
        return undefined
      }
    },
    distrust: (held: Held) => giveUp(held, 'they named a record that is not there'),
  }
}

export type Finder = ReturnType<typeof createFinder>

// A three-hundredth of the rows, never less than pays for merging, and in time for the merge to read what was named. (To extend an overlay
// of 6,000 rows takes 8 ms, to merge 650,000 rows 0.7 s.)
const leastGrown = 1000
const isGrown = ({ base, overlay }: Held) =>
  overlay.masked.length + overlay.rows.ids.length >=
  Math.min(mostNamedAtOnce / 2, Math.max(leastGrown, base.ids.length / 300))
