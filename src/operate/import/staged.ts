// Compares staged rows with the relations, and writes them, in SQL that both engines share. Tables and their names in it: the stage `s`,
// the relation `m`, and the plan `p`, which names the new and changed rows of the stage.
import type { Relation } from '../../contract/relation.ts'
import { findRelation, referencesOf } from '../../contract/relations.ts'
import { quote } from '../../sql/dialect.ts'
import {
  countChanges,
  type CompareOptions,
  type Counts,
  type ImportPlace,
  type RelationChanges,
  type Staged,
  type WriteOptions,
} from './place.ts'

// What an engine gives to these statements.
export interface StagedTables {
  readonly stage: (relation: Relation) => string
  readonly plan: (relation: Relation) => string
  readonly table: (relation: Relation) => string
  // The columns by which the plan names a row of the stage.
  readonly planKey: (relation: Relation) => readonly string[]
  readonly isThere: (relation: Relation) => boolean
  readonly columnsOf: ImportPlace['columnsOf']
  readonly signal: AbortSignal
  readonly rows: ImportPlace['rows']
  // Returns the number of rows that were written.
  affect(statement: string): Promise<number>
  // Fills the plan anew by a SELECT on the stage, which ends with a WHERE clause.
  fillPlan(relation: Relation, select: string): Promise<void>
  // Conditions that select the rows of the plan, part by part.
  partsOfPlan(relation: Relation): AsyncIterable<string>
}

const same = (names: readonly string[], one: string, other: string) =>
  names.map((name) => `${one}.${quote(name)} = ${other}.${quote(name)}`).join(' AND ')

export const sameKey = ({ key }: Relation, one: string, other: string) => same(key, one, other)
const inPlan = (relation: Relation, { planKey }: StagedTables) => same(planKey(relation), 's', 'p')
const planned = (relation: Relation, tables: StagedTables) =>
  tables
    .planKey(relation)
    .map((name) => `s.${quote(name)}`)
    .join(', ')

// The record that rows of a child relation belong to: lines, payments, prices and stock.
export function parentOf(relation: Relation): { readonly column: string; readonly relation: Relation } | undefined {
  const column = relation.parent ?? (relation.key.length > 1 ? relation.key[0] : undefined)
  const [target] = column === undefined ? [] : (referencesOf(relation)[column] ?? [])
  return column === undefined || target === undefined ? undefined : { column, relation: findRelation(target) }
}

// The condition for a row `m` that is deleted.
export function isMissing({ relation, deletes }: Staged, { stage }: Pick<StagedTables, 'stage'>): string {
  const parent = deletes === 'children of staged rows' ? parentOf(relation) : undefined
  const among = parent ? ` AND m.${quote(parent.column)} IN (SELECT id FROM ${stage(parent.relation)})` : ''
  return `NOT EXISTS (SELECT 1 FROM ${stage(relation)} s WHERE ${sameKey(relation, 's', 'm')})${among}`
}

const updatedAt = 'updated_at'

// The staged value, or `instead` of a time that is not staged.
const stagedValue = (name: string, { stampedAt }: CompareOptions, instead: string) =>
  name === updatedAt && stampedAt !== undefined ? `coalesce(s.${quote(name)}, ${instead})` : `s.${quote(name)}`

export async function compareAll(
  staged: readonly Staged[],
  tables: StagedTables,
  options: CompareOptions,
): Promise<RelationChanges[]> {
  let compared: RelationChanges[] = []
  for (const each of staged) {
    tables.signal.throwIfAborted()
    compared.push({ ...each, counts: await compare(each, tables, options) })
  }
  if (options.stampedAt === undefined) return compared
  for (const { child, column, parent } of stampedParents(compared, tables)) {
    if (!tables.isThere(child.relation) || !tables.isThere(parent)) continue
    const plan = tables.plan(parent)
    const added = await tables.affect(
      `INSERT INTO ${plan} SELECT ${planned(parent, tables)}, false FROM ${tables.stage(parent)} s\n` +
        `WHERE s.updated_at IS NULL AND s.id IN (${touchedParents(child, column, tables)})\n` +
        `AND s.id IN (SELECT id FROM ${tables.table(parent)})\n` +
        `AND NOT EXISTS (SELECT 1 FROM ${plan} p WHERE ${inPlan(parent, tables)})`,
    )
    compared = withChanged(compared, parent, added)
  }
  return compared
}

