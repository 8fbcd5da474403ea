// The State interface over a SQLite file: in a thread for the service, directly for the command line.
import { closeSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../../platform/clock.ts'
import { OperatorError } from '../../errors.ts'
import { makeFolder } from '../../platform/files.ts'
import { fileProblem } from '../../platform/sqlite.ts'
import { startThread, type Thread } from '../../platform/thread.ts'
import { stateMethods, type StoreMethod } from '../methods.ts'
import type { CompanyState } from '../operations.ts'
import type { State } from '../state.ts'
import { createAdmissions } from './admissions.ts'
import { exchangedError } from './exchange.ts'
import { stateDatabase } from './schema.ts'
import { openStore, type Standing } from './store.ts'
import type { CloseCall, StateCall, StateEvent, StateThreadData } from './thread.ts'

interface SqliteStateOptions {
  readonly path: string
  readonly clock: Clock
  readonly timeoutMs?: number
  // Called once, when the file was exchanged: every call fails from then on.
  readonly onExchanged?: (problem: string) => void
}

type StoreMethods = Pick<State, StoreMethod>
type CallStore = (method: StateCall['method'], ...parameters: readonly unknown[]) => Promise<unknown>
const sweepEveryMs = 60_000
const restartAfterMs = 250
const lockTimeoutMs = 500
const commandLockTimeoutMs = 5000
// Longer than any lock timeout, so that the error names the lock and not the timeout.
const defaultTimeoutMs = 2000
const startTimeoutMs = 10_000
const reportTimeoutMs = 10_000

// The file is opened here once before the thread opens it, so that a problem with it stops the start.
export function startSqliteState(options: SqliteStateOptions): State {
  const { path, clock, timeoutMs = defaultTimeoutMs, onExchanged } = options
  let company = readCompany(path)
  let exchanged: Error | undefined
  const end = (problem: string) => {
    if (exchanged) return
    exchanged = exchangedError(problem)
    onExchanged?.(problem)
  }
  const data: StateThreadData = { path, lockTimeoutMs, does: 'everything' }
  const started = Promise.withResolvers<void>()
  let hasStarted = false
  const start = () =>
    startThread(threadFile, {
      data,
      onEvent: (message) => {
        const event = message as StateEvent
        if ('exchanged' in event) return end(event.exchanged)
        company = event.company
        started.resolve()
        hasStarted = true
      },
      // Not at once: the cause of the death may still be there.
      onDeath: () => {
        restart = setTimeout(() => {
          thread = start()
        }, restartAfterMs)
      },
    })
  let restart: NodeJS.Timeout | undefined
  let thread = start()
  const reporter = reportThread(path)
  const rules: Readonly<Record<string, { readonly runs: string }>> = stateMethods
  const call: CallStore = async (method, ...parameters) => {
    if (exchanged) throw exchanged
    const storeCall: StateCall = { method, now: clock.now(), parameters }
    const runs = rules[method]?.runs
    if (runs === 'as report') return inTime(reporter.call(storeCall), reportTimeoutMs)
    const answer = thread.call(storeCall)
    if (runs === 'to the end') return answer
    // On a busy machine the thread may start more slowly than a call may take: that time does not count.
    if (!hasStarted)
      await Promise.race([answer, started.promise, wait(startTimeoutMs, undefined, { ref: false })]).catch(() => {})
    return inTime(answer, timeoutMs)
  }
  const sweep = setInterval(() => void call('sweep').catch(() => {}), sweepEveryMs)
  sweep.unref()
  const admissions = createAdmissions({
    path,
    clock,
    lookUp: (...parameters) => call('standing', ...parameters) as Promise<Standing>,
  })
  return {
    ...storeMethods(call),
    admit: (...parameters) => admissions.admit(...parameters),
    tokenKey: async () => company.tokenKey,
    lastKnownEnabled: () => company.isEnabled,
    async close() {
      clearInterval(sweep)
      clearTimeout(restart)
      // A key that has used up its window must not get a new one by a restart.
      await call('keepWindows', admissions.windows()).catch(() => {})
      await reporter.stop()
      if (!exchanged) {
        admissions.close()
        const close: CloseCall = 'close'
        await inTime(thread.call(close), timeoutMs).catch(() => {})
      }
      await thread.stop()
      // The last connection to be closed can only read, so that the log of the file before is not written into the other one.
      admissions.close()
    },
  }
}

const threadFile = new URL('thread.ts', import.meta.url)

// Started at the first report, and again if it has died.
function reportThread(path: string) {
  const data: StateThreadData = { path, lockTimeoutMs, does: 'reports' }
  let thread: Thread | undefined
  return {
    call(storeCall: StateCall): Promise<unknown> {
      thread ??= startThread(threadFile, { data, onDeath: () => (thread = undefined) })
      return thread.call(storeCall)
    },
    async stop() {
      await thread?.stop()
      thread = undefined
    },
  }
}

function readCompany(path: string): CompanyState {
  const file = openFile(path)
  try {
    return file.company(0)
  } catch (error) {
    throw new OperatorError(fileProblem(stateDatabase(path), error) ?? String(error))
  } finally {
    file.close()
  }
}

// Without a path: an empty state in memory.
export function openSqliteState({ path, clock }: { path: string | null; clock: Clock }): State {
  const store = path === null ? openStore(':memory:', 0) : openFile(path)
  const call: CallStore = (method, ...parameters) =>
    Promise.try(() => {
      const run = store[method] as (now: number, ...parameters: readonly unknown[]) => unknown
      return run(clock.now(), ...parameters)
    })
  return {
    ...storeMethods(call),
    lastKnownEnabled: () => store.isEnabled(0),
    close: async () => store.close(),
  }
}

function openFile(path: string) {
  makeFolder(dirname(path))
  try {
    // Only its owner may read it; SQLite gives the files beside it the same mode.
    closeSync(openSync(path, 'a', 0o600))
  } catch (error) {
    throw new OperatorError(fileProblem(stateDatabase(path), error) ?? String(error))
  }
  return openStore(path, commandLockTimeoutMs)
}

function storeMethods(call: CallStore): StoreMethods {
  const names = Object.keys(stateMethods) as StoreMethod[]
  const methods = names.map((name) => [name, (...parameters: readonly unknown[]) => call(name, ...parameters)])
  return Object.fromEntries(methods) as StoreMethods
}

async function inTime<Result>(promise: Promise<Result>, timeoutMs: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the state did not answer in time')), timeoutMs)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
