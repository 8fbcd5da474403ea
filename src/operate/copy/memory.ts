// What a copy remembers beside the relations, in two tables of the copy: which texts have which numbers, so that two texts never share
// one, and how far each relation was read.
import type { Relation } from '../../contract/relation.ts'
import { relations } from '../../contract/relations.ts'
import { OperatorError } from '../../errors.ts'
import { quote } from '../../sql/dialect.ts'
import type { ImportPlace } from '../import/place.ts'
import { copyMarksTable } from '../schema/plan.ts'
import type { RoundedColumn } from './doubles.ts'
import { isHashed, numberTexts, type KeyTable } from './keys.ts'

const numbersTable = 'vitrine_copy_numbers'

// Keys are looked up by number, so that numbers come first in the primary key.
const tables = {
  sqlite: `CREATE TABLE ${numbersTable} (space text NOT NULL, number integer NOT NULL, key text NOT NULL,
    PRIMARY KEY (space, number)) WITHOUT ROWID`,
  postgres: `CREATE TABLE ${numbersTable} (space text NOT NULL, number bigint NOT NULL, key text NOT NULL,
    PRIMARY KEY (space, number))`,
}
const marksTable = `CREATE TABLE IF NOT EXISTS ${copyMarksTable} (name text PRIMARY KEY, value text NOT NULL)`

// Lists and marks are given as JSON.
const dialects = {
  sqlite: {
    isThere: `SELECT 1 FROM sqlite_schema WHERE name = '${copyMarksTable}'`,
    find: `SELECT number, key FROM ${numbersTable} WHERE space = ? AND number IN (SELECT value FROM json_each(?))`,
    add: `INSERT INTO ${numbersTable} (space, number, key) SELECT ?, CAST(key AS integer), value FROM json_each(?)`,
    mark: `INSERT INTO ${copyMarksTable} (name, value) SELECT key, value FROM json_each(?)`,
    forget: `DELETE FROM ${copyMarksTable} WHERE name IN (SELECT value FROM json_each(?))`,
  },
  postgres: {
    isThere: `SELECT 1 WHERE to_regclass('${copyMarksTable}') IS NOT NULL`,
    find: `SELECT number, key FROM ${numbersTable} WHERE space = $1
      AND number IN (SELECT value::bigint FROM jsonb_array_elements_text($2::jsonb))`,
    add: `INSERT INTO ${numbersTable} (space, number, key) SELECT $1, key::bigint, value FROM jsonb_each_text($2::jsonb)`,
    mark: `INSERT INTO ${copyMarksTable} (name, value) SELECT key, value FROM jsonb_each_text($1::jsonb)`,
    forget: `DELETE FROM ${copyMarksTable} WHERE name IN (SELECT jsonb_array_elements_text($1::jsonb))`,
  },
}

export interface CopyMemory {
  readonly marks: ReadonlyMap<string, string>
  // The numbers of keys that are texts.
  numbersOf(space: string, keys: ReadonlySet<string>): Promise<ReadonlyMap<string, number>>
  // The key that has this number; the number itself if no text has it.
  keyOf(space: string, number: unknown): Promise<string>
  // Sets marks; undefined removes one.
  mark(marks: Readonly<Record<string, string | undefined>>): Promise<void>
}

// Empty if nothing was copied yet.
export async function readMarks({
  engine,
  rows,
}: Pick<ImportPlace, 'engine' | 'rows'>): Promise<ReadonlyMap<string, string>> {
  if ((await rows(dialects[engine].isThere, [])).length === 0) return new Map()
  const marks = await rows(`SELECT name, value FROM ${copyMarksTable}`, [])
  return new Map(marks.map(([name, value]) => [String(name), String(value)]))
}

// The columns that the last whole round did not copy exactly.
export const roundedMark = 'rounded'

export const readRounded = (marks: ReadonlyMap<string, string>): readonly RoundedColumn[] =>
  JSON.parse(marks.get(roundedMark) ?? '[]') as readonly RoundedColumn[]

// How keys are numbered. A copy that was made with another format is made anew.
const format = '1'
const formatMark = 'format'
// With another digest of the views, or none, the next round compares everything.
export const viewsMark = 'views'
// The relations that are in the copy, with rows or without.
export const relationsMark = 'relations'

export function copiedBefore(marks: ReadonlyMap<string, string>): (relation: Relation) => boolean {
  const names = new Set(marks.has(viewsMark) ? (JSON.parse(marks.get(relationsMark) ?? '[]') as string[]) : [])
  return ({ name }) => names.has(name)
}

// When the last round that succeeded began, in milliseconds since 1970.
export const copiedMark = 'copied'

// Whether the ids of a relation are texts, as its rows had them last.
export type KeyKinds = Map<string, boolean>
const kindsMark = 'kinds'

export const readKinds = (marks: ReadonlyMap<string, string>): KeyKinds =>
  new Map(Object.entries(JSON.parse(marks.get(kindsMark) ?? '{}') as Record<string, boolean>))

export const kindsMarks = (kinds: KeyKinds): Readonly<Record<string, string>> => ({
  [kindsMark]: JSON.stringify(Object.fromEntries(kinds)),
})

// Refuses a database with rows that no copy made: they would be deleted.
export async function openMemory(place: ImportPlace, remark: (text: string) => void): Promise<CopyMemory> {
  const { engine, name, rows } = place
  const { isThere, find, add, mark, forget } = dialects[engine]
  const isNew = (await rows(isThere, [])).length === 0
  if (isNew) {
    const used = []
    for (const relation of relations)
      if ((await rows(`SELECT 1 FROM ${quote(relation.name)} LIMIT 1`, [])).length > 0) used.push(relation.name)
    if (used.length > 0)
      throw new OperatorError(
        `There are rows in ${name} that no copy made (${used.join(', ')}): name an empty database in VITRINE_DATABASE_URL.`,
        1,
      )
  }
  const setMarks: CopyMemory['mark'] = async (given) => {
    await rows(forget, [JSON.stringify(Object.keys(given))])
    await rows(mark, [JSON.stringify(given)])
  }
  const given = await readMarks(place)
  if (given.get(formatMark) !== format) {
    if (!isNew)
      remark(`The copy in ${name} was made by another version, which numbered keys differently: it is made anew.`)
    // If the process is killed between these, the next one begins here again.
    await rows(marksTable, [])
    // The service goes on answering from the copy that is there.
    await rows(forget, [JSON.stringify([...given.keys()].filter((mark) => mark !== copiedMark))])
    await rows(`DROP TABLE IF EXISTS ${numbersTable}`, [])
    await rows(tables[engine], [])
    await setMarks({ [formatMark]: format })
  }
  const table: KeyTable = {
    async find(space, numbers) {
      const found = await rows(find, [space, JSON.stringify(numbers)])
      return new Map(found.map(([number, key]) => [Number(number), String(key)]))
    },
    async add(space, keys) {
      await rows(add, [space, JSON.stringify(Object.fromEntries(keys))])
    },
  }
  return {
    mark: setMarks,
    marks: await readMarks(place),
    numbersOf: (space, keys) => numberTexts(space, keys, table),
    async keyOf(space, number) {
      const plain = Number(number)
      const found = isHashed(plain) ? (await table.find(space, [plain])).get(plain) : undefined
      return found ?? String(number)
    },
  }
}
