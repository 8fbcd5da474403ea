// Keeps a copy up to date beside the service, in a process of its own, and reports its state. The process can be ended at any time: a
// round is written all or nothing.
import type { Engine } from '../../engine/engine.ts'
import { ApiError } from '../../errors.ts'
import type { Log } from '../../platform/log.ts'
import { startProcess, type Thread } from '../../platform/thread.ts'
import type { Settings } from '../../settings/table.ts'
import type { CopyVitals } from '../../web/console/metrics.ts'
import { addTotals, noRows, type CopyEvent, type CopyRound, type CopyTotals } from './loop.ts'
import type { CopyCall } from './process.ts'
import { lastCopyOf, prepareCopy } from './run.ts'

interface CopyState {
  // When the last round that succeeded began, in milliseconds since 1970; null: there is no copy yet.
  readonly copiedAt: number | null
  readonly lastRound: CopyRound | undefined
  // Since the start of the service.
  readonly totals: CopyTotals
  // Why the last round failed, and since when rounds have failed.
  readonly failure: { readonly problem: string; readonly since: number } | undefined
  // What the first copy is doing.
  readonly progress: string
}

interface Copying {
  state(): CopyState
  vitals(now: number): CopyVitals
  close(): Promise<void>
}

const restartMs = 5000

// Undefined: nothing is to be copied.
export async function startCopying(settings: Settings, log: Log): Promise<Copying | undefined> {
  const { copyFrom: from, copyViews: views, databaseUrl: url } = settings
  if (from === null || views === null) return undefined
  let state: CopyState = {
    copiedAt: await lastCopyOf(url),
    lastRound: undefined,
    totals: noRows,
    failure: undefined,
    progress: 'it is about to begin',
  }
  const onEvent = (event: CopyEvent) => {
    const before = state
    state = nextState(before, event)
    logEvent(log, event, (state.failure ?? before.failure)?.since)
  }
  const call: CopyCall = {
    url,
    from,
    views,
    everyMs: settings.copyEveryMs,
    wholeEveryMs: settings.copyWholeEveryMs,
    timeoutMs: settings.copyTimeoutMs,
    timeZone: settings.timeZone,
  }
  let child: Thread | undefined
  let restart: NodeJS.Timeout | undefined
  const start = () => {
    child = startProcess(new URL('process.ts', import.meta.url), {
      data: {},
      onEvent: (event) => onEvent(event as CopyEvent),
      onDeath(cause) {
        log.error('copy_process_ended', { cause })
        restart = setTimeout(start, restartMs)
      },
    })
    // The call ends only with the process, which `onDeath` reports.
    child.call(call).catch(() => {})
  }
  start()
  return {
    state: () => state,
    vitals: (now) => ({
      ageSeconds: state.copiedAt === null ? null : Math.max(0, now - state.copiedAt) / 1000,
      roundSeconds: state.lastRound?.seconds,
      rows: state.totals,
      failure: state.failure,
    }),
    async close() {
      clearTimeout(restart)
      await child?.stop()
    },
  }
}

// Makes the tables of the copy, so that the service can start before the first round has ended.
export async function prepareToServe({ copyFrom, databaseUrl }: Settings): Promise<void> {
  if (copyFrom !== null) await prepareCopy(databaseUrl, copyFrom)
}

function nextState(state: CopyState, event: CopyEvent): CopyState {
  switch (event.event) {
    case 'copying':
      return {
        ...state,
        progress: `${event.what}, relation ${Math.min(event.done + 1, event.total)} of ${event.total}`,
      }
    case 'copy_failed':
      return { ...state, failure: { problem: event.problem, since: state.failure?.since ?? event.at } }
    case 'copied': {
      const totals = addTotals(state.totals, event)
      return { ...state, copiedAt: event.at, lastRound: event, totals, failure: undefined }
    }
  }
}

// `failingSince` is set if this round failed, or is the first to succeed after failures.
function logEvent(log: Log, event: CopyEvent, failingSince: number | undefined): void {
  if (event.event === 'copying') return
  const { event: name, at: _, ...details } = event
  const since = failingSince === undefined ? {} : { since: new Date(failingSince).toISOString() }
  if (event.event === 'copy_failed') return log.error(name, { ...details, ...since })
  if (failingSince !== undefined) log.info('copy_recovered', since)
  const isNews = event.is_whole || event.new + event.changed + event.deleted > 0
  log[isNews ? 'info' : 'debug'](name, details)
}

const retrySeconds = 10

// Refuses requests until the first copy is complete.
export function untilCopied(engine: Engine, copying: Copying | undefined): Engine {
  if (!copying) return engine
  const whenCopied = <Result>(answer: () => Promise<Result>): Promise<Result> => {
    const { copiedAt, failure, progress } = copying.state()
    if (copiedAt !== null) return answer()
    const why = failure ? 'it could not be made yet, and is tried again' : progress
    const message = `The first copy of the data is not complete: ${why}.`
    return Promise.reject(new ApiError('temporarily_unavailable', { message, retryAfter: retrySeconds }))
  }
  return {
    ...engine,
    list: (plan, asker) => whenCopied(() => engine.list(plan, asker)),
    detail: (plan, asker) => whenCopied(() => engine.detail(plan, asker)),
    changes: (plan, asker) => whenCopied(() => engine.changes(plan, asker)),
  }
}
