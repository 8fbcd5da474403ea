// The engine: hands plans to reader threads, so that no query blocks the listener. Several go in one call, because waking a thread takes
// as long as reading a record. A plan that is not answered by its deadline is refused with 503. If its thread cannot stop by itself, the
// thread is ended and replaced.
import { monotonicMs, startThread, ThreadFailure, type Thread } from '../platform/thread.ts'
import type { Plan } from '../query/plan.ts'
import { createBases } from './bases.ts'
import { answerKeyOf, batchKeyOf, readingsIn, whenAllHangUp, type Batch } from './batches.ts'
import { unlimited } from './budget.ts'
import type { Asker, Engine, EngineOptions, ListAnswer } from './engine.ts'
import { createFeedFlag } from './feed-flag.ts'
import { feedLook, type ChangesAnswer } from './feed.ts'
import { createFairQueue, type QueueEntry } from './fair-queue.ts'
import { reportOnce } from './json.ts'
import { createLongPlans } from './long-plans.ts'
import type { PlanResult, ReaderData, ReaderEvent, ReaderRequest } from './reader.ts'
import { asRefusal, callerHungUp, isLoss, queryCancelled, tookTooLong, unavailable } from './refusals.ts'
import { rememberAnswers, type ReadAnswer } from './remembered-answers.ts'
import { hungUp, type Database } from './source.ts'

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
  thread?: Thread
  // A thread takes a while to load. It gets no job before it says that it is ready.
  isReady: boolean
  // Under way, in one call.
  batches: readonly Batch<Job>[]
  timer?: NodeJS.Timeout
  // Shared with the thread: the place of the batch that is being read, and when it was begun.
  progress: Float64Array<SharedArrayBuffer>
}

const restartAfterMs = 250
const mostInCall = 8
const selectionBytes = 32 * 1024 * 1024 // for each reader
const usualIndexMemoryBytes = 1024 * 1024 * 1024
// A reader cancels a late statement on the server, and gives up the connection a second later.
const postgresGraceMs = 1500

