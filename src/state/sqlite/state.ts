// The State interface over a SQLite file: in a thread for the service, directly for the command line.
import { closeSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../../platform/clock.ts'
import { OperatorError } from '../../errors.ts'
import { makeFolder } from '../../platform/files.ts'
import { fileProblem } from '../../platform/sqlite.ts'
import { startThread, type Thread } from '../../platform/thread.ts'
import type { State } from '../state.ts'
import { createAdmissions } from './admissions.ts'
import { stateDatabase } from './schema.ts'
import { openStore, type Company, type Standing } from './store.ts'
import type { FileCall, StateCall, StateEvent, StateThreadData } from './thread.ts'

interface SqliteStateOptions {
  readonly path: string
  readonly clock: Clock
  readonly timeoutMs?: number
}

type Methods = Omit<State, 'lastKnownEnabled' | 'close'>
type Call = <Name extends keyof Methods>(method: Name, ...rest: Parameters<Methods[Name]>) => ReturnType<Methods[Name]>

const sweepEveryMs = 60_000
const restartAfterMs = 250
const lockTimeoutMs = 500
const commandLockTimeoutMs = 5000
// Longer than any lock is waited for, so that what is wrong is said by whom it happened to.
const defaultTimeoutMs = 2000
const beginPatienceMs = 10_000
const reportTimeoutMs = 10_000

// What administrators do is done even if it is late, and must not be told to have failed: it ends when it ends, and so does use,
// which must not be added twice.
const acts = new Set<StateCall['method']>([
  'createKey',
  'updateKey',
  'regenerateKey',
  'rotateKey',
  'finishRotation',
  'revokeKey',
  'setEnabled',
  'clearBlocks',
  'setPassword',
  'changePassword',
  'useLink',
  'endSession',
  'endSessions',
  'addUsage',
])
// What may read much: a year of use, all keys. No caller of the API waits behind it.
const reports = new Set<StateCall['method']>([
  'listKeys',
  'listAudit',
  'listActors',
  'listUsage',
  'usageByHour',
  'usageByKey',
  'listLastUse',
])

// The file is opened here once before the thread does it, so that what is wrong with it is said at start.
export function startSqliteState({ path, clock, timeoutMs = defaultTimeoutMs }: SqliteStateOptions): State {
  let company = readCompany(path)
  const data: StateThreadData = { path, lockTimeoutMs, does: 'everything' }
  const begun = Promise.withResolvers<void>()
  let hasBegun = false
  const start = () =>
    startThread(threadFile, {
      data,
      onEvent: (told) => {
        const event = told as StateEvent
        if ('isExchanged' in event) return void openAnew()
        company = event.company
        begun.resolve()
        hasBegun = true
      },
      // Not at once: what ended it may still be there.
      onDeath: () => {
        restart = setTimeout(() => {
          thread = start()
        }, restartAfterMs)
      },
    })
  let restart: NodeJS.Timeout | undefined
  let thread = start()
  const reporter = reportThread(path)
  // Everything in this process that has the file open lets go of it before it is opened again: SQLite shares what it knows
  // of the log among them.
  let opening: Promise<void> | undefined
  const ask = (asked: FileCall) => thread.call(asked)
  const openAnew = () =>
    (opening ??= ask({ file: 'let go' })
      .then(() => reporter.stop())
      .then(() => admissions.letGo())
      .catch(() => {})
      .then(() => ask({ file: 'take up' }))
      .catch(() => {})
      .then(() => admissions.takeUp())
      .finally(() => (opening = undefined)))
  const call = async (method: StateCall['method'], ...parameters: readonly unknown[]) => {
    await opening
    const asked: StateCall = { method, now: clock.now(), parameters }
    if (reports.has(method)) return inTime(reporter.call(asked), reportTimeoutMs)
    const answer = thread.call(asked)
    if (acts.has(method)) return answer
    // On a busy machine the thread may take longer to begin than a call may take: that time does not count.
    if (!hasBegun)
      await Promise.race([answer, begun.promise, wait(beginPatienceMs, undefined, { ref: false })]).catch(() => {})
    return inTime(answer, timeoutMs)
  }
  const sweep = setInterval(() => void call('sweep').catch(() => {}), sweepEveryMs)
  sweep.unref()
  const admissions = createAdmissions({
    path,
    clock,
    lookUp: (...given) => call('standing', ...given) as Promise<Standing>,
    onExchanged: () => void openAnew(),
  })
  return {
    ...stateOver(call as Call),
    admit: (...given) => admissions.admit(...given),
    tokenKey: async () => company.tokenKey,
    lastKnownEnabled: () => company.isEnabled,
    async close() {
      clearInterval(sweep)
      clearTimeout(restart)
      admissions.close()
      // Whoever had used up its window has still done so after a restart.
      await call('keepWindows', admissions.windows()).catch(() => {})
      await inTime(ask({ file: 'close' }), timeoutMs).catch(() => {})
      await Promise.all([thread.stop(), reporter.stop()])
    },
  }
}

const threadFile = new URL('thread.ts', import.meta.url)

// Begun when somebody first asks for a report, and again when it has ended by itself.
function reportThread(path: string) {
  const data: StateThreadData = { path, lockTimeoutMs, does: 'reports' }
  let thread: Thread | undefined
  return {
    call(asked: StateCall): Promise<unknown> {
      thread ??= startThread(threadFile, { data, onDeath: () => (thread = undefined) })
      return thread.call(asked)
    },
    async stop() {
      await thread?.stop()
      thread = undefined
    },
  }
}

function readCompany(path: string): Company {
  const file = openFile(path)
  try {
    return file.company(0)
  } catch (error) {
    throw new OperatorError(fileProblem(stateDatabase(path), error) ?? String(error))
  } finally {
    file.close()
  }
}

// Without a path: an empty state that is gone when it is closed.
export function openSqliteState({ path, clock }: { path: string | null; clock: Clock }): State {
  const store = path === null ? openStore(':memory:', 0) : openFile(path)
  const call = (method: StateCall['method'], ...parameters: readonly unknown[]) =>
    Promise.try(() => {
      const run = store[method] as (now: number, ...parameters: readonly unknown[]) => unknown
      return run(clock.now(), ...parameters)
    })
  return {
    ...stateOver(call as Call),
    lastKnownEnabled: () => store.isEnabled(0),
    close: async () => store.close(),
  }
}

function openFile(path: string) {
  makeFolder(dirname(path))
  try {
    // For its owner alone; the files that SQLite puts beside it take the mode of this one.
    closeSync(openSync(path, 'a', 0o600))
  } catch (error) {
    throw new OperatorError(fileProblem(stateDatabase(path), error) ?? String(error))
  }
  return openStore(path, commandLockTimeoutMs)
}

// Every method has the same name and the same arguments on both sides; only the way there differs.
function stateOver(call: Call): Methods {
  return {
    tokenKey: () => call('tokenKey'),
    admit: (...given) => call('admit', ...given),
    requestToken: (attempt) => call('requestToken', attempt),
    revokeToken: (attempt) => call('revokeToken', attempt),
    tokenWindow: (...given) => call('tokenWindow', ...given),
    createKey: (...given) => call('createKey', ...given),
    listKeys: () => call('listKeys'),
    findKey: (accessKey) => call('findKey', accessKey),
    listExpiries: () => call('listExpiries'),
    updateKey: (...given) => call('updateKey', ...given),
    regenerateKey: (...given) => call('regenerateKey', ...given),
    rotateKey: (...given) => call('rotateKey', ...given),
    finishRotation: (...given) => call('finishRotation', ...given),
    revokeKey: (...given) => call('revokeKey', ...given),
    setEnabled: (...given) => call('setEnabled', ...given),
    isEnabled: () => call('isEnabled'),
    listBlocks: () => call('listBlocks'),
    clearBlocks: (...given) => call('clearBlocks', ...given),
    findSalt: () => call('findSalt'),
    setPassword: (...given) => call('setPassword', ...given),
    offerLink: (linkHash) => call('offerLink', linkHash),
    isLinkOpen: (linkHash) => call('isLinkOpen', linkHash),
    useLink: (...given) => call('useLink', ...given),
    signInWait: (trier) => call('signInWait', trier),
    signIn: (...given) => call('signIn', ...given),
    changePassword: (...given) => call('changePassword', ...given),
    findSession: (...given) => call('findSession', ...given),
    endSession: (sessionHash) => call('endSession', sessionHash),
    endSessions: (...given) => call('endSessions', ...given),
    listAudit: (query) => call('listAudit', query),
    listActors: () => call('listActors'),
    addUsage: (...given) => call('addUsage', ...given),
    listUsage: (from, to) => call('listUsage', from, to),
    usageByHour: (...given) => call('usageByHour', ...given),
    usageByKey: (from, to) => call('usageByKey', from, to),
    listLastUse: (...given) => call('listLastUse', ...given),
  }
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
