// Locks of commands that change relations in PostgreSQL.
import { setTimeout as wait } from 'node:timers/promises'
import { PostgresFailure, type PostgresConnection } from '../../platform/postgres/connection.ts'
import { OperatorError } from '../../errors.ts'

const lockTimeoutMs = 200
const lockNotAvailable = '55P03'

// Runs statements in a transaction and retries until it gets its locks. A statement that waits for a lock holds up every
// writer after it, so each attempt waits only briefly. `end` follows the statements within their transaction.
export async function runBriefly(
  connection: PostgresConnection,
  statements: readonly string[],
  { end = 'COMMIT', signal }: { readonly end?: string; readonly signal?: AbortSignal } = {},
): Promise<void> {
  for (;;) {
    try {
      await connection.script(`BEGIN; SET LOCAL lock_timeout = ${lockTimeoutMs}; ${statements.join(';\n')}; ${end}`)
      return
    } catch (error) {
      // Fails if the connection is lost, when nothing is left to roll back.
      await connection.script('ROLLBACK').catch(() => {})
      if (!(error instanceof PostgresFailure) || error.code !== lockNotAvailable) throw error
    }
    await wait(lockTimeoutMs, undefined, signal ? { signal } : {})
  }
}

// One command at a time changes the relations of a schema, whose name is the search path: the schema may not be there yet. It does
// not wait for the lock: waiting would block the index build that holds it.
export async function withRelationsLocked<Result>(
  connection: PostgresConnection,
  work: () => Promise<Result>,
): Promise<Result> {
  const [row] = await connection.rows(
    `SELECT pg_try_advisory_lock(hashtext('vitrine'), hashtext('relations of ' || current_setting('search_path')))`,
  )
  if (row?.[0] !== true)
    throw new OperatorError(
      'Another "schema apply", "demo", "import" or "copy" is at work on this schema; wait for its end.',
      1,
    )
  try {
    return await work()
  } finally {
    // The server may take a while to end the session, and the next command would find the lock taken. A pending request to cancel may
    // hit this statement.
    if (connection.isUsable()) await connection.script('SELECT pg_advisory_unlock_all()').catch(() => {})
  }
}

const pollMs = 1000

// An ordinary role sees fewer details of other sessions.
const blockers = `
  SELECT pid, concat_ws(', ', 'process ' || pid, 'user ' || usename, nullif(application_name, ''),
    'open since ' || to_char(xact_start, 'YYYY-MM-DD HH24:MI:SS'))
  FROM pg_stat_activity WHERE pid = ANY (pg_blocking_pids($1))`

// An index that is built concurrently waits, silently, for every older transaction. Each of these is reported once, when two
// polls in a row have found it.
export async function remarkOnBlockers(
  watcher: PostgresConnection,
  processId: number,
  remark: (text: string) => void,
  until: AbortSignal,
): Promise<void> {
  const reported = new Set<unknown>()
  let previous = new Set<unknown>()
  while (!until.aborted) {
    const rows = await watcher.rows(blockers, [processId])
    for (const [pid, description] of rows) {
      if (!previous.has(pid) || reported.has(pid)) continue
      reported.add(pid)
      remark(`Waiting for the end of a transaction (${String(description)}).`)
    }
    previous = new Set(rows.map(([pid]) => pid))
    await wait(pollMs, undefined, { signal: until }).catch(() => {})
  }
}
