// Keeps a copy up to date beside the service, in a process of its own, and reports its state. The process can be ended at any time: a
// round is written all or nothing.
import type { Engine } from '../../engine/engine.ts'
import { ApiError } from '../../errors.ts'
import type { Log } from '../../platform/log.ts'
import { startProcess, type Thread } from '../../platform/thread.ts'
import type { Settings } from '../../settings/table.ts'
import type { CopyVitals } from '../../web/console/metrics.ts'
import { countKeptOut } from './kept-out.ts'
import { addTotals, noRows, type CopyEvent, type CopyRound } from './loop.ts'
import type { CopyCall } from './process.ts'
import { prepareCopy, readCopyState } from './run.ts'

interface Copying {
  // Why there is no copy yet; undefined: there is one.
  whyNone(): string | undefined
  vitals(now: number): CopyVitals
  close(): Promise<void>
}

const restartMs = 5000

// Undefined: nothing is to be copied.
export async function startCopying(settings: Settings, log: Log): Promise<Copying | undefined> {
  const { copyFrom: from, copyViews: views, databaseUrl: url } = settings
  if (from === null || views === null) return undefined
  let { copiedAt, ...kept } = await stateOf(url)
  let roundSeconds: number | undefined
  let rows = noRows
  let failure: CopyVitals['failure']
  let progress = 'it is about to begin'
  const onEvent = (event: CopyEvent) => {
    if (event.event === 'copying') {
      progress = `${event.what}, relation ${Math.min(event.done + 1, event.total)} of ${event.total}`
      return
    }
    const { event: _, at, ...details } = event
    if (event.event === 'copy_remark') return log.info(event.event, { remark: event.remark })
    if (event.event === 'copy_failed') {
      failure = { problem: event.problem, since: failure?.since ?? at }
      return log.error(event.event, { ...details, since: new Date(failure.since).toISOString() })
    }
    if (failure) log.info('copy_recovered', { since: new Date(failure.since).toISOString() })
    failure = undefined
    copiedAt = at
    const { kept_out: keptOut = [], waiting = [], ...counts } = details as Omit<CopyRound, 'at'>
    logChanges(log, kept, { keptOut, waiting })
    kept = { keptOut, waiting }
    roundSeconds = event.seconds
    rows = addTotals(rows, event)
    const isNews = event.is_whole || event.new + event.changed + event.deleted > 0
    if (isNews) log.info(event.event, counts)
    else log.debug(event.event, counts)
  }
  const call: CopyCall = {
    url,
    from,
    views,
    everyMs: settings.copyEveryMs,
    wholeEveryMs: settings.copyWholeEveryMs,
    timeoutMs: settings.copyTimeoutMs,
    timeZone: settings.timeZone,
    mostKeptOut: settings.copyMostKeptOut,
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
    whyNone() {
      if (copiedAt !== null) return undefined
      return failure ? 'it could not be made yet, and is tried again' : progress
    },
    vitals: (now) => ({
      ageSeconds: copiedAt === null ? null : Math.max(0, now - copiedAt) / 1000,
      roundSeconds,
      rows,
      failure,
      ...kept,
    }),
    async close() {
      clearTimeout(restart)
      await child?.stop()
    },
  }
}

async function stateOf(url: Settings['databaseUrl']): Promise<Kept & { copiedAt: number | null }> {
  const { copiedAt, keptOut, waiting } = await readCopyState(url)
  return { copiedAt, keptOut: countKeptOut(keptOut), waiting }
}

type Kept = Pick<CopyVitals, 'keptOut' | 'waiting'>

// Logs only what is new: a row may be kept out for months.
function logChanges(log: Log, before: Kept, { keptOut, waiting }: Kept): void {
  const isSame = JSON.stringify(keptOut) === JSON.stringify(before.keptOut)
  if (!isSame && keptOut.length > 0) log.warn('copy_keeps_out', { rows: keptOut })
  else if (!isSame) log.info('copy_keeps_out', { rows: keptOut })
  for (const each of waiting) {
    const earlier = before.waiting.find(({ relation }) => relation === each.relation)
    const { relation, had, has, lost } = each
    if (earlier?.has !== has || earlier.lost !== lost) log.warn('copy_waits', { relation, had, has, lost })
  }
  for (const { relation } of before.waiting)
    if (!waiting.some((each) => each.relation === relation)) log.info('copy_waits_over', { relation })
}

// Makes the tables of the copy, so that the service can start before the first round has ended.
export async function prepareToServe({ copyFrom, databaseUrl }: Settings): Promise<void> {
  if (copyFrom !== null) await prepareCopy(databaseUrl, copyFrom)
}

const retrySeconds = 10

// Refuses requests until the first copy is complete.
export function untilCopied(engine: Engine, copying: Copying | undefined): Engine {
  if (!copying) return engine
  const whenCopied = <Result>(answer: () => Promise<Result>): Promise<Result> => {
    const why = copying.whyNone()
    if (why === undefined) return answer()
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
