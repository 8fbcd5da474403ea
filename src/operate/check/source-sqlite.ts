// A SQLite file as a source, asked by a process that is ended when a question takes too long: a statement cannot be interrupted, and
// without a write-ahead log whoever reads holds up the tills. Another process goes on once that one is gone.
import { sqlite } from '../../sql/sqlite.ts'
import { startProcess, ThreadFailure, type Thread } from '../../platform/thread.ts'
import type { Row } from '../../sql/statement.ts'
import { Late, Refused, type Source } from './source.ts'

// How long somebody else's lock is waited for.
const lockTimeoutMs = 1000

// SQLITE_BUSY, SQLITE_LOCKED, SQLITE_SCHEMA.
const passing = new Set([5, 6, 17])

export function sqliteSource(path: string, timeoutMs: number): Source {
  let reader: Thread | undefined
  const opened = async () => {
    if (reader) return reader
    reader = startProcess(new URL('sqlite-reader.ts', import.meta.url), { data: { path, lockTimeoutMs } })
    await reader.call({ text: 'SELECT 1', values: [] })
    return reader
  }
  const end = async () => {
    const ending = reader?.stop()
    reader = undefined
    await ending
  }
  return {
    dialect: sqlite,
    timeoutMs,
    // Another process opens it anew.
    isOpen: () => true,
    async rows(statement) {
      const late = Promise.withResolvers<never>()
      let timer: NodeJS.Timeout | undefined
      try {
        // To start a process and open the file is no part of the time that a question has.
        const open = await opened()
        timer = setTimeout(() => late.reject(new Late()), timeoutMs)
        return (await Promise.race([open.call(statement), late.promise])) as Row[]
      } catch (error) {
        await end()
        if (!(error instanceof ThreadFailure)) throw error
        throw passing.has(Number(error.errcode) & 0xff) ? new Late() : new Refused(error.message)
      } finally {
        clearTimeout(timer)
      }
    },
    close: end,
  }
}
