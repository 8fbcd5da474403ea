// How PostgreSQL runs the steps of an operation: each statement is awaited.
import type { PostgresConnection } from '../../platform/postgres/connection.ts'
import { inTransaction, type Pool } from '../../platform/postgres/pool.ts'
import { raw, sql, type Row, type Sql, type StateDialect, type Steps } from '../steps.ts'

export const postgresDialect: StateDialect = {
  time: (now) => sql`coalesce(${now}::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)`,
  zeros: (length) => raw(`decode(repeat('00', ${length}), 'hex')`),
  elementsOf: (items) => sql`json_array_elements(${JSON.stringify(items)}::json) AS element (value)`,
  byBytes: raw('COLLATE "C"'),
  forUpdate: raw('FOR UPDATE'),
  forShare: raw('FOR SHARE'),
  skipLocked: raw('FOR UPDATE SKIP LOCKED'),
  lock: (name) => raw(`SELECT pg_advisory_xact_lock(hashtext('vitrine'), hashtext('${name} of ' || current_schema()))`),
}

async function run<Result>(
  steps: Steps<Result>,
  execute: (statement: Sql) => Promise<readonly Row[]>,
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

const execute = (connection: PostgresConnection, { texts, values }: Sql) =>
  connection.rows(texts.map((text, at) => (at === 0 ? text : `$${at}${text}`)).join(''), values)

// Each statement on any connection.
export const runOn = <Result>(pool: Pool, steps: Steps<Result>): Promise<Result> =>
  run(steps, (statement) => pool.use((connection) => execute(connection, statement)))

export const transact = <Result>(pool: Pool, steps: Steps<Result>): Promise<Result> =>
  inTransaction(pool, (connection) => run(steps, (statement) => execute(connection, statement)))
