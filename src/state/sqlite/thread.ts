// The thread that holds the state's file, so that a slow disk or a locked file never delays the listener.
import { isDeepStrictEqual } from 'node:util'
import { openStamped } from '../../platform/sqlite.ts'
import { answerCalls, emitEvent, threadData } from '../../platform/thread.ts'
import type { CompanyState } from '../operations.ts'
import { isExchanged, watchExchange } from './exchange.ts'
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

// The last call.
export type CloseCall = 'close'

export type StateEvent = { readonly company: CompanyState } | { readonly exchanged: string }

const { path, lockTimeoutMs, does } = threadData() as StateThreadData
const emit = (event: StateEvent) => emitEvent(event)
let held: { readonly store: SqliteStore; readonly check: () => void } | undefined

function open() {
  const { opened: store } = openStamped(path, () => openStore(path, lockTimeoutMs, { empty: 'refused' }))
  return { store, check: watchExchange(path) }
}

// Checked afterwards, too: what was written to a file that is no longer in its place is not confirmed.
function withStore<Result>(use: (store: SqliteStore) => Result): Result {
  held ??= open()
  try {
    held.check()
    try {
      return use(held.store)
    } finally {
      held.check()
    }
  } catch (error) {
    if (isExchanged(error)) emit({ exchanged: (error as Error).message })
    throw error
  }
}

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

// The log then goes into the file, so that a copy of the file alone is complete.
function close(): void {
  held?.store.close()
  held = undefined
}

answerCalls((request) => {
  const call = request as StateCall | CloseCall
  if (call === 'close') return { result: close() }
  return { result: does === 'reports' ? report(call) : withStore((store) => run(store, call)) }
})

// The listener knows the subscription and the token key without asking, so this thread reports every change of them.
const pollEveryMs = 100
let reported: CompanyState | undefined
function poll() {
  try {
    const company = withStore((store) => store.company(0))
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
