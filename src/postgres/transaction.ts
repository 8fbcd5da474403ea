// Several statements that hold together, on one connection. A failure leaves the connection to be thrown away.
import type { PostgresConnection } from './connection.ts'
import type { Pool } from './pool.ts'

export interface TransactionOptions {
  readonly begin?: string
  readonly signal?: AbortSignal | undefined
}

// What comes first does not wait for the beginning to be answered; what comes of it counts only if it was.
export const inTransaction = <Result>(
  pool: Pool,
  run: (connection: PostgresConnection) => Promise<Result>,
  { begin = 'BEGIN', signal }: TransactionOptions = {},
): Promise<Result> =>
  pool.use(async (connection) => {
    const [, result] = await Promise.all([connection.script(begin), run(connection)])
    await connection.script('COMMIT')
    return result
  }, signal)
