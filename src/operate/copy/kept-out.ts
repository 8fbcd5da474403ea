// Rows that the checks refuse are kept out of the copy, if they are few: their records keep their last good state, and a document keeps it
// with all of its lines and payments. In SQL, the state that is kept replaces what was staged, so that nothing changes about it. What is
// kept out is remembered, and read again in every round.
import type { Relation } from '../../contract/relation.ts'
import { findRelation } from '../../contract/relations.ts'
import { quote } from '../../sql/dialect.ts'
import type { Faults } from '../import/files.ts'
import type { ImportPlace, Staged } from '../import/place.ts'
import type { StoredValue } from '../import/values.ts'
import { familyOf, recordColumns, rootOf } from './families.ts'

export interface WrongRow {
  readonly line: number
  readonly faults: readonly { readonly column: string; readonly message: string; readonly where: string }[]
  // As the source has it.
  readonly text: string
  // null: cannot be read.
  readonly key: readonly StoredValue[] | null
  // The key of its record, which is the row itself or the document that it belongs to; null: cannot be read.
  readonly record: readonly StoredValue[] | null
  // The id of the record as a literal of the source.
  readonly literal: string | null
  // Its key is that of an earlier row.
  readonly isTwice?: true
}

// The wrong rows of a relation: the first ones, and the count of all.
export interface WrongRows {
  readonly relation: Relation
  readonly first: WrongRow[]
  count: number
}

export interface KeptOutRow {
  readonly relation: string
  readonly key: string
  readonly message: string
  // In milliseconds since 1970.
  readonly since: number
  // The keys of its records in the copy, as lists of numbers; none: unknown. A line that is in two documents has two.
  readonly records: readonly string[]
  readonly literal: string | null
}

export const keptOutMark = 'kept_out'

export const readKeptOut = (marks: ReadonlyMap<string, string>): readonly KeptOutRow[] =>
  JSON.parse(marks.get(keptOutMark) ?? '[]') as readonly KeptOutRow[]

// The number of rows by relation.
export const countKeptOut = (rows: readonly Pick<KeptOutRow, 'relation'>[]) =>
  [...Map.groupBy(rows, ({ relation }) => relation)].map(([relation, of]) => ({ relation, rows: of.length }))

export type KeptOutCount = ReturnType<typeof countKeptOut>[number]

// The ids of records that are read again, whatever their updated_at, as literals of the source.
export const idsToReadAgain = (rows: readonly KeptOutRow[], relation: Relation): string[] => [
  ...new Set(
    rows.flatMap((row) => (familyOf(findRelation(row.relation)) === familyOf(relation) ? (row.literal ?? []) : [])),
  ),
]

const leastKeptOut = 10
const keptOutShare = 1000

interface KeepOutOptions {
  readonly before: readonly KeptOutRow[]
  // The most rows of one relation that are kept out.
  readonly most: number
  readonly wasCopied: (relation: Relation) => boolean
  readonly now: number
}

// Keeps wrong rows out, and returns those that are out now. If there are too many, they are faults, and nothing is kept out.
export async function keepOut(
  place: ImportPlace,
  ways: readonly Staged[],
  { wrong, faults, ...options }: KeepOutOptions & { readonly wrong: readonly WrongRows[]; readonly faults: Faults },
): Promise<readonly KeptOutRow[]> {
  const known = new Map(options.before.map((row) => [nameOf(row), row]))
  const rows = await Promise.all(
    wrong.flatMap(({ relation, first }) =>
      first.map((row) => keptRow(place, relation, row, { known, now: options.now })),
    ),
  )
  const all = [...rows, ...(await notReadAgain(place, ways, options.before, rows))]
  for (const each of wrong) await refuseMany(place, each, { ...options, all, faults })
  if (faults.count === 0) await keepState(place, ways, all)
  return all
}

const nameOf = ({ relation, key }: Pick<KeptOutRow, 'relation' | 'key'>) => `${relation} ${key}`

async function keptRow(
  place: ImportPlace,
  relation: Relation,
  { faults, text, key, record, literal, isTwice }: WrongRow,
  { known, now }: { readonly known: ReadonlyMap<string, KeptOutRow>; readonly now: number },
): Promise<KeptOutRow> {
  const documentIn = async (table: string) => {
    if (relation.parent === undefined || key === null) return []
    const parent = quote(relation.parent)
    return place.rows(`SELECT ${parent} FROM ${table} WHERE id = ${numberText(key[0])} AND ${parent} IS NOT NULL`, [])
  }
  const row = { relation: relation.name, key: text }
  const records = [
    ...(record === null ? [] : [record]),
    // A line that does not say its document belongs to the one that it belongs to in the copy.
    ...(record === null ? await documentIn(quote(relation.name)) : []),
    ...(isTwice ? await documentIn(place.stage(relation)) : []),
  ]
  return {
    ...row,
    message: faults.map(({ column, message }) => `${column}: ${message}`).join(' '),
    since: Math.min(known.get(nameOf(row))?.since ?? now, now),
    records: [...new Set(records.map((each) => each.map(numberText).join(', ')))],
    literal,
  }
}

