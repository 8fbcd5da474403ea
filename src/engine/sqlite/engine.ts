// The embedded engine: plans are handed to reader threads, so that no query ever blocks the listener. Plans that wait together
// go together: to wake a thread takes as long as to read a record. A plan that is not answered by its deadline is refused with
// 503; the thread that works on it is stopped and replaced.
import { ApiError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Plan } from '../../query/plan.ts'
import { monotonicMs, startThread, ThreadFailure, type Thread } from '../../thread.ts'
import { usualFarInto, type Answer, type Engine, type ListAnswer } from '../engine.ts'
import { tellOnce } from '../unknown-codes.ts'
import { rememberAnswers } from './answers.ts'
import type { Read, ReaderData, ReaderEvent } from './reader.ts'

export interface SqliteEngineOptions {
  readonly path: string
  readonly readers: number
  readonly statementTimeoutMs: number
  readonly log: Log
  readonly farInto?: number
}

interface Job {
  readonly plan: Plan
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: Error) => void
  // Whether somebody still waits for the answer.
  readonly signal: AbortSignal | undefined
  // It may take long: nobody is to wait behind it.
  readonly goesAlone: boolean
  // Runs while the job waits for a reader.
  timer?: NodeJS.Timeout
}

interface Reader {
  thread: Thread | undefined
  // A thread takes a while to load: it gets no job before it says so.
  isReady: boolean
  jobs: readonly Job[]
  timer: NodeJS.Timeout | undefined
  // Which of its jobs it is at, and since when: shared with the thread.
  progress: Float64Array<SharedArrayBuffer>
}

const restartAfterMs = 250
// More than so many requests for each reader are refused at once instead of piling up.
const mostWaiting = 500
const mostTogether = 8

