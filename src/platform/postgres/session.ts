// How every session begins: what a role or a database may have set otherwise, and would change what we read, is set here.
import type { PostgresUrl } from './url.ts'
import { quoteName } from './names.ts'

interface SessionOptions {
  // 0: without end.
  readonly timeoutMs: number
  readonly isReadOnly?: boolean
}

const longestLockMs = 1000

export function sessionSetUp({ schema }: PostgresUrl, { timeoutMs, isReadOnly = false }: SessionOptions): string {
  const forReaders = isReadOnly
    ? {
        // Whoever changes a table is not to find a queue of us before it.
        lock_timeout: Math.min(timeoutMs, longestLockMs),
        // Of many at once each takes little: memory and cores are the tills'.
        work_mem: `'4MB'`,
        max_parallel_workers_per_gather: 0,
      }
    : {}
  const settings = {
    search_path: quoteName(schema),
    default_transaction_read_only: isReadOnly ? 'on' : 'off',
    default_transaction_isolation: `'read committed'`,
    statement_timeout: timeoutMs,
    // The row of a window is waited for by design; the statement's own time bounds it.
    lock_timeout: 0,
    idle_in_transaction_session_timeout: timeoutMs,
    client_encoding: `'UTF8'`,
    datestyle: `'ISO, YMD'`,
    bytea_output: `'hex'`,
    extra_float_digits: 1,
    standard_conforming_strings: 'on',
    // Compiling a statement pays only for reports that run for seconds.
    jit: 'off',
    // Of solid state disks: with the default, meant for others, a filter's own index often seems not worth while.
    random_page_cost: 1.1,
    ...forReaders,
  }
  return Object.entries(settings)
    .map(([name, value]) => `SET ${name} = ${value}`)
    .join('; ')
}
