// Several statements that hold together, on one connection. A failure leaves the connection to be thrown away.
import type { PostgresConnection } from './connection.ts'
import type { Pool } from './pool.ts'

interface TransactionOptions {
  readonly begin?: string
  readonly signal?: AbortSignal | undefined
}

// Nothing is sent before the transaction has begun: were that cancelled, what was sent with it would run on by itself.
export const inTransaction = <Result>(
  pool: Pool,
  run: (connection: PostgresConnection) => Promise<Result>,
  { begin = 'BEGIN', signal }: TransactionOptions = {},
): Promise<Result> =>
  pool.use(async (connection) => {
    await connection.script(begin)
    const result = await run(connection)
    await connection.script('COMMIT')
    return result
  }, signal)
