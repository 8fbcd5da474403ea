// A SQLite file as a source. What takes too long is left to its thread, which is ended, and another goes on.
import { sqlite } from '../../sql/sqlite.ts'
import { startThread, ThreadFailure, type Thread } from '../../thread.ts'
import type { Row } from '../../engine/json.ts'
import { Late, Refused, type Source } from './source.ts'

// How long somebody else's lock is waited for.
const lockTimeoutMs = 1000

// SQLITE_BUSY, SQLITE_LOCKED, SQLITE_SCHEMA.
const passing = new Set([5, 6, 17])

export function sqliteSource(path: string, timeoutMs: number): Source {
  let thread: Thread | undefined
  const opened = async () => {
    if (thread) return thread
    thread = startThread(new URL('sqlite-thread.ts', import.meta.url), { data: { path, lockTimeoutMs } })
    await thread.call({ text: 'SELECT 1', values: [] })
    return thread
  }
  const stop = () => {
    const ending = thread?.stop()
    thread = undefined
    return ending
  }
  return {
    dialect: sqlite(new Set()),
    timeoutMs,
    // Another thread opens it anew.
    isOpen: () => true,
    async rows(statement) {
      const late = Promise.withResolvers<never>()
      let timer: NodeJS.Timeout | undefined
      try {
        // To start a thread and open the file is no part of the time that a question has.
        const open = await opened()
        timer = setTimeout(() => late.reject(new Late()), timeoutMs)
        return (await Promise.race([open.call(statement), late.promise])) as Row[]
      } catch (error) {
        // Nobody waits until it ends: a view that computes without giving a row may take its time.
        void stop()
        if (!(error instanceof ThreadFailure)) throw error
        throw passing.has(Number(error.errcode) & 0xff) ? new Late() : new Refused(error.message)
      } finally {
        clearTimeout(timer)
      }
    },
    async close() {
      await stop()
    },
  }
}
