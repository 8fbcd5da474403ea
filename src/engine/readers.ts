// The engine: hands plans to reader threads, so that no query blocks the listener. A plan that is not answered by its deadline is refused
// with 503. If its thread cannot stop by itself, the thread is ended and replaced.
import { ApiError, lateCauses } from '../errors.ts'
import type { Availability } from '../platform/log.ts'
import { startProcess, startThread, ThreadFailure, type Thread } from '../platform/thread.ts'
import type { Plan } from '../query/plan.ts'
import { createBases } from './bases.ts'
import { batchKeyOf, type PlanBatch } from './batches.ts'
import { unlimited } from './budget.ts'
import type { Asker, Engine, EngineOptions, ListAnswer } from './engine.ts'
import { createFairQueue, type Batch, type QueueEntry } from './fair-queue.ts'
import { reportOnce } from './json.ts'
import { createLongPlans } from './long-plans.ts'
import type { PlanResult, ReaderData, ReaderEvent, ReaderRequest } from './reader.ts'
import { rememberAnswers, type ReadAnswer } from './remembered-answers.ts'
import { hungUp, type SourceData } from './source.ts'

interface Database {
  readonly source: SourceData
  readonly look: Parameters<typeof rememberAnswers>[0]
  readonly availability: Availability
  readonly lagSeconds: () => number | null
  // Readers are processes: a view may compute forever without giving a row, and a thread cannot be ended within a statement.
  readonly areProcesses: boolean
  readonly close: () => Promise<void>
}

interface Job extends QueueEntry {
  readonly plan: Plan
  readonly resolve: (read: ReadAnswer) => void
  readonly reject: (error: Error) => void
  readonly signal: AbortSignal | undefined
  // While the job waits for a reader.
  timer?: NodeJS.Timeout
  onHangUp?: () => void
}

interface Reader {
  thread: Thread | undefined
  // A thread takes a while to load. It gets no job before it says that it is ready.
  isReady: boolean
  batch: Batch<Job> | undefined
  timer: NodeJS.Timeout | undefined
}

const restartAfterMs = 250
// For each reader.
const selectionBytes = 32 * 1024 * 1024
const usualIndexMemoryBytes = 1024 * 1024 * 1024
// On PostgreSQL a reader cancels a late statement on the server, and gives up the connection a second later.
const postgresGraceMs = 1500
// SQLSTATE of a statement that took too long.
const queryCancelled = '57014'
const callerHungUp = 'the caller hung up'

