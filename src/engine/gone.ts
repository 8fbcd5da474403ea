// Whether an access could see a record, which it does not see now, at some time since a position in the journal. That is found by going
// back from now, row by row: each row says what the record was before it.
import type { Condition } from '../catalogue/condition.ts'
import { findRelation } from '../contract/relations.ts'
import type { JournalRow } from '../finder/snapshot.ts'
import { journalled } from '../sql/journalled.ts'

// A row of the record itself, or of the archived one with its id.
interface OwnRow extends JournalRow {
  readonly isArchive: boolean
}

// What a relation has under an id: nothing, a record for this access, or one for others.
type Presence = 'absent' | 'shown' | 'hidden'

export function wasVisible(
  rows: readonly OwnRow[],
  conditions: readonly Condition[],
  recentNow: Presence,
  archivedNow: Presence,
): boolean {
  let [recent, archived] = [recentNow, archivedNow]
  const back = rows.toReversed()
  return back.some((row, at) => {
    const before = presenceBefore(row, conditions)
    if (row.isArchive) archived = before
    else recent = before
    if (isOneMoment(row, back[at + 1])) return false
    return recent === 'shown' || (recent === 'absent' && archived === 'shown')
  })
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

// No access could see what was between two rows of one transaction. (SQLite does not tell: there, a record may be named that was
// visible only within a transaction.)
const isOneMoment = (row: JournalRow, older: JournalRow | undefined) =>
  row.transaction !== null && row.transaction === older?.transaction

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
