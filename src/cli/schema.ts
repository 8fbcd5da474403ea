// `vitrine schema apply` and `schema print`: the relations of the source contract with their indexes.
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { sqlitePath } from '../engine/open.ts'
import { checkSqliteFile } from '../engine/sqlite/check.ts'
import { OperatorError } from '../errors.ts'
import { makeFolder } from '../files.ts'
import { postgresSchema } from '../sql/postgres.ts'
import { schemaStatements } from '../sql/schema.ts'
import { sqliteSchema } from '../sql/sqlite-schema.ts'
import { inTransaction, readSqliteHeader, openSqlite } from '../sqlite.ts'
import type { Runnable } from './runnable.ts'

const dialects = { sqlite: sqliteSchema, postgres: postgresSchema }

export const schemaApply: Runnable = {
  name: 'schema apply',
  summary: 'Makes the relations of the source contract, with their indexes, in the connected database.',
  details: 'Can be repeated: what is there already stays as it is.',
  operands: [],
  options: [],
  run({ settings: { databaseUrl }, output }) {
    const path = sqlitePath(databaseUrl)
    makeFolder(dirname(path))
    if (existsSync(path) && !readSqliteHeader(path)) throw new OperatorError(`${path} is not a SQLite database.`)
    const database = openSqlite(path, { lockTimeoutMs: 5000 })
    try {
      // Readers then never hold up the point-of-sale system's writers, nor they the readers.
      database.exec('PRAGMA journal_mode = WAL')
      const statements = schemaStatements(sqliteSchema)
      inTransaction(database, 'BEGIN IMMEDIATE', () => statements.forEach((statement) => database.exec(statement)))
      // Tables that were there before may lack columns: what is there stays as it is.
      const problems = checkSqliteFile(path)
      if (problems.length > 0) throw new OperatorError(problems.join('\n'), 1)
      output.result({ database: path, statements: statements.length }, `The schema is in place in ${path}.`)
    } finally {
      database.close()
    }
  },
}

export const schemaPrint: Runnable = {
  name: 'schema print',
  summary: 'Prints the statements that make the relations, with their indexes.',
  operands: [],
  options: [{ name: 'dialect', value: 'sqlite|postgres', help: 'For which engine (default: sqlite).' }],
  run({ options, output }) {
    const name = options['dialect'] ?? 'sqlite'
    if (!(name in dialects)) throw new OperatorError(`--dialect is sqlite or postgres, not "${name}".`)
    const statements = schemaStatements(dialects[name as keyof typeof dialects])
    output.result({ dialect: name, statements }, statements.map((statement) => `${statement};`).join('\n\n'))
  },
}
