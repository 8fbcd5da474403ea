// The target of an import or a copy: a SQLite file or a schema in PostgreSQL. Rows are staged first, in temporary tables. When all
// inputs are valid, one transaction locks and writes the relations.
import type { Relation } from '../../contract/relation.ts'
import { isRequired } from '../../contract/relations.ts'
import type { OnProgress } from '../progress.ts'
import type { Stage } from './scan.ts'
import type { ColumnLimit } from './values.ts'

export interface Counts {
  readonly new: number
  readonly changed: number
  readonly unchanged: number
  readonly deleted: number
}

export interface RelationChanges extends Staged {
  readonly counts: Counts
}

export const countChanges = ({ counts }: RelationChanges) => counts.new + counts.changed + counts.deleted

// A relation whose rows are staged, and which of its rows are deleted if they are not staged.
export interface Staged {
  readonly relation: Relation
  readonly deletes: 'none' | 'all' | 'children of staged rows'
}

export interface CompareOptions {
  // In place of an `updated_at` that is not staged: a row keeps the one it has, and gets this one when it, or a row that belongs to it,
  // has changed. Without this option, no time is staged like any other value.
  readonly stampedAt?: string | undefined
}

export interface WriteOptions extends CompareOptions {
  // The changes to write, of those that were found; without it, all.
  readonly choose?: (compared: readonly RelationChanges[]) => Promise<readonly RelationChanges[]>
  readonly onProgress: OnProgress
  // Called just before the commit, after the last check of the signal.
  readonly onCommit: () => void
  readonly remark: (text: string) => void
}

export interface ImportPlace {
  readonly name: string
  readonly engine: 'sqlite' | 'postgres'
  // Missing relations are made before rows are written, and their indexes afterwards.
  readonly lacksRelations: boolean
  // Why the relation cannot be imported into.
  problemOf(relation: Relation): string | undefined
  // The columns of the contract that it has, or will have once it is made.
  columnsOf(relation: Relation): readonly string[]
  limitsOf(relation: Relation): ReadonlyMap<string, ColumnLimit>
  stageFor(relation: Relation): Promise<Stage>
  // The table of staged rows.
  readonly stage: (relation: Relation) => string
  compare(staged: readonly Staged[], options: CompareOptions): Promise<RelationChanges[]>
  // Writes everything or nothing.
  write(staged: readonly Staged[], options: WriteOptions): Promise<readonly RelationChanges[]>
  // One statement beside the relations, in the words of the engine.
  readonly rows: (statement: string, values: readonly (string | number)[]) => Promise<readonly (readonly unknown[])[]>
}

export type UsePlace<Result> = (place: ImportPlace) => Promise<Result>

export interface PlaceOptions {
  // Writes nothing, not even an empty file.
  readonly isDryRun: boolean
  readonly signal: AbortSignal
  // The longest time that a PostgreSQL server may take for a statement; undefined: any time.
  readonly silenceMs?: number
}

export function relationProblem(
  relation: Relation,
  isTable: boolean,
  columns: ReadonlySet<string>,
): string | undefined {
  if (columns.size === 0) return undefined
  if (!isTable) return `${relation.name} is not a table in the connected database: import into what it reads from.`
  const lacks = Object.keys(relation.columns).filter((name) => isRequired(relation, name) && !columns.has(name))
  return lacks.length > 0 ? `${relation.name} lacks the columns ${lacks.join(', ')} in the database.` : undefined
}

export const chosen = async (compared: readonly RelationChanges[], { choose }: WriteOptions) =>
  choose ? choose(compared) : compared

export const columnsIn = (relation: Relation, columns: ReadonlySet<string>): readonly string[] =>
  Object.keys(relation.columns).filter((name) => columns.size === 0 || columns.has(name))

// Above this, it is faster to rebuild the indexes than to update them row by row, and the journal would name most records.
export const isBulk = (changes: RelationChanges, rowsBefore: number) =>
  countChanges(changes) > 2000 && countChanges(changes) * 8 > rowsBefore + changes.counts.new
