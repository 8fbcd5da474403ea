// Rows of one relation in a temporary table of a SQLite connection: on disk where there are many, and no lock on the file is held.
import type { Relation } from '../../contract/relation.ts'
import { columnType } from '../../contract/relations.ts'
import { quote } from '../../sql/dialect.ts'
import { sqliteTypes } from '../../sql/sqlite-schema.ts'
import type { Sqlite } from '../../platform/sqlite.ts'
import { insertRows, prepareInserter } from '../insert-sqlite.ts'
import type { Duplicate, Stage, StagedRow } from './scan.ts'
import { writingTemporary } from './temporary-sqlite.ts'

export const stageTable = ({ name }: Relation) => `temp.${quote(`import_${name}`)}`

// The keys of those that are new or have changed.
export const planTable = ({ name }: Relation) => `temp.${quote(`import_${name}_plan`)}`

export function makeStage(database: Sqlite, relation: Relation): Stage {
  const columns = Object.keys(relation.columns)
  const isPair = relation.key.length > 1
  const definitions = columns.map(
    (name) =>
      `${quote(name)} ${sqliteTypes[columnType(relation, name)]}${!isPair && name === 'id' ? ' PRIMARY KEY' : ''}`,
  )
  const key = relation.key.map(quote).join(', ')
  const table = stageTable(relation)
  database.exec(
    `CREATE TABLE ${table} (${definitions.join(', ')}, _line INTEGER${isPair ? `, PRIMARY KEY (${key})) WITHOUT ROWID` : ')'}`,
  )
  database.exec(`CREATE TABLE ${planTable(relation)} (${key}, is_new INTEGER, PRIMARY KEY (${key})) WITHOUT ROWID`)
  const insert = `INSERT OR IGNORE INTO ${table} (${[...columns.map(quote), '_line'].join(', ')})`
  const inserter = prepareInserter(database, insert, columns.length + 1)
  const places = relation.key.map((name) => columns.indexOf(name))
  const lineOf = database.prepare(
    `SELECT _line FROM ${table} WHERE ${relation.key.map((name) => `${quote(name)} = ?`).join(' AND ')}`,
  )
  const found: Duplicate[] = []
  const duplicatesIn = (rows: readonly StagedRow[]) => {
    for (const row of rows) {
      const values = places.map((place) => row[place] ?? null)
      const [line, firstLine] = [Number(row.at(-1)), Number(lineOf.get(...values)?.['_line'])]
      if (line !== firstLine) found.push({ line, firstLine, key: values })
    }
  }
  let count = 0
  return {
    add: (rows) =>
      writingTemporary(
        () => {
          database.exec('BEGIN')
          const passedOver = rows.length - insertRows(inserter, rows)
          database.exec('COMMIT')
          count += passedOver
          if (passedOver > 0 && found.length < mostFound) duplicatesIn(rows)
        },
        { readsFile: false },
      ),
    duplicates: async (most) => ({ first: found.slice(0, most), count }),
  }
}

// More than anybody reads.
const mostFound = 10_000
