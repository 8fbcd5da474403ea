// Where rows are imported to: a SQLite file or a schema in PostgreSQL. Rows are staged first, beside the relations and seen by nobody
// else; only when every file is known to be right are the relations locked and written, in one transaction.
import type { Relation } from '../../contract/relation.ts'
import { quote } from '../../sql/dialect.ts'
import type { OnProgress } from '../progress.ts'
import type { Stage } from './scan.ts'
import type { ColumnLimit } from './values.ts'

export interface Counts {
  readonly new: number
  readonly changed: number
  readonly unchanged: number
  readonly deleted: number
}

// What becomes of the rows of one relation.
export interface Compared {
  readonly relation: Relation
  readonly counts: Counts
}

export const changesOf = ({ counts }: Compared) => counts.new + counts.changed + counts.deleted

export interface WriteOptions {
  readonly deletesMissing: boolean
  readonly onProgress: OnProgress
  readonly signal: AbortSignal
  // From here on it cannot be undone: the signal was looked at a last time.
  readonly onCommit: () => void
  // What is worth knowing of an import that came about.
  readonly remark: (text: string) => void
}

export interface ImportPlace {
  // As people know it.
  readonly name: string
  // Numbers keep every decimal.
  readonly isExact: boolean
  // Relations of the contract are missing: they are made as rows are written, their indexes after that.
  readonly lacksRelations: boolean
  // Why nothing can be imported into a relation.
  problemOf(relation: Relation): string | undefined
  limitsOf(relation: Relation): ReadonlyMap<string, ColumnLimit>
  stageFor(relation: Relation): Promise<Stage>
  // What would change.
  compare(relations: readonly Relation[], options: Pick<WriteOptions, 'deletesMissing' | 'signal'>): Promise<Compared[]>
  // All of it, or nothing.
  write(relations: readonly Relation[], options: WriteOptions): Promise<Compared[]>
}

export type UsePlace<Result> = (place: ImportPlace) => Promise<Result>

export interface PlaceOptions {
  // Nothing is written, not even an empty file.
  readonly isDryRun: boolean
  readonly signal: AbortSignal
}

// What both engines say of a relation that is there.
export function relationProblem(
  relation: Relation,
  isTable: boolean,
  columns: ReadonlySet<string>,
): string | undefined {
  if (columns.size === 0) return undefined
  if (!isTable) return `${relation.name} is not a table in the connected database: import into what it reads from.`
  const lacks = Object.keys(relation.columns).filter((name) => !columns.has(name))
  return lacks.length > 0 ? `${relation.name} lacks the columns ${lacks.join(', ')} in the database.` : undefined
}

// So many changes are cheaper indexed at the end, all at once, than row by row; and the journal would name most records.
export const isBulk = (changes: number, total: number) => changes > 2000 && changes * 8 > total

export const sameKey = (relation: Relation, one: string, other: string) =>
  relation.key.map((name) => `${one}.${quote(name)} = ${other}.${quote(name)}`).join(' AND ')
