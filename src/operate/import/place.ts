// The target of an import: a SQLite file or a schema in PostgreSQL. Rows are staged first, in temporary tables. When all files
// are valid, one transaction locks and writes the relations.
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

export interface RelationChanges {
  readonly relation: Relation
  readonly counts: Counts
}

export const countChanges = ({ counts }: RelationChanges) => counts.new + counts.changed + counts.deleted

export interface WriteOptions {
  readonly deletesMissing: boolean
  readonly onProgress: OnProgress
  readonly signal: AbortSignal
  // Called just before the commit, after the last check of the signal.
  readonly onCommit: () => void
  readonly remark: (text: string) => void
}

export interface ImportPlace {
  readonly name: string
  // Numbers keep every decimal.
  readonly isExact: boolean
  // Missing relations are made before rows are written, and their indexes afterwards.
  readonly lacksRelations: boolean
  // Why the relation cannot be imported into.
  problemOf(relation: Relation): string | undefined
  limitsOf(relation: Relation): ReadonlyMap<string, ColumnLimit>
  stageFor(relation: Relation): Promise<Stage>
  compare(
    relations: readonly Relation[],
    options: Pick<WriteOptions, 'deletesMissing' | 'signal'>,
  ): Promise<RelationChanges[]>
  // Writes everything or nothing.
  write(relations: readonly Relation[], options: WriteOptions): Promise<RelationChanges[]>
}

export type UsePlace<Result> = (place: ImportPlace) => Promise<Result>

export interface PlaceOptions {
  // Writes nothing, not even an empty file.
  readonly isDryRun: boolean
  readonly signal: AbortSignal
}

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

// Above this, it is faster to rebuild the indexes than to update them row by row, and the journal would name most records.
export const isBulk = (changes: number, total: number) => changes > 2000 && changes * 8 > total

export const sameKey = (relation: Relation, one: string, other: string) =>
  relation.key.map((name) => `${one}.${quote(name)} = ${other}.${quote(name)}`).join(' AND ')
