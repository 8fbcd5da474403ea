// Scans a collection into columns, in short snapshots, so that no till waits. What is written meanwhile is caught up at the end, so that
// the columns are those of one moment.
import type { Collection } from '../catalogue/collections.ts'
import type { Relation } from '../contract/relation.ts'
import { createBuilder, sizeOfBase, type Base } from '../finder/columns.ts'
import { catchUp, holdBase } from '../finder/finder.ts'
import type { PlainReason } from '../finder/plain-reasons.ts'
import { rebase } from '../finder/rebase.ts'
import type { Mark, Snapshot } from '../finder/snapshot.ts'
import { UnusualValue } from '../finder/values.ts'
import type { Id } from '../sql/arrays.ts'
import { columnsStatement } from '../sql/records.ts'
import type { Source } from './source.ts'

// `isLasting`: it takes more than a journal to change it.
export type Scanned =
  | { readonly base: Base; readonly mark: Mark }
  | { readonly whyPlain: PlainReason; readonly detail?: string; readonly isLasting: boolean }

// A piece is read in a tenth of a second or so.
const usualPieceRows = 10_000
const tooLarge: Scanned = { whyPlain: 'too_large', isLasting: true }

export async function scan(
  source: Source,
  collection: Collection,
  { mostBytes, pieceRows = usualPieceRows }: { readonly mostBytes: number; readonly pieceRows?: number },
): Promise<Scanned> {
  const relations = collection.relations.map(({ name }) => name)
  const begun = await source.within((snapshot) => snapshot.mark(relations))
  if ('whyPlain' in begun) return { whyPlain: begun.whyPlain, isLasting: false }
  // Each snapshot must come after the one before, in the same history: a backup that was put back between two of them may still have the
  // first mark, and not what a piece has shown since.
  let last = begun.mark
  const within = <Result>(work: (snapshot: Snapshot) => Promise<Result>) =>
    source.within(async (snapshot) => {
      const [changes, result] = await Promise.all([snapshot.changesSince(last, relations), work(snapshot)])
      if (!changes) throw new Error('another database took its place meanwhile, or too much was written')
      last = changes.now
      return result
    })

  async function* piecesOf(relation: Relation) {
    let after: Id | null = null
    for (;;) {
      const statement = columnsStatement(source.dialect, collection, relation, { after, limit: pieceRows })
      const rows = await within(async (snapshot) => snapshot.rows(statement))
      if (rows.length > 0) yield rows
      if (rows.length < pieceRows) return
      after = rows.at(-1)?.[0] as Id
    }
  }

  const builder = createBuilder(collection)
  // Roughly, to give up in time.
  const bytesOfRow = 8 + 4 * (collection.values.length + collection.texts.length)
  let rowsRead = 0
  try {
    // What moves from one relation to the other meanwhile is named by the journal.
    for (const [at, relation] of collection.relations.toReversed().entries()) {
      const part = at === collection.relations.length - 1 ? 'recent' : 'archived'
      for await (const rows of piecesOf(relation)) {
        builder.add(part, rows)
        rowsRead += rows.length
        if (rowsRead * bytesOfRow > mostBytes) return tooLarge
      }
    }
    const scanned = holdBase({ id: 0, collection: collection.name, base: builder.finish(), mark: begun.mark })
    const held = await within((snapshot) => catchUp(source.dialect, scanned, snapshot))
    if (!held) throw new Error('too much was written meanwhile')
    const base = held.overlay !== scanned.overlay ? rebase(held.base, held.overlay) : held.base
    return sizeOfBase(base) > mostBytes ? tooLarge : { base, mark: held.mark }
  } catch (error) {
    if (error instanceof UnusualValue) return { whyPlain: 'unusual_value', detail: error.message, isLasting: true }
    throw error
  }
}
