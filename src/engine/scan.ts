// Scans a collection into a base, in short snapshots, so that no till waits. Writes meanwhile are caught up at the end, so that the base
// is of one moment.
import type { Collection } from '../catalogue/collections.ts'
import type { Relation } from '../contract/relation.ts'
import { bytesOfBase, createBuilder } from '../finder/columns.ts'
import { catchUp, type MarkedBase } from '../finder/finder.ts'
import { emptyOverlay, rebase } from '../finder/overlay.ts'
import type { PlainReason, Snapshot } from '../finder/snapshot.ts'
import { UnusualValue } from '../finder/values.ts'
import { columnsStatement } from '../sql/records.ts'
import type { Id } from '../sql/statement.ts'
import type { PosSource } from './source.ts'

export interface NotScanned {
  readonly whyPlain: PlainReason
  readonly detail?: string
}

// A piece is read in about a tenth of a second.
const usualPieceRows = 10_000
const tooLarge: NotScanned = { whyPlain: 'too_large' }

export async function scan(
  source: PosSource,
  collection: Collection,
  { mostBytes, pieceRows = usualPieceRows }: { readonly mostBytes: number; readonly pieceRows?: number },
): Promise<MarkedBase | NotScanned> {
  const relations = collection.relations.map(({ name }) => name)
  const begun = await source.within((snapshot) => snapshot.mark(relations))
  if ('whyPlain' in begun) return begun
  // Each snapshot must be later than the one before, in the same history. A backup that was restored in between may have the first mark,
  // but not the rows that a piece has shown since.
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
  // An estimate, to give up early.
  const bytesOfRow = 8 + 4 * (collection.values.length + collection.texts.length)
  let rowsRead = 0
  try {
    // The archive first: its ids are mostly smaller, so fewer rows have to be sorted.
    for (const relation of collection.relations.toReversed()) {
      for await (const rows of piecesOf(relation)) {
        builder.add(relation === collection.relations[0] ? 'recent' : 'archived', rows)
        rowsRead += rows.length
        if (rowsRead * bytesOfRow > mostBytes) return tooLarge
      }
    }
    const scanned = { overlay: emptyOverlay(builder.finish()), mark: begun.mark }
    const held = await within((snapshot) => catchUp(source.dialect, scanned, snapshot))
    if (!held) throw new Error('too much was written meanwhile')
    const base = rebase(held.overlay)
    return bytesOfBase(base) > mostBytes ? tooLarge : { base, mark: held.mark }
  } catch (error) {
    if (error instanceof UnusualValue) return { whyPlain: 'unusual_value', detail: error.message }
    throw error
  }
}
