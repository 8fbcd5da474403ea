// Several statements that hold together, on one connection. A failure leaves the connection to be thrown away.
import type { PostgresConnection } from '../../postgres/connection.ts'
import type { Pool } from '../../postgres/pool.ts'

export const inTransaction = <Result>(pool: Pool, run: (connection: PostgresConnection) => Promise<Result>) =>
  pool.use(async (connection) => {
    await connection.script('BEGIN')
    const result = await run(connection)
    await connection.script('COMMIT')
    return result
  })
