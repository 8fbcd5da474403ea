// A SQLite file as a source. What takes too long is left to its thread, which is ended, and another goes on once that is gone.
import { setTimeout as sleep } from 'node:timers/promises'
import { sqlite } from '../../sql/sqlite.ts'
import { startThread, ThreadFailure, type Thread } from '../../thread.ts'
import type { Row } from '../../engine/json.ts'
import { Late, Refused, type Source } from './source.ts'

// How long somebody else's lock is waited for.
const lockTimeoutMs = 1000

// SQLITE_BUSY, SQLITE_LOCKED, SQLITE_SCHEMA.
const passing = new Set([5, 6, 17])

// How long a thread that is being ended is waited for: a view that computes without giving a row notices nothing.
const endTimeoutMs = 5000

interface SourceOptions {
  readonly timeoutMs: number
  // Whoever reads holds up the tills: never two at a time.
  readonly isAlone: boolean
}

export function sqliteSource(path: string, { timeoutMs, isAlone }: SourceOptions): Source {
  let thread: Thread | undefined
  let ending: Promise<void> | undefined
  // Was waited for in vain.
  let isStuck = false
  const opened = async () => {
    if (thread) return thread
    await end()
    thread = startThread(new URL('sqlite-thread.ts', import.meta.url), { data: { path, lockTimeoutMs } })
    await thread.call({ text: 'SELECT 1', values: [] })
    return thread
  }
  const stop = () => {
    const stopped = thread?.stop()
    thread = undefined
    if (!stopped) return
    const own = stopped.finally(() => {
      if (ending === own) [ending, isStuck] = [undefined, false]
    })
    ending = own
  }
  const end = async () => {
    if (ending && !isStuck) {
      isStuck = true
      const passed = new AbortController()
      const bound = sleep(endTimeoutMs, undefined, { signal: passed.signal }).catch(() => {})
      await Promise.race([ending, bound])
      passed.abort()
    }
    if (ending && isAlone) throw new Late()
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
        stop()
        if (!(error instanceof ThreadFailure)) throw error
        throw passing.has(Number(error.errcode) & 0xff) ? new Late() : new Refused(error.message)
      } finally {
        clearTimeout(timer)
      }
    },
    async close() {
      stop()
      await end().catch(() => {})
    },
  }
}
