// What a copy remembers beside the relations, in two tables of the copy: the numbers of ids that are texts in the source, and how far
// each relation was read. A number is never given twice and never changes.
import { relations } from '../../contract/relations.ts'
import { OperatorError } from '../../errors.ts'
import { quote } from '../../sql/dialect.ts'
import type { ImportPlace } from '../import/place.ts'
import { copyMarksTable } from '../schema/plan.ts'
import type { RoundedColumn } from './doubles.ts'

const numbersTable = 'vitrine_copy_numbers'

const tables = [
  `CREATE TABLE IF NOT EXISTS ${numbersTable} (space text NOT NULL, key text NOT NULL, number bigint NOT NULL,
    PRIMARY KEY (space, key), UNIQUE (space, number))`,
  `CREATE TABLE IF NOT EXISTS ${copyMarksTable} (name text PRIMARY KEY, value text NOT NULL)`,
]

// Keys and marks are given as JSON.
const dialects = {
  sqlite: {
    isThere: `SELECT 1 FROM sqlite_schema WHERE name = '${copyMarksTable}'`,
    find: `SELECT key, number FROM ${numbersTable} WHERE space = ? AND key IN (SELECT value FROM json_each(?))`,
    add: `INSERT INTO ${numbersTable} (space, key, number)
      SELECT ?, value, (SELECT coalesce(max(number), 0) FROM ${numbersTable} WHERE space = ?) + 1 + key FROM json_each(?)`,
    mark: `INSERT INTO ${copyMarksTable} (name, value) SELECT key, value FROM json_each(?)`,
    keyOf: `SELECT key FROM ${numbersTable} WHERE space = ? AND number = ?`,
    forget: `DELETE FROM ${copyMarksTable} WHERE name IN (SELECT value FROM json_each(?))`,
  },
  postgres: {
    isThere: `SELECT 1 WHERE to_regclass('${copyMarksTable}') IS NOT NULL`,
    find: `SELECT key, number FROM ${numbersTable} WHERE space = $1 AND key IN (SELECT jsonb_array_elements_text($2::jsonb))`,
    add: `INSERT INTO ${numbersTable} (space, key, number)
      SELECT $1, key, (SELECT coalesce(max(number), 0) FROM ${numbersTable} WHERE space = $2) + place
      FROM jsonb_array_elements_text($3::jsonb) WITH ORDINALITY AS given (key, place)`,
    mark: `INSERT INTO ${copyMarksTable} (name, value) SELECT key, value FROM jsonb_each_text($1::jsonb)`,
    keyOf: `SELECT key FROM ${numbersTable} WHERE space = $1 AND number = $2`,
    forget: `DELETE FROM ${copyMarksTable} WHERE name IN (SELECT jsonb_array_elements_text($1::jsonb))`,
  },
}

export interface CopyMemory {
  // Spaces whose ids are texts.
  readonly spaces: Set<string>
  readonly marks: ReadonlyMap<string, string>
  // The numbers of these keys; a new key gets the next number at once.
  numbersOf(space: string, keys: ReadonlySet<string>): Promise<ReadonlyMap<string, number>>
  // The key that got this number; the number itself if keys are numbers.
  keyOf(space: string, number: number): Promise<string>
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

// With another digest of the views, or none, the next round compares everything.
export const viewsMark = 'views'

// Refuses a database with rows that no copy made: they would be deleted.
export async function openMemory(place: ImportPlace): Promise<CopyMemory> {
  const { engine, name, rows } = place
  const { isThere, find, add, mark, keyOf, forget } = dialects[engine]
  if ((await rows(isThere, [])).length === 0) {
    const used = []
    for (const relation of relations)
      if ((await rows(`SELECT 1 FROM ${quote(relation.name)} LIMIT 1`, [])).length > 0) used.push(relation.name)
    if (used.length > 0)
      throw new OperatorError(
        `There are rows in ${name} that no copy made (${used.join(', ')}): name an empty database in VITRINE_DATABASE_URL.`,
        1,
      )
    for (const table of tables) await rows(table, [])
  }
  const spaces = await rows(`SELECT DISTINCT space FROM ${numbersTable}`, [])
  return {
    spaces: new Set(spaces.map(([space]) => String(space))),
    marks: await readMarks(place),
    async numbersOf(space, keys) {
      const found = async () => {
        const known = await rows(find, [space, JSON.stringify([...keys])])
        return new Map(known.map(([key, number]) => [String(key), Number(number)]))
      }
      const known = await found()
      const added = [...keys].filter((key) => !known.has(key))
      if (added.length === 0) return known
      await rows(add, [space, space, JSON.stringify(added)])
      return found()
    },
    async keyOf(space, number) {
      const [[key] = []] = await rows(keyOf, [space, number])
      return typeof key === 'string' ? key : String(number)
    },
    async mark(given) {
      await rows(forget, [JSON.stringify(Object.keys(given))])
      await rows(mark, [JSON.stringify(given)])
    },
  }
}