export function createReaders(database: Database, options: EngineOptions): Engine {
  const { source, look, availability, lagSeconds, feedHold, close } = database
  const { readers: count, statementTimeoutMs, log, budget = unlimited } = options
  const { indexMemoryBytes = usualIndexMemoryBytes, columnsFolder = null } = options
  const longestMs = statementTimeoutMs + (source.kind === 'postgres' ? postgresGraceMs : 0)
  const readers = Array.from({ length: count }, (): Reader => ({
    isReady: false,
    batches: [],
    progress: newProgress(),
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
  let [stopped, calls] = [0, 0]

  const bases =
    indexMemoryBytes === 0
      ? undefined
      : createBases({
          source,
          memoryBytes: indexMemoryBytes,
          // On PostgreSQL nothing tells whether the server lost transactions meanwhile.
          folder: source.kind === 'sqlite' ? columnsFolder : null,
          log,
          onLoaded: (use) => readers.forEach((reader) => send(reader, { use })),
          onDropped: (drop) => readers.forEach((reader) => send(reader, { drop })),
        })

  const start = (reader: Reader) => {
    if (isClosed) return
    reader.isReady = false
    reader.progress = newProgress()
    const { progress } = reader
    reader.thread = startThread(new URL('reader.ts', import.meta.url), {
      data: { source, memoryBytes: selectionBytes, timeoutMs: statementTimeoutMs, progress } satisfies ReaderData,
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
      share()
    } else if ('connected' in event) {
      areTables = event.connected.areTables
      feed.set(event.connected.hasFeed)
      if (event.connected.hasJournal) bases?.onJournal()
      // Before it is ready it has none to lose.
      if (event.connected.mustConfirm && reader.isReady) giveBases(reader)
    } else if ('voided' in event) bases?.onVoid(...event.voided)
    else if ('grown' in event) bases?.onGrown(...event.grown)
    else onUnknownCode(...event.unknownCode)
  }

  const takeBatches = (most: number): Batch<Job>[] => {
    const batches: Batch<Job>[] = []
    while (batches.length < most) {
      const batch = queue.take(batches.length === 0 ? 'any' : 'short')
      if (!batch) break
      for (const job of batch) endWait(job)
      batches.push(batch)
      // These go alone: no other request must wait behind a long one, and details must not wait for lists.
      if (batch[0].isLong || batch[0].batchKey !== undefined) break
    }
    return batches
  }

  const work = (reader: Reader, most: number) => {
    const batches = takeBatches(most)
    if (batches.length === 0) return
    reader.batches = batches
    reader.progress.set([0, monotonicMs()])
    reader.timer = setTimeout(() => stopIfLate(reader), longestMs)
    const call = (calls += 1)
    for (const [at, batch] of batches.entries()) whenAllHangUp(batch, () => send(reader, { cancel: { call, at } }))
    const plans = batches.map((batch) => readingsIn(batch).map(([{ plan }]) => plan) as unknown as Batch<Plan>)
    const refuse = (cause: Error) => plans.flat().map(() => asRefusal(cause))
    void reader.thread
      ?.call({ batches: plans, call } satisfies ReaderRequest)
      .catch(refuse)
      .then((results) => finish(reader, batches, results as (PlanResult | Error)[]))
  }

  const settle = (job: Job, result: PlanResult | Error) => {
    if (result instanceof Error) return job.reject(result)
    if ('answer' in result) {
      account(job, result.ms)
      return job.resolve(result)
    }
    const failure = new ThreadFailure(result.failure)
    if (failure.code === hungUp) return job.reject(unavailable(1, callerHungUp))
    if (failure.code !== queryCancelled) return job.reject(asRefusal(failure))
    reportStopped(job)
    account(job, statementTimeoutMs)
    job.reject(unavailable(5, tookTooLong))
  }

  const account = ({ plan, key }: Job, tookMs: number, spentMs = tookMs) => {
    longPlans.took(plan, tookMs)
    budget.spend(key, spentMs)
  }

  const finish = (reader: Reader, batches: readonly Batch<Job>[], results: readonly (PlanResult | Error)[]) => {
    // Stopped meanwhile, and refused.
    if (reader.batches !== batches) return
    clearTimeout(reader.timer)
    reader.batches = []
    for (const batch of batches) queue.done(batch)
    const readings = batches.flatMap(readingsIn)
    // The reader may not have got to the last ones.
    putBack(readings.slice(results.length).flat())
    for (const [at, result] of results.entries()) readings[at]?.forEach((job) => settle(job, result))
    share()
  }

  // Shares waiting requests out among the idle readers.
  const share = () => {
    isShareDue = false
    const idle = readers.filter(({ isReady, batches }) => isReady && batches.length === 0)
    const most = Math.min(mostInCall, Math.ceil(queue.size() / Math.max(1, idle.length)))
    for (const reader of idle) work(reader, most)
  }

  // Each batch has its time from when it was begun.
  const stopIfLate = (reader: Reader) => {
    const left = longestMs - (monotonicMs() - (reader.progress[1] ?? 0))
    if (left <= 0) stop(reader)
    else reader.timer = setTimeout(() => stopIfLate(reader), left)
  }

  const reportStopped = ({ plan }: Job) => {
    stopped += 1
    const resource = plan.shows === 'changes' ? plan.resources.join(' ') : plan.resource
    log.warn('statement_stopped', { resource, shows: plan.shows, timeoutMs: statementTimeoutMs })
  }

  // Refuses the late batch. The others are read by another reader.
  const stop = (reader: Reader) => {
    const late: readonly Job[] = reader.batches[reader.progress[0] ?? 0] ?? []
    for (const batch of reader.batches) queue.done(batch)
    putBack(reader.batches.flat().filter((job) => !late.includes(job)))
    if (late[0]) reportStopped(late[0])
    const spentMs = statementTimeoutMs / readingsIn(late).length
    for (const job of late) {
      account(job, statementTimeoutMs, spentMs)
      job.reject(unavailable(5, tookTooLong))
    }
    reader.batches = []
    reader.thread?.stop().catch((cause: unknown) => log.error('reader_not_stopped', { cause }))
    start(reader)
    share()
  }

  const putBack = (jobs: readonly Job[]) => {
    queue.putBack(jobs)
    jobs.forEach(wait)
  }

  // Until a reader takes the job, its time is over, or its caller hangs up.
  const wait = (job: Job) => {
    const leave = (retryAfter: number, cause: string) => {
      endWait(job)
      queue.remove(job)
      job.reject(unavailable(retryAfter, cause))
    }
    job.timer = setTimeout(leave, statementTimeoutMs, 5, 'no reader was free in time')
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
      const job: Job = { plan, key, signal, resolve, reject, isLong, batchKey, answerKey: answerKeyOf(plan) }
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

  const feed = createFeedFlag(async () => (await answer(feedLook, { key: 'service' })) !== 'none')
  readers.forEach(start)
  return {
    list: (plan, asker = {}) => answer(plan, asker) as Promise<ListAnswer>,
    detail: (plan, asker = {}) => answer(plan, asker) as Promise<Uint8Array | null>,
    changes: (plan, asker = {}) => feed.seenIn(answer(plan, asker) as Promise<ChangesAnswer>),
    hasFeed: () => feed.isThere(),
    load: () => ({
      readers: count,
      busy: readers.filter(({ batches }) => batches.length > 0).length,
      waiting: queue.size(),
      stopped,
      lists: bases?.ways() ?? [],
      feedHold: feedHold(),
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

const newProgress = () => new Float64Array(new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT))

function endWait({ timer, signal, onHangUp }: Job): void {
  clearTimeout(timer)
  if (onHangUp) signal?.removeEventListener('abort', onHangUp)
}
