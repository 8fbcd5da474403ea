// The first statements of every session: they set whatever a role or a database may have configured differently.
import type { PostgresUrl } from './url.ts'
import { quoteName } from './names.ts'

interface SessionOptions {
  // 0: no timeout.
  readonly timeoutMs: number
  readonly isReadOnly?: boolean
}

const longestLockMs = 1000

export function sessionSetUp({ schema }: PostgresUrl, { timeoutMs, isReadOnly = false }: SessionOptions): string {
  const forReaders = isReadOnly
    ? {
        // Short, so that a schema change does not wait behind a queue of readers.
        lock_timeout: Math.min(timeoutMs, longestLockMs),
        // Memory and cores belong to the tills.
        work_mem: `'4MB'`,
        max_parallel_workers_per_gather: 0,
      }
    : {}
  const settings = {
    search_path: quoteName(schema),
    default_transaction_read_only: isReadOnly ? 'on' : 'off',
    default_transaction_isolation: `'read committed'`,
    statement_timeout: timeoutMs,
    // None: requests wait for the row of their window by design, within the statement timeout.
    lock_timeout: 0,
    idle_in_transaction_session_timeout: timeoutMs,
    client_encoding: `'UTF8'`,
    datestyle: `'ISO, YMD'`,
    bytea_output: `'hex'`,
    extra_float_digits: 1,
    standard_conforming_strings: 'on',
    // Compiling pays only for statements that run for seconds.
    jit: 'off',
    // For solid state disks: with the default, the planner often ignores the index of a filter.
    random_page_cost: 1.1,
    ...forReaders,
  }
  return Object.entries(settings)
    .map(([name, value]) => `SET ${name} = ${value}`)
    .join('; ')
}
