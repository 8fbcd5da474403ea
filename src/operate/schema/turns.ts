// A long job on a SQLite file, in turns with the tills: whoever writes waits while a transaction of ours is open, so it ends once it
// has taken a while, and the others get time to come in (SQLite looks every tenth of a second whether it may write).
import { setTimeout as wait } from 'node:timers/promises'
import { OperatorError } from '../../errors.ts'
import type { Sqlite } from '../../platform/sqlite.ts'

const longMs = 100
const pauseMs = 150

// Runs one step of the job, whole, within a transaction.
export type Turn = <Result>(step: () => Result) => Promise<Result>

export async function inTurns<Result>(
  database: Sqlite,
  run: (turn: Turn, database: Sqlite) => Promise<Result>,
): Promise<Result> {
  const readVersion = () => database.prepare('PRAGMA schema_version').get()?.['schema_version']
  let version: unknown
  let begunAt = 0
  const begin = () => {
    database.exec('BEGIN IMMEDIATE')
    begunAt = performance.now()
    // What was made so far is not what it was.
    if (version !== undefined && readVersion() !== version)
      throw new OperatorError('Another program changed the schema meanwhile. Run the command again.', 1)
  }
  const commit = () => {
    version = readVersion()
    database.exec('COMMIT')
  }
  try {
    begin()
    const result = await run(async (step) => {
      if (performance.now() - begunAt > longMs) {
        commit()
        await wait(pauseMs)
        begin()
      }
      return step()
    }, database)
    commit()
    return result
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}
