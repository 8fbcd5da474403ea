// What a statement on another connection waits for, told to the operator: an index that is built concurrently waits for
// every transaction that was there before it, and nothing is to be seen of that.
import { setTimeout as wait } from 'node:timers/promises'
import type { PostgresConnection } from '../../platform/postgres/connection.ts'

const lookEveryMs = 1000

// To an ordinary role, the server tells less of others.
const blockers = `
  SELECT pid, concat_ws(', ', 'process ' || pid, 'user ' || usename, nullif(application_name, ''),
    'open since ' || to_char(xact_start, 'YYYY-MM-DD HH24:MI:SS'))
  FROM pg_stat_activity WHERE pid = ANY (pg_blocking_pids($1))`

// Each is told of once, and only if it is met at two looks in a row: a short wait is nothing to tell of.
export async function tellWaiting(
  watcher: PostgresConnection,
  processId: number,
  remark: (text: string) => void,
  until: AbortSignal,
): Promise<void> {
  const told = new Set<unknown>()
  let before = new Set<unknown>()
  while (!until.aborted) {
    const rows = await watcher.rows(blockers, [processId])
    for (const [pid, description] of rows) {
      if (!before.has(pid) || told.has(pid)) continue
      told.add(pid)
      remark(`Waiting for the end of a transaction (${String(description)}).`)
    }
    before = new Set(rows.map(([pid]) => pid))
    await wait(lookEveryMs, undefined, { signal: until }).catch(() => {})
  }
}