// Ids are numbers: they can be written into a statement.
const numberText = (value: unknown): string => String(BigInt(value as number | bigint | string))

// Rows of earlier rounds whose records were not read in this one.
async function notReadAgain(
  place: ImportPlace,
  ways: readonly Staged[],
  before: readonly KeptOutRow[],
  now: readonly KeptOutRow[],
): Promise<KeptOutRow[]> {
  const named = new Set(now.map(nameOf))
  const left: KeptOutRow[] = []
  for (const row of before) {
    const way = ways.find(({ relation }) => relation.name === row.relation)
    if (!way || way.deletes === 'all' || named.has(nameOf(row))) continue
    const roots = ways.filter(
      ({ relation }) => relation === rootOf(relation) && familyOf(relation) === familyOf(way.relation),
    )
    const isRead = async ({ relation }: Staged) =>
      (await place.rows(`SELECT 1 FROM ${place.stage(relation)} WHERE id IN (${row.records.join(', ')})`, [])).length >
      0
    const areRead = row.records.length === 0 ? [] : await Promise.all(roots.map(isRead))
    if (!areRead.includes(true)) left.push(row)
  }
  return left
}

interface BoundOptions extends Pick<KeepOutOptions, 'most' | 'wasCopied'> {
  readonly all: readonly KeptOutRow[]
  readonly faults: Faults
}

// A first copy keeps nothing out: its views are probably wrong.
async function refuseMany(place: ImportPlace, wrong: WrongRows, { most, wasCopied, all, faults }: BoundOptions) {
  const { relation, first, count } = wrong
  if (count === 0) return
  const [[held] = []] = await place.rows(`SELECT count(*) FROM ${quote(relation.name)}`, [])
  const bound = wasCopied(relation)
    ? Math.min(most, Math.max(leastKeptOut, Math.floor(Number(held) / keptOutShare)))
    : 0
  const out = all.filter((row) => row.relation === relation.name).length + count - first.length
  if (out <= bound) return
  for (const row of first)
    for (const { column, message, where } of row.faults)
      faults.add(relation.name, row.line, column, `${message}${where}`)
  faults.count += count - first.length
  if (bound > 0)
    faults.add(
      relation.name,
      null,
      null,
      `${out} rows are wrong; at most ${bound} would be kept out, and the others copied.`,
    )
}

// Stages the rows of the copy in place of those that were read.
async function keepState(place: ImportPlace, ways: readonly Staged[], kept: readonly KeptOutRow[]): Promise<void> {
  const families = Map.groupBy(kept, ({ relation }) => familyOf(findRelation(relation)))
  for (const [family, rows] of families) {
    const members = ways.map(({ relation }) => relation).filter((relation) => familyOf(relation) === family)
    const records = new Set(rows.flatMap((row) => row.records))
    if (records.size === 0) continue
    await addMoved(place, members, records)
    for (const relation of members) {
      const [stage, table, key] = [place.stage(relation), quote(relation.name), tuple(relation.key)]
      const columns = Object.keys(relation.columns).map(quote).join(', ')
      const isKept = among(recordColumns(relation), records)
      await place.rows(
        `DELETE FROM ${stage} WHERE ${isKept} OR ${key} IN (SELECT ${keyList(relation)} FROM ${table} WHERE ${isKept})`,
        [],
      )
      await place.rows(`INSERT INTO ${stage} (${columns}) SELECT ${columns} FROM ${table} WHERE ${isKept}`, [])
    }
  }
}

const keyList = ({ key }: Relation) => key.map(quote).join(', ')
const tuple = (columns: readonly string[]) => `(${columns.map(quote).join(', ')})`
const among = (columns: readonly string[], records: ReadonlySet<string>) =>
  `${tuple(columns)} IN (VALUES ${[...records].map((record) => `(${record})`).join(', ')})`

// A document that took a line from a document that is kept is kept, too.
async function addMoved(place: ImportPlace, members: readonly Relation[], records: Set<string>): Promise<void> {
  for (let size = 0; size < records.size;) {
    size = records.size
    for (const { name, parent } of members) {
      if (parent === undefined) continue
      const isKept = among([parent], records)
      const moved = await place.rows(
        `SELECT DISTINCT ${quote(parent)} FROM ${place.stage(findRelation(name))}\n` +
          `WHERE id IN (SELECT id FROM ${quote(name)} WHERE ${isKept}) AND ${quote(parent)} IS NOT NULL AND NOT ${isKept}`,
        [],
      )
      for (const [id] of moved) records.add(numberText(id))
    }
  }
}
