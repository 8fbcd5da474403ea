// The thread that holds the state's file, so that a slow disk or a locked file never delays the listener.
import { isDeepStrictEqual } from 'node:util'
import { answerCalls, emitEvent, threadData } from '../../platform/thread.ts'
import type { CompanyState } from '../operations.ts'
import { holdFile, isDamage } from './held-file.ts'
import { openStore, type SqliteStore } from './store.ts'

export interface StateThreadData {
  readonly path: string
  readonly lockTimeoutMs: number
  // A reports thread opens the file read-only, for one report at a time.
  readonly does: 'everything' | 'reports'
}

type Method = Exclude<keyof SqliteStore, 'close'>

export interface StateCall {
  readonly method: Method
  readonly now: number
  readonly parameters: readonly unknown[]
}

// Nothing is opened between `release` and `reopen`.
export interface FileCall {
  readonly file: 'release' | 'reopen' | 'close'
}

export type StateEvent = { readonly company: CompanyState } | { readonly isExchanged: true }

const { path, lockTimeoutMs, does } = threadData() as StateThreadData
const emit = (event: StateEvent) => emitEvent(event)
const file = holdFile(path, lockTimeoutMs, () => emit({ isExchanged: true }))

const run = (store: SqliteStore, { method, now, parameters }: StateCall): unknown =>
  (store[method] as (now: number, ...parameters: readonly unknown[]) => unknown)(now, ...parameters)

function report(call: StateCall): unknown {
  const store = openStore(path, lockTimeoutMs, { empty: 'refused', readOnly: true })
  try {
    return run(store, call)
  } finally {
    store.close()
  }
}

function answer(call: StateCall): unknown {
  try {
    const result = run(file.current(), call)
    file.settle()
    return result
  } catch (error) {
    // The file may have been replaced.
    if (isDamage(error)) emit({ isExchanged: true })
    throw error
  }
}

answerCalls((request) => {
  const call = request as StateCall | FileCall
  if ('method' in call) return { result: does === 'reports' ? report(call) : answer(call) }
  if (call.file === 'release') file.release()
  else if (call.file === 'reopen') file.reopen()
  else file.close()
  return { result: null }
})

// The listener knows the subscription and the token key without asking, so this thread reports every change of them.
const pollEveryMs = 100
let reported: CompanyState | undefined
function poll() {
  try {
    const company = file.current().company(0)
    if (!isDeepStrictEqual(company, reported)) emit({ company })
    reported = company
  } catch {
    // Locked or unreadable: the next poll tries again.
  }
}
if (does === 'everything') {
  poll()
  setInterval(poll, pollEveryMs)
}
