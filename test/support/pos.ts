// A POS database for a test: the schema of the contract and the rows that the test names, in a file of its own.
import { relations } from '../../src/contract/relations.ts'
import { schemaStatements } from '../../src/sql/schema.ts'
import { sqliteSchema } from '../../src/sql/sqlite-schema.ts'
import { inTransaction, openSqlite, type Sqlite, type SqliteStatement } from '../../src/platform/sqlite.ts'

export type Cell = string | number | bigint | boolean | null
export type Rows = Readonly<Record<string, readonly Readonly<Record<string, Cell>>[]>>

// Columns, by relation.
export type Lacking = Readonly<Record<string, readonly string[]>>

export function makePos(path: string, rows: Rows, statements = schemaStatements(sqliteSchema)): void {
  const database = openSqlite(path)
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF')
    for (const statement of statements) database.exec(statement)
    insertRows(database, rows)
  } finally {
    database.close()
  }
}

export function insertRows(database: Sqlite, rows: Rows): void {
  // To prepare one takes as long as all triggers take to compile: many times as long as to run it.
  const prepared = new Map<string, SqliteStatement>()
  inTransaction(database, 'BEGIN', () => {
    for (const [relation, list] of Object.entries(rows)) {
      const known = relations.find(({ name }) => name === relation)
      if (!known) throw new Error(`no relation ${relation}`)
      for (const row of list) {
        const columns = Object.keys(row)
        const unknown = columns.filter((column) => !(column in known.columns))
        if (unknown.length > 0) throw new Error(`${relation} has no ${unknown.join(', ')}`)
        const names = columns.map((column) => `"${column}"`).join(', ')
        const text = `INSERT INTO "${relation}" (${names}) VALUES (${columns.map(() => '?').join(', ')})`
        const insert = prepared.get(text) ?? database.prepare(text)
        prepared.set(text, insert)
        insert.run(...Object.values(row).map((cell) => (typeof cell === 'boolean' ? Number(cell) : cell)))
      }
    }
  })
}
