// How PostgreSQL runs the steps of an operation: each statement is awaited.
import { inTransaction, type Pool } from '../../platform/postgres/pool.ts'
import type { Row, StateDialect, Statement, Steps } from '../steps.ts'

export const postgresDialect: StateDialect = {
  time: (parameter) => `coalesce(${parameter}::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)`,
  zeros: (length) => `decode(repeat('00', ${length}), 'hex')`,
  elementsOf: (parameter) => `json_array_elements(${parameter}::json) AS element (value)`,
  byBytes: 'COLLATE "C"',
  forUpdate: 'FOR UPDATE',
  forShare: 'FOR SHARE',
  skipLocked: 'FOR UPDATE SKIP LOCKED',
  lock: (name) => `SELECT pg_advisory_xact_lock(hashtext('vitrine'), hashtext('${name} of ' || current_schema()))`,
}

async function run<Result>(
  steps: Steps<Result>,
  execute: (statement: Statement) => Promise<readonly Row[]>,
): Promise<Result> {
  let step = steps.next()
  while (!step.done) {
    let rows: readonly Row[]
    try {
      rows = await execute(step.value)
    } catch (error) {
      step = steps.throw(error)
      continue
    }
    step = steps.next(rows)
  }
  return step.value
}

// Each statement on any connection.
export const runOn = <Result>(pool: Pool, steps: Steps<Result>): Promise<Result> =>
  run(steps, ({ text, values }) => pool.use((connection) => connection.rows(text, values)))

export const transact = <Result>(pool: Pool, steps: Steps<Result>): Promise<Result> =>
  inTransaction(pool, (connection) => run(steps, ({ text, values }) => connection.rows(text, values)))
