// The embedded engine: plans are handed to reader threads, so that no query ever blocks the listener. Plans that wait together
// go together: to wake a thread takes as long as to read a record. A plan that is not answered by its deadline is refused with
// 503; the thread that works on it is stopped and replaced.
import { existsSync } from 'node:fs'
import { ApiError, lateCauses } from '../../errors.ts'
import { tellAvailability, type Log } from '../../log.ts'
import type { Plan } from '../../query/plan.ts'
import { monotonicMs, startProcess, startThread, ThreadFailure, type Thread } from '../../thread.ts'
import { alikeIn, plansOf } from '../alike.ts'
import { unlimited, type Budget } from '../budget.ts'
import { usualFarInto, type Asker, type Engine, type ListAnswer } from '../engine.ts'
import { createFairQueue, type Group, type Waiting } from '../fair-queue.ts'
import { createLongPlans } from '../long-plans.ts'
import { tellOfStale } from '../stale.ts'
import { tellOnce } from '../unknown-codes.ts'
import { rememberAnswers, type Found } from './answers.ts'
import { isViewsFile } from './views-file.ts'
import type { Read, ReaderData, ReaderEvent } from './reader.ts'

interface SqliteEngineOptions {
  readonly path: string
  readonly readers: number
  readonly statementTimeoutMs: number
  readonly log: Log
  readonly budget?: Budget
  readonly farInto?: number
}

