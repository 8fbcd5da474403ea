// The engine: plans are handed to reader threads, so that no query ever blocks the listener, whatever the database is. Plans that wait
// together go together: to wake a thread takes as long as to read a record. A plan that is not answered by its deadline is refused with
// 503; if its thread cannot stop by itself, it is ended and replaced.
import { lateCauses } from '../errors.ts'
import type { Plan } from '../query/plan.ts'
import { monotonicMs, startProcess, startThread, ThreadFailure, type Thread } from '../platform/thread.ts'
import { alikeIn, plansOf } from './alike.ts'
import { createBases } from './bases.ts'
import { unlimited } from './budget.ts'
import type { Asker, Engine, ListAnswer } from './engine.ts'
import { createFairQueue, type Group, type Waiting } from './fair-queue.ts'
import { createLongPlans } from './long-plans.ts'
import type { Database, EngineOptions } from './options.ts'
import type { Read, ReaderData, ReaderEvent, ReaderRequest } from './reader.ts'
import { asRefusal, callerHungUp, isLoss, noAnswer, queryCancelled, unavailable } from './refusals.ts'
import type { VersionedAnswer } from './remembered-answers.ts'
import { hungUp } from './source.ts'
import { tellOnce } from './unknown-codes.ts'
import { whenAllHangUp } from './when-all-hang-up.ts'

// One that may take long goes alone: nobody is to wait behind it.
interface Job extends Waiting {
  readonly plan: Plan
  readonly resolve: (read: VersionedAnswer) => void
  readonly reject: (error: Error) => void
  readonly signal: AbortSignal | undefined
  // While the job waits for a reader.
  timer?: NodeJS.Timeout
  onHangUp?: () => void
}

interface Reader {
  thread: Thread | undefined
  // A thread takes a while to load: it gets no job before it says so.
  isReady: boolean
  // What it was handed; those of one group are read together.
  groups: readonly Group<Job>[]
  timer: NodeJS.Timeout | undefined
  // Which of its groups it is at, and since when: shared with the thread.
  progress: Float64Array<SharedArrayBuffer>
}

const restartAfterMs = 250
// For each reader.
const selectionBytes = 32 * 1024 * 1024
const usualIndexMemoryBytes = 1024 * 1024 * 1024