export function createSqliteEngine({
  path,
  readers: count,
  statementTimeoutMs,
  log,
  farInto = usualFarInto,
}: SqliteEngineOptions): Engine {
  const lockTimeoutMs = Math.min(1000, statementTimeoutMs)
  const readers = Array.from({ length: count }, (): Reader => ({
    thread: undefined,
    isReady: false,
    jobs: [],
    timer: undefined,
    progress: newProgress(),
  }))
  const queue: Job[] = []
  // Each reader tells what it meets; the log says it once.
  const onUnknownCode = tellOnce((column, code) => log.warn('unknown_code', { column, code }))
  let isClosed = false
  let isDue = false

  const start = (reader: Reader) => {
    if (isClosed) return
    reader.isReady = false
    reader.progress = newProgress()
    const data: ReaderData = { path, farInto, lockTimeoutMs, progress: reader.progress }
    reader.thread = startThread(new URL('reader.ts', import.meta.url), {
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
    onUnknownCode(event.unknownCode.column, event.unknownCode.code)
  }

  // A job whose caller hung up while it waited is not begun. One under way goes on: to stop it would end its thread.
  const nextJobs = (most: number): Job[] => {
    const jobs: Job[] = []
    while (jobs.length < most) {
      const job = queue[0]
      if (!job || (job.goesAlone && jobs.length > 0)) break
      queue.shift()
      clearTimeout(job.timer)
      if (job.signal?.aborted) job.reject(unavailable(1, 'the caller hung up'))
      else jobs.push(job)
      if (job.goesAlone && jobs.length > 0) break
    }
    return jobs
  }

  const work = (reader: Reader, most: number) => {
    const { thread } = reader
    if (!thread || !reader.isReady || reader.jobs.length > 0) return
    const jobs = nextJobs(most)
    if (jobs.length === 0) return
    reader.jobs = jobs
    reader.progress.set([0, monotonicMs()])
    reader.timer = setTimeout(() => stopIfLate(reader), statementTimeoutMs)
    thread.call(jobs.map(({ plan }) => plan)).then(
      (answers) => finish(reader, jobs, (job, at) => settle(job, (answers as Read[])[at])),
      (cause: Error) => finish(reader, jobs, (job) => job.reject(asRefusal(cause))),
    )
  }

  const finish = (reader: Reader, jobs: readonly Job[], each: (job: Job, at: number) => void) => {
    // Stopped meanwhile, and everybody told.
    if (reader.jobs !== jobs) return
    clearTimeout(reader.timer)
    reader.jobs = []
    jobs.forEach(each)
    share()
  }

  // What waits is shared out among the readers that are free.
  const share = () => {
    const idle = readers.filter(({ isReady, jobs }) => isReady && jobs.length === 0)
    const most = Math.min(mostTogether, Math.ceil(queue.length / Math.max(1, idle.length)))
    for (const reader of idle) work(reader, most)
  }

  // Each job has its time from when it was begun.
  const stopIfLate = (reader: Reader) => {
    const left = statementTimeoutMs - (monotonicMs() - (reader.progress[1] ?? 0))
    if (left <= 0) stop(reader)
    else reader.timer = setTimeout(() => stopIfLate(reader), left)
  }

  // The job it is at is refused. Those it has not begun, or not handed over yet, are done by another.
  const stop = (reader: Reader) => {
    const late = reader.jobs[reader.progress[0] ?? 0]
    for (const job of reader.jobs.toReversed()) {
      if (job === late) continue
      wait(job)
      queue.unshift(job)
    }
    if (late) {
      const { resource, shows } = late.plan
      log.warn('statement_stopped', { resource, shows, timeoutMs: statementTimeoutMs })
      late.reject(unavailable(5, 'the statement timeout passed'))
    }
    reader.jobs = []
    reader.thread?.stop().catch((cause: unknown) => log.error('reader_not_stopped', { cause }))
    start(reader)
    share()
  }

  const wait = (job: Job) => {
    job.timer = setTimeout(() => {
      queue.splice(queue.indexOf(job), 1)
      job.reject(unavailable(5, 'no reader was free in time'))
    }, statementTimeoutMs)
  }

  const answer = (plan: Plan, signal: AbortSignal | undefined) =>
    new Promise<Answer>((resolve, reject) => {
      if (isClosed) return reject(unavailable(1, 'the engine is closed'))
      if (queue.length >= mostWaiting * count) return reject(unavailable(1, 'too many requests wait for a reader'))
      const job: Job = { plan, signal, resolve, reject, goesAlone: mayTakeLong(plan, farInto) }
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
  readers.forEach(start)
  return {
    list: (plan, signal) => answers.answer(plan, () => answer(plan, signal)) as Promise<ListAnswer>,
    detail: (plan, signal) => answers.answer(plan, () => answer(plan, signal)) as Promise<Uint8Array | null>,
    lagSeconds: () => null,
    async close() {
      isClosed = true
      answers.close()
      for (const job of queue.splice(0)) {
        clearTimeout(job.timer)
        job.reject(unavailable(1, 'the engine is closed'))
      }
      for (const { timer } of readers) clearTimeout(timer)
      await Promise.all(readers.map(async ({ thread }) => thread?.stop()))
    },
  }
}

const newProgress = () => new Float64Array(new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT))

// A record is found by its key and a first page by an index; searches and deep pages may have to walk.
const mayTakeLong = (plan: Plan, farInto: number) =>
  plan.shows === 'list' &&
  ((plan.page - 1) * plan.perPage >= farInto || plan.conditions.some(({ is }) => is === 'contains'))

const settle = (job: Job, read: Read | undefined) => {
  if (read && 'answer' in read) job.resolve(read.answer)
  else job.reject(asRefusal(new ThreadFailure(read?.failure ?? noAnswer)))
}

const noAnswer = { message: 'a reader left an answer out', stack: undefined, code: undefined }

// What has no code was refused neither by the database nor by the file system: it is a mistake of ours.
const asRefusal = (cause: Error) =>
  cause instanceof ThreadFailure && cause.code === undefined ? cause : unavailable(1, cause)

const unavailable = (retryAfter: number, cause: unknown) =>
  new ApiError('temporarily_unavailable', { retryAfter, cause })