async function compare(each: Staged, tables: StagedTables, options: CompareOptions): Promise<Counts> {
  const { relation, deletes } = each
  const [stage, table, isThere] = [tables.stage(relation), tables.table(relation), tables.isThere(relation)]
  const isNew = isThere ? `m.${quote(relation.key[0] ?? '')} IS NULL` : 'true'
  // The staged value comes first, because in SQLite its collation (binary) applies.
  const differs = tables
    .columnsOf(relation)
    .map((name) => `${stagedValue(name, options, `m.${quote(name)}`)} IS DISTINCT FROM m.${quote(name)}`)
  const compared = isThere
    ? ` LEFT JOIN ${table} m ON ${sameKey(relation, 'm', 's')} WHERE (${[isNew, ...differs].join(' OR ')})`
    : ' WHERE true'
  await tables.fillPlan(relation, `SELECT ${planned(relation, tables)}, ${isNew} AS is_new FROM ${stage} s${compared}`)
  const gone =
    isThere && deletes !== 'none' ? `(SELECT count(*) FROM ${table} m WHERE ${isMissing(each, tables)})` : '0'
  const [counted = []] = await tables.rows(
    `SELECT (SELECT count(*) FROM ${stage}), count(*) FILTER (WHERE is_new), count(*) FILTER (WHERE NOT is_new), ${gone} FROM ${tables.plan(relation)}`,
    [],
  )
  const [all = 0, added = 0, changed = 0, deleted = 0] = counted.map(Number)
  return { new: added, changed, unchanged: all - added - changed, deleted }
}

// Parents that are staged without a time, with those of their children that are staged, too. Not by stock and prices: a key that may not
// see them would see in the product's time that they changed. (The change feed reports them to those that may.)
const stampedParents = (compared: readonly RelationChanges[], tables: StagedTables) =>
  compared.flatMap((child) => {
    const isShown = !['store_id', 'price_list_id'].some((column) => column in child.relation.columns)
    const parent = isShown && countChanges(child) > 0 ? parentOf(child.relation) : undefined
    const found = compared.find(({ relation }) => relation === parent?.relation)
    return parent && found && tables.columnsOf(found.relation).includes(updatedAt) && found.counts.unchanged > 0
      ? [{ child, column: parent.column, parent: found.relation }]
      : []
  })

// The ids of the records whose children are new, changed or deleted.
function touchedParents(child: Staged, column: string, tables: StagedTables): string {
  const { relation, deletes } = child
  const [parent, table] = [quote(column), tables.table(relation)]
  const written = `${tables.stage(relation)} s JOIN ${tables.plan(relation)} p ON ${inPlan(relation, tables)}`
  return [
    `SELECT s.${parent} FROM ${written}`,
    `SELECT m.${parent} FROM ${written} JOIN ${table} m ON ${sameKey(relation, 'm', 's')}`,
    ...(deletes === 'none' ? [] : [`SELECT m.${parent} FROM ${table} m WHERE ${isMissing(child, tables)}`]),
  ].join(' UNION ')
}

const withChanged = (compared: readonly RelationChanges[], relation: Relation, more: number) =>
  compared.map((each) => {
    if (each.relation !== relation) return each
    const { changed, unchanged } = each.counts
    return { ...each, counts: { ...each.counts, changed: changed + more, unchanged: unchanged - more } }
  })

export async function writeAll(
  changing: readonly RelationChanges[],
  tables: StagedTables,
  options: WriteOptions,
): Promise<void> {
  const total = changing.reduce((sum, each) => sum + countChanges(each), 0)
  let done = 0
  const write = async (statement: string) => {
    done += await tables.affect(statement)
    options.onProgress({ what: 'writing', done, total: Math.max(done, total) })
    tables.signal.throwIfAborted()
  }
  for (const each of changing) {
    const { relation, counts } = each
    // Deleted rows first, because a new row may have the same unique values.
    if (counts.deleted > 0) await write(`DELETE FROM ${tables.table(relation)} AS m WHERE ${isMissing(each, tables)}`)
    for await (const part of tables.partsOfPlan(relation))
      for (const statement of writeStatements(each, part, tables, options)) await write(statement)
  }
}

function writeStatements(
  { relation, counts }: RelationChanges,
  part: string,
  tables: StagedTables,
  options: WriteOptions,
): string[] {
  const table = tables.table(relation)
  const names = tables.columnsOf(relation)
  const value = (name: string) => stagedValue(name, options, `'${options.stampedAt}'`)
  const sets = names.filter((name) => !relation.key.includes(name)).map((name) => `${quote(name)} = ${value(name)}`)
  const from = `FROM ${tables.plan(relation)} p CROSS JOIN ${tables.stage(relation)} s WHERE ${inPlan(relation, tables)} AND ${part}`
  const update = `UPDATE ${table} AS m SET ${sets.join(', ')} ${from} AND NOT p.is_new AND ${sameKey(relation, 'm', 's')}`
  const insert = `INSERT INTO ${table} (${names.map(quote).join(', ')}) SELECT ${names.map(value).join(', ')} ${from} AND p.is_new`
  return [...(counts.changed > 0 ? [update] : []), ...(counts.new > 0 ? [insert] : [])]
}
