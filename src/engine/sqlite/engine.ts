// The embedded engine: plans are handed to reader threads, one at a time each, so that no query ever blocks the listener.
// A plan that is not answered by its deadline is refused with 503; the thread that works on it is stopped and replaced.
import { ApiError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Plan } from '../../query/plan.ts'
import { startThread, ThreadFailure, type Thread } from '../../thread.ts'
import { usualFarInto, type Engine, type ListAnswer } from '../engine.ts'
import { tellOnce } from '../unknown-codes.ts'
import { rememberAnswers } from './answers.ts'
import type { ReaderData, ReaderEvent } from './reader.ts'

export interface SqliteEngineOptions {
  readonly path: string
  readonly readers: number
  readonly statementTimeoutMs: number
  readonly log: Log
  readonly farInto?: number
}

interface Job {
  readonly plan: Plan
  readonly resolve: (answer: ListAnswer | Uint8Array | null) => void
  readonly reject: (error: Error) => void
  // Runs while the job waits for a reader, and anew while a reader works on it.
  timer: NodeJS.Timeout
  // Whether somebody still waits for the answer.
  readonly signal: AbortSignal | undefined
}

interface Reader {
  thread: Thread | undefined
  // A thread takes a while to load: it gets no job before it says so.
  isReady: boolean
  job: Job | undefined
}

const restartAfterMs = 250
// More than so many requests for each reader are refused at once instead of piling up.
const mostWaiting = 500

export function createSqliteEngine({
  path,
  readers: count,
  statementTimeoutMs,
  log,
  farInto = usualFarInto,
}: SqliteEngineOptions): Engine {
  const data: ReaderData = { path, farInto, lockTimeoutMs: Math.min(1000, statementTimeoutMs) }
  const readers = Array.from({ length: count }, (): Reader => ({ thread: undefined, isReady: false, job: undefined }))
  const queue: Job[] = []
  // Each reader tells what it meets; the log says it once.
  const onUnknownCode = tellOnce((column, code) => log.warn('unknown_code', { column, code }))
  let isClosed = false

  const start = (reader: Reader) => {
    if (isClosed) return
    reader.isReady = false
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
      return work(reader)
    }
    onUnknownCode(event.unknownCode.column, event.unknownCode.code)
  }

  // A job whose caller hung up while it waited is not begun. One under way goes on: to stop it would end its thread.
  const nextJob = (): Job | undefined => {
    const job = queue.shift()
    if (!job?.signal?.aborted) return job
    clearTimeout(job.timer)
    job.reject(unavailable(1, 'the caller hung up'))
    return nextJob()
  }

  const work = (reader: Reader) => {
    const { thread } = reader
    if (!thread || !reader.isReady || reader.job) return
    const job = nextJob()
    if (!job) return
    clearTimeout(job.timer)
    reader.job = job
    job.timer = setTimeout(() => stop(reader, job), statementTimeoutMs)
    thread.call(job.plan).then(
      (answer) => finish(reader, job, () => job.resolve(answer as ListAnswer | Uint8Array | null)),
      (cause: Error) => finish(reader, job, () => job.reject(isDefect(cause) ? cause : unavailable(1, cause))),
    )
  }

  const finish = (reader: Reader, job: Job, settle: () => void) => {
    clearTimeout(job.timer)
    settle()
    if (reader.job !== job) return
    reader.job = undefined
    work(reader)
  }

  const stop = (reader: Reader, job: Job) => {
    const { resource, shows } = job.plan
    log.warn('statement_stopped', { resource, shows, timeoutMs: statementTimeoutMs })
    job.reject(unavailable(5, 'the statement timeout passed'))
    reader.job = undefined
    reader.thread?.stop().catch((cause: unknown) => log.error('reader_not_stopped', { cause }))
    start(reader)
  }

  const giveUp = (job: Job) => {
    queue.splice(queue.indexOf(job), 1)
    job.reject(unavailable(5, 'no reader was free in time'))
  }

  const answer = (plan: Plan, signal: AbortSignal | undefined) =>
    new Promise<ListAnswer | Uint8Array | null>((resolve, reject) => {
      if (isClosed) return reject(unavailable(1, 'the engine is closed'))
      if (queue.length >= mostWaiting * count) return reject(unavailable(1, 'too many requests wait for a reader'))
      const job: Job = { plan, signal, resolve, reject, timer: setTimeout(() => giveUp(job), statementTimeoutMs) }
      queue.push(job)
      const idle = readers.find((reader) => reader.isReady && !reader.job)
      if (idle) work(idle)
    })

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
      await Promise.all(readers.map(async ({ thread }) => thread?.stop()))
    },
  }
}

// What has no code was refused neither by the database nor by the file system: it is a mistake of ours.
const isDefect = (cause: Error) => cause instanceof ThreadFailure && cause.code === undefined

const unavailable = (retryAfter: number, cause: unknown) =>
  new ApiError('temporarily_unavailable', { retryAfter, cause })
