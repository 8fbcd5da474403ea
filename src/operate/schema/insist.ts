// A lock on a relation that somebody is writing is had in passing or not at all: whoever waits for it holds up all writers that come
// after. So it is tried again and again, for a moment each time.
import { setTimeout as wait } from 'node:timers/promises'
import { PostgresFailure, type PostgresConnection } from '../../platform/postgres/connection.ts'

const lockTimeoutMs = 200
const lockNotAvailable = '55P03'

// `end` is what follows the statements within their transaction.
export async function insist(
  connection: PostgresConnection,
  statements: readonly string[],
  { end = 'COMMIT', signal }: { readonly end?: string; readonly signal?: AbortSignal } = {},
): Promise<void> {
  for (;;) {
    try {
      await connection.script(`BEGIN; SET LOCAL lock_timeout = ${lockTimeoutMs}; ${statements.join(';\n')}; ${end}`)
      return
    } catch (error) {
      await connection.script('ROLLBACK')
      if (!(error instanceof PostgresFailure) || error.code !== lockNotAvailable) throw error
    }
    await wait(lockTimeoutMs, undefined, signal ? { signal } : {})
  }
}
