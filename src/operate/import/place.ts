// The target of an import or a copy: a SQLite file or a schema in PostgreSQL. Rows are staged first, in temporary tables. When all
// inputs are valid, one transaction locks and writes the relations.
import type { Relation } from '../../contract/relation.ts'
import { findRelation, referencesOf } from '../../contract/relations.ts'
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
  readonly signal: AbortSignal
  // In place of an `updated_at` that is not staged: a row keeps the one it has, and gets this one when it, or a row that belongs to it,
  // has changed. Without this option, no time is staged like any other value.
  readonly stampedAt?: string | undefined
}

export interface WriteOptions extends CompareOptions {
  readonly onProgress: OnProgress
  // Called just before the commit, after the last check of the signal.
  readonly onCommit: () => void
  readonly remark: (text: string) => void
}

export interface ImportPlace {
  readonly name: string
  readonly engine: 'sqlite' | 'postgres'
  // Numbers keep every decimal.
  readonly isExact: boolean
  // Missing relations are made before rows are written, and their indexes afterwards.
  readonly lacksRelations: boolean
  // Why the relation cannot be imported into.
  problemOf(relation: Relation): string | undefined
  limitsOf(relation: Relation): ReadonlyMap<string, ColumnLimit>
  stageFor(relation: Relation): Promise<Stage>
  compare(staged: readonly Staged[], options: CompareOptions): Promise<RelationChanges[]>
  // Writes everything or nothing.
  write(staged: readonly Staged[], options: WriteOptions): Promise<RelationChanges[]>
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
  const lacks = Object.keys(relation.columns).filter((name) => !columns.has(name))
  return lacks.length > 0 ? `${relation.name} lacks the columns ${lacks.join(', ')} in the database.` : undefined
}

// Above this, it is faster to rebuild the indexes than to update them row by row, and the journal would name most records.
export const isBulk = (changes: number, total: number) => changes > 2000 && changes * 8 > total

export const sameKey = (relation: Relation, one: string, other: string) =>
  relation.key.map((name) => `${one}.${quote(name)} = ${other}.${quote(name)}`).join(' AND ')

// The record that rows of a child relation belong to: lines, payments, prices and stock.
export function parentOf(relation: Relation): { readonly column: string; readonly relation: Relation } | undefined {
  const column = relation.parent ?? (relation.key.length > 1 ? relation.key[0] : undefined)
  const [target] = column === undefined ? [] : (referencesOf(relation)[column] ?? [])
  return column === undefined || target === undefined ? undefined : { column, relation: findRelation(target) }
}

// The condition for a row `m` that is deleted, given the name of a relation's stage.
export function isMissing({ relation, deletes }: Staged, stageTable: (relation: Relation) => string): string {
  const parent = deletes === 'children of staged rows' ? parentOf(relation) : undefined
  const among = parent ? ` AND m.${quote(parent.column)} IN (SELECT id FROM ${stageTable(parent.relation)})` : ''
  return `NOT EXISTS (SELECT 1 FROM ${stageTable(relation)} s WHERE ${sameKey(relation, 's', 'm')})${among}`
}

// The ids of the records whose children are new, changed or deleted, given the names of stage, plan and table.
export function touchedParents(
  child: Staged,
  column: string,
  { stage, plan, table }: { readonly stage: string; readonly plan: string; readonly table: string },
  names: { readonly samePlan: (row: string) => string; readonly stageTable: (relation: Relation) => string },
): string {
  const parent = quote(column)
  const parts = [
    `SELECT s.${parent} FROM ${stage} s JOIN ${plan} p ON ${names.samePlan('s')}`,
    `SELECT m.${parent} FROM ${stage} s JOIN ${plan} p ON ${names.samePlan('s')} JOIN ${table} m ON ${sameKey(child.relation, 'm', 's')}`,
    ...(child.deletes === 'none'
      ? []
      : [`SELECT m.${parent} FROM ${table} m WHERE ${isMissing(child, names.stageTable)}`]),
  ]
  return parts.join(' UNION ')
}

const updatedAt = 'updated_at'

// The staged value as it is written, and as it is compared with a row `m`.
export const written = (name: string, stampedAt: string | undefined) =>
  name === updatedAt && stampedAt !== undefined ? `coalesce(s.${quote(name)}, '${stampedAt}')` : `s.${quote(name)}`

export const comparable = (name: string, stampedAt: string | undefined) =>
  name === updatedAt && stampedAt !== undefined ? `coalesce(s.${quote(name)}, m.${quote(name)})` : `s.${quote(name)}`

// Parents that are staged without a time, with those of their children that are staged, too. Not by stock and prices: a key that may not
// see them would see in the product's time that they changed. (The change feed reports them to those that may.)
export const stampedParents = (compared: readonly RelationChanges[]) =>
  compared.flatMap((child) => {
    const isShown = !['store_id', 'price_list_id'].some((column) => column in child.relation.columns)
    const parent = isShown && countChanges(child) > 0 ? parentOf(child.relation) : undefined
    const found = compared.find(({ relation }) => relation === parent?.relation)
    return parent && found && updatedAt in found.relation.columns && found.counts.unchanged > 0
      ? [{ child, column: parent.column, parent: found.relation }]
      : []
  })

export const withChanged = (compared: readonly RelationChanges[], relation: Relation, more: number) =>
  compared.map((each) => {
    if (each.relation !== relation || more === 0) return each
    const { changed, unchanged } = each.counts
    return { ...each, counts: { ...each.counts, changed: changed + more, unchanged: unchanged - more } }
  })
