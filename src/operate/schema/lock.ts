// One tool at a time changes the relations of a database. The lock is only tried for: to wait for it would hold up the very
// index build that holds it.
import { OperatorError } from '../../errors.ts'
import type { PostgresConnection } from '../../platform/postgres/connection.ts'

export async function lockRelations(connection: PostgresConnection): Promise<void> {
  const [row] = await connection.rows(`SELECT pg_try_advisory_lock(hashtext('vitrine'), hashtext('relations'))`)
  if (row?.[0] !== true)
    throw new OperatorError(
      'Another "schema apply", "demo" or "import" is at work on this database; wait for its end.',
      1,
    )
}

// Before the session ends: the server may be a while about that, with much to clear away, and the next tool would find it locked.
export const unlockRelations = (connection: PostgresConnection): Promise<void> =>
  connection.script('SELECT pg_advisory_unlock_all()')
