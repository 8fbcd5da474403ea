// The thread that holds the service's state, so that a slow disk or a locked file never holds up the listener.
import { isDeepStrictEqual } from 'node:util'
import { answerCalls, emitEvent, threadData } from '../../platform/thread.ts'
import { holdFile, isDamage } from './held-file.ts'
import { openStore, type Company, type SqliteStore } from './store.ts'

export interface StateThreadData {
  readonly path: string
  readonly lockTimeoutMs: number
  // Reports only read, and let go of the file after each answer.
  readonly does: 'everything' | 'reports'
}

type Method = Exclude<keyof SqliteStore, 'close'>

export interface StateCall {
  readonly method: Method
  readonly now: number
  readonly parameters: readonly unknown[]
}

// Between `let go` and `take up` nothing is opened.
export interface FileCall {
  readonly file: 'let go' | 'take up' | 'close'
}

export type StateEvent = { readonly company: Company } | { readonly isExchanged: true }

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
    // It may be another file than we remember: it is opened anew.
    if (isDamage(error)) emit({ isExchanged: true })
    throw error
  }
}

answerCalls((request) => {
  const call = request as StateCall | FileCall
  if ('method' in call) return { result: does === 'reports' ? report(call) : answer(call) }
  if (call.file === 'let go') file.letGo()
  else if (call.file === 'take up') file.takeUp()
  else file.close()
  return { result: null }
})

// /status tells of the subscription without asking, and tokens are checked without: the thread looks ten times a second
// whether it, or the token key, has changed.
const lookEveryMs = 100
let seen: Company | undefined
function look() {
  try {
    const company = file.current().company(0)
    if (!isDeepStrictEqual(company, seen)) emit({ company })
    seen = company
  } catch {
    // Locked or unreadable: the next look tells.
  }
}
if (does === 'everything') {
  look()
  setInterval(look, lookEveryMs)
}
