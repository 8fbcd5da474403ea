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

// How an engine names the tables of a relation. The plan table names the new and changed rows of the stage.
export interface StageTables {
  readonly stage: (relation: Relation) => string
  readonly plan: (relation: Relation) => string
  readonly table: (relation: Relation) => string
  // The condition for a row `p` of the plan and its row `s` of the stage.
  readonly inPlan: (relation: Relation) => string
}

// The condition for a row `m` that is deleted.
export function isMissing({ relation, deletes }: Staged, { stage }: StageTables): string {
  const parent = deletes === 'children of staged rows' ? parentOf(relation) : undefined
  const among = parent ? ` AND m.${quote(parent.column)} IN (SELECT id FROM ${stage(parent.relation)})` : ''
  return `NOT EXISTS (SELECT 1 FROM ${stage(relation)} s WHERE ${sameKey(relation, 's', 'm')})${among}`
}

// The ids of the records whose children are new, changed or deleted.
function touchedParents(child: Staged, column: string, tables: StageTables): string {
  const { relation, deletes } = child
  const [parent, table] = [quote(column), tables.table(relation)]
  const planned = `${tables.stage(relation)} s JOIN ${tables.plan(relation)} p ON ${tables.inPlan(relation)}`
  return [
    `SELECT s.${parent} FROM ${planned}`,
    `SELECT m.${parent} FROM ${planned} JOIN ${table} m ON ${sameKey(relation, 'm', 's')}`,
    ...(deletes === 'none' ? [] : [`SELECT m.${parent} FROM ${table} m WHERE ${isMissing(child, tables)}`]),
  ].join(' UNION ')
}

const updatedAt = 'updated_at'

// The staged value as it is written, and as it is compared with a row `m`.
const written = (name: string, stampedAt: string | undefined) =>
  name === updatedAt && stampedAt !== undefined ? `coalesce(s.${quote(name)}, '${stampedAt}')` : `s.${quote(name)}`

export const comparable = (name: string, stampedAt: string | undefined) =>
  name === updatedAt && stampedAt !== undefined ? `coalesce(s.${quote(name)}, m.${quote(name)})` : `s.${quote(name)}`

// The statements that write the planned rows that `chosen` selects.
export function writeStatements(
  { relation, counts }: RelationChanges,
  { stage, plan, table, inPlan }: StageTables,
  stampedAt: string | undefined,
  chosen: string,
): string[] {
  const names = Object.keys(relation.columns)
  const others = names.filter((name) => !relation.key.includes(name))
  const sets = others.map((name) => `${quote(name)} = ${written(name, stampedAt)}`)
  const values = names.map((name) => written(name, stampedAt))
  const from = `FROM ${plan(relation)} p CROSS JOIN ${stage(relation)} s WHERE ${inPlan(relation)} AND ${chosen}`
  const update = `UPDATE ${table(relation)} AS m SET ${sets.join(', ')} ${from} AND NOT p.is_new AND ${sameKey(relation, 'm', 's')}`
  const insert = `INSERT INTO ${table(relation)} (${names.map(quote).join(', ')}) SELECT ${values.join(', ')} ${from} AND p.is_new`
  return [...(counts.changed > 0 ? [update] : []), ...(counts.new > 0 ? [insert] : [])]
}

// Reports rows as they are written.
export function rowProgress(changing: readonly RelationChanges[], { onProgress, signal }: WriteOptions) {
  const total = changing.reduce((sum, each) => sum + countChanges(each), 0)
  let done = 0
  return (count: number): void => {
    done += count
    onProgress({ what: 'writing', done, total: Math.max(done, total) })
    signal.throwIfAborted()
  }
}

// How an engine compares staged rows with the relations.
export interface Comparison {
  readonly tables: StageTables
  readonly isThere: (relation: Relation) => boolean
  // Fills the plan table, and counts.
  readonly compare: (staged: Staged, isThere: boolean, options: CompareOptions) => Promise<Counts>
  // Adds the rows of the stage that `where` selects to the plan, as changed ones. Returns their number.
  readonly addChanged: (relation: Relation, where: string) => Promise<number>
}

export async function compareAll(
  staged: readonly Staged[],
  { tables, isThere, compare, addChanged }: Comparison,
  options: CompareOptions,
): Promise<RelationChanges[]> {
  let compared: RelationChanges[] = []
  for (const each of staged) {
    options.signal.throwIfAborted()
    compared.push({ ...each, counts: await compare(each, isThere(each.relation), options) })
  }
  if (options.stampedAt === undefined) return compared
  for (const { child, column, parent } of stampedParents(compared)) {
    if (!isThere(child.relation) || !isThere(parent)) continue
    const touched = `s.id IN (${touchedParents(child, column, tables)})`
    const added = await addChanged(
      parent,
      `s.updated_at IS NULL AND ${touched} AND s.id IN (SELECT id FROM ${tables.table(parent)})`,
    )
    compared = withChanged(compared, parent, added)
  }
  return compared
}

// Parents that are staged without a time, with those of their children that are staged, too. Not by stock and prices: a key that may not
// see them would see in the product's time that they changed. (The change feed reports them to those that may.)
const stampedParents = (compared: readonly RelationChanges[]) =>
  compared.flatMap((child) => {
    const isShown = !['store_id', 'price_list_id'].some((column) => column in child.relation.columns)
    const parent = isShown && countChanges(child) > 0 ? parentOf(child.relation) : undefined
    const found = compared.find(({ relation }) => relation === parent?.relation)
    return parent && found && updatedAt in found.relation.columns && found.counts.unchanged > 0
      ? [{ child, column: parent.column, parent: found.relation }]
      : []
  })

const withChanged = (compared: readonly RelationChanges[], relation: Relation, more: number) =>
  compared.map((each) => {
    if (each.relation !== relation || more === 0) return each
    const { changed, unchanged } = each.counts
    return { ...each, counts: { ...each.counts, changed: changed + more, unchanged: unchanged - more } }
  })
