// When an access could see a record, which it does not see now, since a position in the journal. That is found by going back from now,
// row by row: each row says what the record was before it.
import type { Condition } from '../catalogue/condition.ts'
import { findRelation } from '../contract/relations.ts'
import type { JournalRow } from '../finder/snapshot.ts'
import { journalled } from '../sql/journalled.ts'

// A row of the record itself, or of the archived one with its id.
export interface OwnRow extends JournalRow {
  readonly isArchive: boolean
}

// What a relation has under an id: nothing, a record for this access, or one for others.
export type Presence = 'absent' | 'shown' | 'hidden'

// The `seq` of the rows before which the access could see it. `older`: the transaction of an earlier row of the record, if that may be the same.
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