export function createReaders(
  { source, answers, availability, lagSeconds, areProcesses, canCancel, graceMs }: Database,
  {
    readers: count,
    statementTimeoutMs,
    log,
    budget = unlimited,
    indexMemoryBytes = usualIndexMemoryBytes,
    columnsFolder,
  }: EngineOptions,
): Engine {
  // A process gets one plan at a time: it shares no memory in which it could tell which one it is at.
  const mostTogether = areProcesses ? 1 : 8
  const readers = Array.from({ length: count }, (): Reader => ({
    thread: undefined,
    isReady: false,
    groups: [],
    timer: undefined,
    progress: newProgress(),
  }))
  const queue = createFairQueue<Job>(count)
  const longPlans = createLongPlans()
  // Each reader tells what it meets; the log says it once.
  const onUnknownCode = tellOnce((column, code) => log.warn('unknown_code', { column, code }))
  // A view may compute all of its records for a list of them: there each is read by itself.
  let areTables = false
  let isClosed = false
  let isDue = false
  let stopped = 0
  let calls = 0

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
    reader.progress = newProgress()
    const shared = areProcesses ? {} : { progress: reader.progress }
    const data: ReaderData = { source, memoryBytes: selectionBytes, ...shared }
    reader.thread = (areProcesses ? startProcess : startThread)(new URL('reader.ts', import.meta.url), {
      data,
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
      return work(reader, mostTogether)
    }
    if ('opened' in event) {
      areTables = event.opened.areTables
      if (event.opened.hasJournal) bases?.onJournal()
      // Before it is ready it has none to lose.
      if (event.opened.mustConfirm && reader.isReady) giveBases(reader)
      return
    }
    if ('voided' in event) return bases?.onVoid(event.voided.collection, event.voided.baseId, event.voided.why)
    if ('grown' in event) return bases?.onGrown(event.grown.collection, event.grown.baseId)
    onUnknownCode(event.unknownCode.column, event.unknownCode.code)
  }

  const nextGroups = (most: number): Group<Job>[] => {
    const groups: Group<Job>[] = []
    while (groups.length < most) {
      const group = queue.take(groups.length === 0 ? 'any' : 'short')
      if (!group) break
      for (const job of group) endWait(job)
      groups.push(group)
      const [first] = group
      // These go alone: nobody is to wait behind a long one, nor records behind lists until all of them are read.
      if (first.isLong || first.alike !== undefined) break
    }
    return groups
  }

  const work = (reader: Reader, most: number) => {
    const { thread } = reader
    if (!thread || !reader.isReady || reader.groups.length > 0) return
    const groups = nextGroups(most)
    if (groups.length === 0) return
    reader.groups = groups
    reader.progress.set([0, monotonicMs()])
    reader.timer = setTimeout(() => stopIfLate(reader), statementTimeoutMs + graceMs)
    const call = (calls += 1)
    if (canCancel)
      for (const [at, group] of groups.entries()) whenAllHangUp(group, () => send(reader, { cancel: { call, at } }))
    thread.call({ plans: groups.map(plansOf), call } satisfies ReaderRequest).then(
      (answered) => finish(reader, groups, (job, at) => settle(job, (answered as Read[])[at])),
      (cause: Error) => finish(reader, groups, (job) => job.reject(asRefusal(cause))),
    )
  }

  const settle = (job: Job, read: Read | undefined) => {
    if (read && 'answer' in read) {
      took(job, read.ms)
      return job.resolve(read)
    }
    const failure = new ThreadFailure(read?.failure ?? noAnswer)
    if (failure.code === hungUp) return job.reject(unavailable(1, callerHungUp))
    if (failure.code !== queryCancelled) return job.reject(asRefusal(failure))
    tellStopped(job)
    took(job, statementTimeoutMs)
    job.reject(unavailable(5, lateCauses.stopped))
  }

  const took = ({ plan, key }: Job, ms: number, share = ms) => {
    longPlans.took(plan, ms)
    budget.spend(key, share)
  }

  const finish = (reader: Reader, groups: readonly Group<Job>[], each: (job: Job, at: number) => void) => {
    // Stopped meanwhile, and everybody told.
    if (reader.groups !== groups) return
    clearTimeout(reader.timer)
    reader.groups = []
    for (const group of groups) queue.done(group)
    groups.flat().forEach(each)
    share()
  }

  // What waits is shared out among the readers that are free.
  const share = () => {
    isDue = false
    const idle = readers.filter(({ isReady, groups }) => isReady && groups.length === 0)
    const most = Math.min(mostTogether, Math.ceil(queue.size() / Math.max(1, idle.length)))
    for (const reader of idle) work(reader, most)
  }

  // Each group has its time from when it was begun.
  const stopIfLate = (reader: Reader) => {
    const left = statementTimeoutMs + graceMs - (monotonicMs() - (reader.progress[1] ?? 0))
    if (left <= 0) stop(reader)
    else reader.timer = setTimeout(() => stopIfLate(reader), left)
  }

  const tellStopped = ({ plan: { resource, shows } }: Job) => {
    stopped += 1
    log.warn('statement_stopped', { resource, shows, timeoutMs: statementTimeoutMs })
  }

  // What it is at is refused. What it has not begun, or not handed over yet, is done by another.
  const stop = (reader: Reader) => {
    const late: readonly Job[] = reader.groups[reader.progress[0] ?? 0] ?? []
    for (const group of reader.groups) queue.done(group)
    for (const job of reader.groups.flat().toReversed()) {
      if (late.includes(job)) continue
      queue.putBack(job)
      wait(job)
    }
    if (late[0]) tellStopped(late[0])
    for (const job of late) {
      took(job, statementTimeoutMs, statementTimeoutMs / late.length)
      job.reject(unavailable(5, lateCauses.stopped))
    }
    reader.groups = []
    reader.thread?.stop().catch((cause: unknown) => log.error('reader_not_stopped', { cause }))
    start(reader)
    share()
  }

  // Until its turn comes, its time is over or its caller hangs up.
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

  const answer = (plan: Plan, { key = '', signal }: Asker) =>
    new Promise<VersionedAnswer>((resolve, reject) => {
      // Rejects where it throws.
      budget.check(key)
      const refusal = isClosed ? 'the engine is closed' : queue.whyNot(key)
      if (refusal) return reject(unavailable(1, refusal))
      const isLong = longPlans.isLong(plan)
      const job: Job = { plan, key, signal, resolve, reject, isLong, alike: areTables ? alikeIn(plan) : undefined }
      queue.push(job)
      wait(job)
      // Once everything that has arrived is in the queue.
      if (!isDue) setImmediate(share)
      isDue = true
    })

  const find = async (plan: Plan, asker: Asker) => {
    try {
      const found = await answers.answer(plan, () => answer(plan, asker))
      availability.back()
      return found
    } catch (error) {
      if (error instanceof Error && isLoss(error)) availability.lost(error.cause)
      throw error
    }
  }
  readers.forEach(start)
  return {
    list: (plan, asker = {}) => find(plan, asker) as Promise<ListAnswer>,
    detail: (plan, asker = {}) => find(plan, asker) as Promise<Uint8Array | null>,
    load: () => ({
      readers: count,
      busy: readers.filter(({ groups }) => groups.length > 0).length,
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
      await Promise.all([answers.close(), bases?.close(), ...readers.map(async ({ thread }) => thread?.stop())])
    },
  }
}

const send = (reader: Reader, request: ReaderRequest) => void reader.thread?.call(request).catch(() => {})

function endWait({ timer, signal, onHangUp }: Job): void {
  clearTimeout(timer)
  if (onHangUp) signal?.removeEventListener('abort', onHangUp)
}

const newProgress = () => new Float64Array(new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT))