export function createReaders(
  { source, look, availability, lagSeconds, areProcesses, close }: Database,
  {
    readers: count,
    statementTimeoutMs,
    log,
    budget = unlimited,
    indexMemoryBytes = usualIndexMemoryBytes,
    columnsFolder,
  }: EngineOptions,
): Engine {
  const canCancel = source.kind === 'postgres'
  const longestMs = statementTimeoutMs + (canCancel ? postgresGraceMs : 0)
  const readers = Array.from({ length: count }, (): Reader => ({
    thread: undefined,
    isReady: false,
    batch: undefined,
    timer: undefined,
  }))
  const remembered = rememberAnswers(look)
  const queue = createFairQueue<Job>(count)
  const longPlans = createLongPlans()
  // Several readers may report the same code.
  const onUnknownCode = reportOnce((column, code) => log.warn('unknown_code', { column, code }))
  // A view may compute all of its records for a few of them, so details of views are read one by one.
  let areTables = false
  let isClosed = false
  let isShareDue = false
  let stopped = 0

  const bases =
    areProcesses || indexMemoryBytes === 0
      ? undefined
      : createBases({
          source,
          memoryBytes: indexMemoryBytes,
          // On PostgreSQL nothing tells whether the server lost transactions meanwhile.
          folder: source.kind === 'sqlite' ? (columnsFolder ?? null) : null,
          log,
          onLoaded: (use) => readers.forEach((reader) => send(reader, { use })),
          onDropped: (drop) => readers.forEach((reader) => send(reader, { drop })),
        })

  const start = (reader: Reader) => {
    if (isClosed) return
    reader.isReady = false
    reader.thread = (areProcesses ? startProcess : startThread)(new URL('reader.ts', import.meta.url), {
      data: { source, memoryBytes: selectionBytes } satisfies ReaderData,
      onEvent: (event) => onEvent(reader, event as ReaderEvent),
      onDeath: (cause) => {
        log.error('reader_died', { cause })
        reader.isReady = false
        setTimeout(start, restartAfterMs, reader).unref()
      },
    })
  }

  const giveBases = (reader: Reader) => void bases?.giveTo((use) => send(reader, { use }))

  const onEvent = (reader: Reader, event: ReaderEvent) => {
    if ('isReady' in event) {
      reader.isReady = true
      giveBases(reader)
      work(reader)
    } else if ('connected' in event) {
      areTables = event.connected.areTables
      if (event.connected.hasJournal) bases?.onJournal()
      // Before it is ready it has none to lose.
      if (event.connected.mustConfirm && reader.isReady) giveBases(reader)
    } else if ('voided' in event) bases?.onVoid(event.voided.collection, event.voided.baseId, event.voided.why)
    else if ('grown' in event) bases?.onGrown(event.grown.collection, event.grown.baseId)
    else onUnknownCode(event.unknownCode.column, event.unknownCode.code)
  }

  const work = (reader: Reader) => {
    const { thread } = reader
    const batch = thread && reader.isReady && !reader.batch ? queue.take() : undefined
    if (!thread || !batch) return
    for (const job of batch) endWait(job)
    reader.batch = batch
    reader.timer = setTimeout(() => stop(reader, batch), longestMs)
    if (canCancel) cancelIfAllHangUp(reader, batch)
    thread.call({ plans: batch.map(({ plan }) => plan) as unknown as PlanBatch } satisfies ReaderRequest).then(
      (results) => finish(reader, batch, (job, at) => settle(job, (results as PlanResult[])[at])),
      (cause: Error) => finish(reader, batch, (job) => job.reject(asRefusal(cause))),
    )
  }

  const settle = (job: Job, result: PlanResult | undefined) => {
    if (result && 'answer' in result) {
      account(job, result.ms)
      return job.resolve(result)
    }
    const noAnswer = { message: 'a reader left an answer out', stack: undefined, code: undefined }
    const failure = new ThreadFailure(result?.failure ?? noAnswer)
    if (failure.code === hungUp) return job.reject(unavailable(1, callerHungUp))
    if (failure.code !== queryCancelled) return job.reject(asRefusal(failure))
    reportStopped(job)
    account(job, statementTimeoutMs)
    job.reject(unavailable(5, lateCauses.stopped))
  }

  const account = ({ plan, key }: Job, tookMs: number, spentMs = tookMs) => {
    longPlans.took(plan, tookMs)
    budget.spend(key, spentMs)
  }

  const finish = (reader: Reader, batch: Batch<Job>, each: (job: Job, at: number) => void) => {
    // Stopped meanwhile, and refused.
    if (reader.batch !== batch) return
    clearTimeout(reader.timer)
    reader.batch = undefined
    queue.done(batch)
    batch.forEach(each)
    share()
  }

  const share = () => {
    isShareDue = false
    readers.forEach(work)
  }

  const reportStopped = ({ plan: { resource, shows } }: Job) => {
    stopped += 1
    log.warn('statement_stopped', { resource, shows, timeoutMs: statementTimeoutMs })
  }

  const stop = (reader: Reader, batch: Batch<Job>) => {
    queue.done(batch)
    reportStopped(batch[0])
    for (const job of batch) {
      account(job, statementTimeoutMs, statementTimeoutMs / batch.length)
      job.reject(unavailable(5, lateCauses.stopped))
    }
    reader.batch = undefined
    reader.thread?.stop().catch((cause: unknown) => log.error('reader_not_stopped', { cause }))
    start(reader)
    share()
  }

  // Until a reader takes the job, its time is over, or its caller hangs up.
  const wait = (job: Job) => {
    const leave = (retryAfter: number, cause: string) => {
      endWait(job)
      queue.remove(job)
      job.reject(unavailable(retryAfter, cause))
    }
    job.timer = setTimeout(leave, statementTimeoutMs, 5, lateCauses.waited)
    job.onHangUp = () => leave(1, callerHungUp)
    job.signal?.addEventListener('abort', job.onHangUp, { once: true })
    if (job.signal?.aborted) job.onHangUp()
  }

  const read = (plan: Plan, { key = '', signal }: Asker) =>
    new Promise<ReadAnswer>((resolve, reject) => {
      // Rejects where it throws.
      budget.check(key)
      const refusal = isClosed ? 'the engine is closed' : queue.whyFull(key)
      if (refusal) return reject(unavailable(1, refusal))
      const isLong = longPlans.isLong(plan)
      const batchKey = areTables ? batchKeyOf(plan) : undefined
      const job: Job = { plan, key, signal, resolve, reject, isLong, batchKey }
      queue.push(job)
      wait(job)
      // Once all requests that have arrived are in the queue.
      if (!isShareDue) setImmediate(share)
      isShareDue = true
    })

  const answer = async (plan: Plan, asker: Asker) => {
    try {
      const found = await remembered(plan, () => read(plan, asker))
      availability.back()
      return found
    } catch (error) {
      if (error instanceof Error && isLoss(error)) availability.lost(error.cause)
      throw error
    }
  }

  readers.forEach(start)
  return {
    list: (plan, asker = {}) => answer(plan, asker) as Promise<ListAnswer>,
    detail: (plan, asker = {}) => answer(plan, asker) as Promise<Uint8Array | null>,
    load: () => ({
      readers: count,
      busy: readers.filter(({ batch }) => batch).length,
      waiting: queue.size(),
      stopped,
      lists: bases?.ways() ?? [],
    }),
    lagSeconds,
    async close() {
      isClosed = true
      for (const job of queue.clear()) {
        endWait(job)
        job.reject(unavailable(1, 'the engine is closed'))
      }
      for (const { timer } of readers) clearTimeout(timer)
      await Promise.all([close(), bases?.close(), ...readers.map(async ({ thread }) => thread?.stop())])
    },
  }
}

