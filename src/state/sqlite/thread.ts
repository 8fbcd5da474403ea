// The thread that holds the service's state, so that a slow disk or a locked file never holds up the listener.
import { statSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import { answerCalls, emitEvent } from '../../thread.ts'
import { openStore, type SqliteStore } from './store.ts'

export interface StateThreadData {
  readonly path: string
  readonly lockTimeoutMs: number
}

export interface StateCall {
  readonly method: Exclude<keyof SqliteStore, 'close'>
  readonly now: number
  readonly parameters: readonly unknown[]
}

const { path, lockTimeoutMs } = workerData as StateThreadData
let open: { readonly file: string; readonly store: SqliteStore } | undefined

// A file that was replaced, by a backup say, is opened anew before anything is answered: what the command line has
// written there since must hold. A file that is gone answers nothing.
function currentStore(): SqliteStore {
  const { dev, ino } = statSync(path)
  const file = `${dev}:${ino}`
  if (open?.file !== file) {
    open?.store.close()
    open = undefined
    open = { file, store: openStore(path, lockTimeoutMs) }
  }
  return open.store
}

answerCalls((request) => {
  const { method, now, parameters } = request as StateCall
  const run = currentStore()[method] as (now: number, ...parameters: readonly unknown[]) => unknown
  return { result: run(now, ...parameters) }
})

// /status tells of the subscription without asking: the thread looks ten times a second whether it has changed.
const lookEveryMs = 100
let seen: boolean | undefined
function look() {
  try {
    const isEnabled = currentStore().isEnabled(0)
    if (isEnabled !== seen) emitEvent({ isEnabled })
    seen = isEnabled
  } catch {
    // Locked or unreadable: the next look tells.
  }
}
look()
setInterval(look, lookEveryMs)