// One that may take long goes alone: nobody is to wait behind it.
interface Job extends Waiting {
  readonly plan: Plan
  readonly resolve: (found: Found) => void
  readonly reject: (error: Error) => void
  // Whether somebody still waits for the answer.
  readonly signal: AbortSignal | undefined
  // Runs while the job waits for a reader.
  timer?: NodeJS.Timeout
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

export function createSqliteEngine({
  path,
  readers: count,
  statementTimeoutMs,
  log,
  budget = unlimited,
  farInto = usualFarInto,
}: SqliteEngineOptions): Engine {
  const lockTimeoutMs = Math.min(1000, statementTimeoutMs)
  // A view of somebody else's may compute for ever without giving a row, and no thread can be ended within a statement. Each
  // process gets one plan at a time: it shares no memory in which it could tell which one it is at.
  const isApart = existsSync(path) && isViewsFile(path)
  const mostTogether = isApart ? 1 : 8
  const readers = Array.from({ length: count }, (): Reader => ({
    thread: undefined,
    isReady: false,
    groups: [],
    timer: undefined,
    progress: newProgress(),
  }))
  const queue = createFairQueue<Job>(count)
  const longPlans = createLongPlans(farInto)
  // Each reader tells what it meets; the log says it once.
  const onUnknownCode = tellOnce((column, code) => log.warn('unknown_code', { column, code }))
  const stale = tellOfStale(log)
  const database = tellAvailability(log, 'database')
  // A view may compute all of its records for a list of them: there each is read by itself.
  let areTables = false
  let isClosed = false
  let isDue = false
  let stopped = 0

  const start = (reader: Reader) => {
    if (isClosed) return
    reader.isReady = false
    reader.progress = newProgress()
    const data: ReaderData = { path, farInto, lockTimeoutMs, ...(isApart ? {} : { progress: reader.progress }) }
    reader.thread = (isApart ? startProcess : startThread)(new URL('reader.ts', import.meta.url), {
      data,
      onEvent: (event) => onEvent(reader, event as ReaderEvent),
      onDeath: (cause) => {
        log.error('reader_died', { cause })
        reader.isReady = false
        setTimeout(start, restartAfterMs, reader).unref()
      },
    })
  }

  const onEvent = (reader: Reader, event: ReaderEvent) => {
    if ('isReady' in event) {
      reader.isReady = true
      return work(reader, mostTogether)
    }
    if ('stale' in event) {
      areTables = event.areTables
      return stale.tell(event.stale)
    }
    onUnknownCode(event.unknownCode.column, event.unknownCode.code)
  }

  // A job whose caller hung up while it waited is not begun. One under way goes on: to stop it would end its thread.
  const isWanted = (job: Job) => {
    clearTimeout(job.timer)
    if (!job.signal?.aborted) return true
    job.reject(unavailable(1, 'the caller hung up'))
    return false
  }

  const nextGroups = (most: number): Group<Job>[] => {
    const groups: Group<Job>[] = []
    while (groups.length < most) {
      const group = queue.take(groups.length === 0 ? 'any' : 'short')
      if (!group) break
      const [first, ...others] = group.filter(isWanted)
      if (first) groups.push([first, ...others])
      else queue.done(group)
      // These go alone: nobody is to wait behind a long one, nor records behind lists until all of them are read.
      if (first && (first.isLong || first.alike !== undefined)) break
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
    reader.timer = setTimeout(() => stopIfLate(reader), statementTimeoutMs)
    thread.call(groups.map(plansOf)).then(
      (answers) =>
        finish(reader, groups, (job, at) => {
          const read = (answers as Read[])[at]
          if (read && 'answer' in read) took(job, read.ms)
          settle(job, read)
        }),
      (cause: Error) => finish(reader, groups, (job) => job.reject(asRefusal(cause))),
    )
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
    const idle = readers.filter(({ isReady, groups }) => isReady && groups.length === 0)
    const most = Math.min(mostTogether, Math.ceil(queue.size() / Math.max(1, idle.length)))
    for (const reader of idle) work(reader, most)
  }

  // Each group has its time from when it was begun.
  const stopIfLate = (reader: Reader) => {
    const left = statementTimeoutMs - (monotonicMs() - (reader.progress[1] ?? 0))
    if (left <= 0) stop(reader)
    else reader.timer = setTimeout(() => stopIfLate(reader), left)
  }

  // What it is at is refused. What it has not begun, or not handed over yet, is done by another.
  const stop = (reader: Reader) => {
    const late: readonly Job[] = reader.groups[reader.progress[0] ?? 0] ?? []
    for (const group of reader.groups) queue.done(group)
    for (const job of reader.groups.flat().toReversed()) {
      if (late.includes(job)) continue
      wait(job)
      queue.putBack(job)
    }
    const [first] = late
    if (first) {
      stopped += 1
      const { resource, shows } = first.plan
      log.warn('statement_stopped', { resource, shows, timeoutMs: statementTimeoutMs })
    }
    for (const job of late) {
      took(job, statementTimeoutMs, statementTimeoutMs / late.length)
      job.reject(unavailable(5, lateCauses.stopped))
    }
    reader.groups = []
    reader.thread?.stop().catch((cause: unknown) => log.error('reader_not_stopped', { cause }))
    start(reader)
    share()
  }

  const wait = (job: Job) => {
    job.timer = setTimeout(() => {
      queue.remove(job)
      job.reject(unavailable(5, lateCauses.waited))
    }, statementTimeoutMs)
  }

  const answer = (plan: Plan, { key = '', signal }: Asker) =>
    new Promise<Found>((resolve, reject) => {
      // Rejects where it throws.
      budget.check(key)
      const refusal = isClosed ? 'the engine is closed' : queue.whyNot(key)
      if (refusal) return reject(unavailable(1, refusal))
      const isLong = longPlans.isLong(plan)
      const job: Job = { plan, key, signal, resolve, reject, isLong, alike: areTables ? alikeIn(plan) : undefined }
      wait(job)
      queue.push(job)
      // Once everything that has arrived is in the queue.
      if (!isDue) setImmediate(begin)
      isDue = true
    })

  const begin = () => {
    isDue = false
    share()
  }

  const answers = rememberAnswers(path)
  const find = async (plan: Plan, asker: Asker) => {
    try {
      const found = await answers.answer(plan, () => answer(plan, asker))
      database.back()
      return found
    } catch (error) {
      if (error instanceof Error && isLoss(error)) database.lost(error.cause)
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
      ...stale.load(),
    }),
    lagSeconds: () => null,
    async close() {
      isClosed = true
      answers.close()
      for (const job of queue.clear()) {
        clearTimeout(job.timer)
        job.reject(unavailable(1, 'the engine is closed'))
      }
      for (const { timer } of readers) clearTimeout(timer)
      await Promise.all(readers.map(async ({ thread }) => thread?.stop()))
    },
  }
}

const newProgress = () => new Float64Array(new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT))

const settle = (job: Job, read: Read | undefined) => {
  if (read && 'answer' in read) job.resolve(read)
  else job.reject(asRefusal(new ThreadFailure(read?.failure ?? noAnswer)))
}

const noAnswer = { message: 'a reader left an answer out', stack: undefined, code: undefined }

// What has no code was refused neither by the database nor by the file system: it is a mistake of ours.
const asRefusal = (cause: Error) =>
  cause instanceof ThreadFailure && cause.code === undefined ? cause : unavailable(1, cause)

// Refused by the file system, or by SQLite for another reason than what was asked (a table that is gone leaves the others).
function isLoss({ cause }: { cause?: unknown }): boolean {
  if (!(cause instanceof ThreadFailure)) return false
  // The lowest byte is the kind of error, the others tell more of it.
  return cause.errcode === undefined ? /^E[A-Z0-9]+$/.test(cause.code ?? '') : (cause.errcode & 0xff) !== sqliteError
}
const sqliteError = 1

const unavailable = (retryAfter: number, cause: unknown) =>
  new ApiError('temporarily_unavailable', { retryAfter, cause })
