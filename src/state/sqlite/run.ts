// How SQLite runs the steps of an operation: each statement at once.
import { inTransaction, type Sqlite, type SqliteStatement } from '../../platform/sqlite.ts'
import type { MethodRules } from '../methods.ts'
import { raw, sql, type Row, type Sql, type StateDialect, type Steps } from '../steps.ts'
import { applicationId } from './schema.ts'

export const sqliteDialect: StateDialect = {
  time: (now) => sql`${now}`,
  zeros: (length) => raw(`zeroblob(${length})`),
  elementsOf: (items) => sql`json_each(${JSON.stringify(items)})`,
  byBytes: raw(''),
  forUpdate: raw(''),
  forShare: raw(''),
  skipLocked: raw(''),
  lock: null,
}

export function createRunner(database: Sqlite) {
  const prepared = new Map<string, SqliteStatement>()
  const prepare = (text: string): SqliteStatement => {
    const known = prepared.get(text)
    if (known) return known
    const statement = database.prepare(text)
    statement.setReturnArrays(true)
    prepared.set(text, statement)
    return statement
  }
  // Not get(), which does not run the statement to its end: SQLite checkpoints its log only then.
  const execute = ({ texts, values }: Sql): readonly Row[] => {
    const plain = values.map((value) => (typeof value === 'boolean' ? Number(value) : value)) as (string | null)[]
    return prepare(texts.join('?')).all(...plain) as unknown as Row[]
  }
  const run = <Result>(steps: Steps<Result>): Result => {
    let step = steps.next()
    while (!step.done) {
      let rows: readonly Row[]
      try {
        rows = execute(step.value)
      } catch (error) {
        step = steps.throw(error)
        continue
      }
      step = steps.next(rows)
    }
    return step.value
  }

  const rowsChanged = (): unknown => execute(sql`SELECT total_changes()`)[0]?.[0]
  // Counted in the header of the file, so that an older copy of it is recognised (exchange.ts). SQLite counts a transaction only if it
  // writes the first page, on from the count that it has read.
  const plainly = <Result>(steps: Steps<Result>): Result => {
    database.exec('PRAGMA shrink_memory')
    return inTransaction(database, 'BEGIN IMMEDIATE', () => {
      const before = rowsChanged()
      const result = run(steps)
      if (rowsChanged() !== before) database.exec(`PRAGMA application_id = ${applicationId}`)
      return result
    })
  }
  // On the disk when it returns: a power cut must not undo a revocation. The log is checkpointed too, so that removing the log does
  // not bring a revoked key back.
  const durably = <Result>(steps: Steps<Result>): Result => {
    database.exec('PRAGMA synchronous = FULL')
    try {
      const result = plainly(steps)
      try {
        // A reader of an older snapshot can keep a passive checkpoint from finishing.
        const copied = database.prepare('PRAGMA wal_checkpoint').get()
        if (copied?.['checkpointed'] !== copied?.['log']) database.exec('PRAGMA wal_checkpoint(FULL)')
      } catch {
        // The change is committed, and in the log.
      }
      return result
    } finally {
      database.exec('PRAGMA synchronous = NORMAL')
    }
  }
  const transact = <Result>(steps: Steps<Result>, { transaction }: MethodRules): Result => {
    if (!transaction) return run(steps)
    return transaction === 'plain' ? plainly(steps) : durably(steps)
  }
  return { run, plainly, durably, transact }
}
