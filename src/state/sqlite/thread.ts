// The thread that holds the service's state, so that a slow disk or a locked file never holds up the listener.
import { isSameFile, openStamped, stampOf, type FileStamp } from '../../sqlite.ts'
import { answerCalls, emitEvent, threadData } from '../../thread.ts'
import { openStore, type SqliteStore } from './store.ts'

export interface StateThreadData {
  readonly path: string
  readonly lockTimeoutMs: number
  // Whether it tells when the subscription changes, and so looks at the file all the time. One that does not lets go of the file
  // after each answer: a backup without a log, copied over it, can get its log back only while nobody else has the file open.
  readonly tellsSubscription: boolean
}

export interface StateCall {
  readonly method: Exclude<keyof SqliteStore, 'close'>
  readonly now: number
  readonly parameters: readonly unknown[]
}

const { path, lockTimeoutMs, tellsSubscription } = threadData() as StateThreadData
let open: { readonly stamp: FileStamp; readonly store: SqliteStore } | undefined

// A file that was replaced or written over, by a backup say, is opened anew before anything is answered: what the command line
// has written there since must hold. A file that is gone answers nothing, nor does one that is empty: whoever copies a backup over it
// has emptied it first, and what was begun in it then would end up among the pages that are copied.
function currentStore(): SqliteStore {
  if (!open || !isSameFile(open.stamp, stampOf(path), true)) {
    close()
    const { opened, stamp } = openStamped(path, () => openStore(path, lockTimeoutMs, 'refused'))
    open = { stamp, store: opened }
  }
  return open.store
}

function close() {
  open?.store.close()
  open = undefined
}

answerCalls((request) => {
  const { method, now, parameters } = request as StateCall
  try {
    const run = currentStore()[method] as (now: number, ...parameters: readonly unknown[]) => unknown
    return { result: run(now, ...parameters) }
  } finally {
    if (!tellsSubscription) close()
  }
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
if (tellsSubscription) {
  look()
  setInterval(look, lookEveryMs)
}