const send = (reader: Reader, request: ReaderRequest) => void reader.thread?.call(request).catch(() => {})

function cancelIfAllHangUp(reader: Reader, batch: Batch<Job>): void {
  let waiting = batch.length
  const onHangUp = () => {
    waiting -= 1
    if (waiting === 0 && reader.batch === batch) send(reader, { cancel: true })
  }
  for (const { signal } of batch) signal?.addEventListener('abort', onHangUp, { once: true })
}

function endWait({ timer, signal, onHangUp }: Job): void {
  clearTimeout(timer)
  if (onHangUp) signal?.removeEventListener('abort', onHangUp)
}

const unavailable = (retryAfter: number, cause: unknown) =>
  new ApiError('temporarily_unavailable', { retryAfter, cause })

// A failure without a code comes neither from the database nor from the file system: it is a defect of ours.
const asRefusal = (cause: Error) =>
  cause instanceof ThreadFailure && cause.code === undefined ? cause : unavailable(1, cause)

// Whether the database is lost: refused by the file system or the network, by a server that is going away, or by SQLite for another
// reason than the statement. (If one table is missing, the others can be read.)
function isLoss({ cause }: { cause?: unknown }): boolean {
  if (!(cause instanceof ThreadFailure)) return false
  // The lowest byte of SQLite's number is the kind of error; SQLITE_ERROR is 1.
  if (cause.errcode !== undefined) return (cause.errcode & 0xff) !== 1
  return /^(E[A-Z0-9]+|08...|57P..|53...|28...|3D...)$/.test(cause.code ?? '')
}
