// The embedded engine: plans are handed to reader threads, one at a time each, so that no query ever blocks the listener.
// A plan that is not answered by its deadline is refused with 503; the thread that works on it is stopped and replaced.
import { ApiError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { DetailPlan, ListPlan, Plan } from '../../query/plan.ts'
import { startThread, type Thread } from '../../thread.ts'
import type { Engine, ListAnswer } from '../engine.ts'
import type { ReaderData, UnknownCode } from './reader.ts'

export interface SqliteEngineOptions {
  readonly path: string
  readonly readers: number
  readonly statementTimeoutMs: number
  readonly log: Log
}

interface Job {
  readonly plan: Plan
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: Error) => void
  readonly timer: NodeJS.Timeout
  reader?: Reader
}

interface Reader {
  thread: Thread
  job: Job | undefined
}

export function createSqliteEngine({ path, readers: count, statementTimeoutMs, log }: SqliteEngineOptions): Engine {
  const queue: Job[] = []
  const reported = new Set<string>()
  let isClosed = false

  const onEvent = (event: unknown) => {
    const { column, code } = (event as UnknownCode).unknownCode
    if (reported.has(`${column} ${code}`)) return
    reported.add(`${column} ${code}`)
    log.warn('unknown_code', { column, code })
  }
  const data: ReaderData = { path, lockTimeoutMs: Math.min(1000, statementTimeoutMs) }
  const start = () =>
    startThread(new URL('reader.ts', import.meta.url), {
      data,
      onEvent,
      onDeath: (cause) => log.error('reader_died', { cause }),
    })
  const readers = Array.from({ length: count }, (): Reader => ({ thread: start(), job: undefined }))

  const replace = (reader: Reader) => {
    const { thread } = reader
    reader.job = undefined
    if (!isClosed) reader.thread = start()
    thread.stop().catch((cause: unknown) => log.error('reader_not_stopped', { cause }))
  }

  const work = (reader: Reader) => {
    const job = queue.shift()
    if (!job) return
    reader.job = job
    job.reader = reader
    reader.thread.call(job.plan).then(
      (answer) => finish(reader, job, () => job.resolve(answer)),
      (cause: Error) => {
        // A thread that ended by itself is replaced; one that reports a failure goes on.
        const isGone = reader.job === job && cause.message.startsWith('the thread')
        finish(reader, job, () => job.reject(new ApiError('temporarily_unavailable', { retryAfter: 1, cause })))
        if (isGone) replace(reader)
      },
    )
  }

  const finish = (reader: Reader, job: Job, settle: () => void) => {
    clearTimeout(job.timer)
    settle()
    if (reader.job !== job) return
    reader.job = undefined
    work(reader)
  }

  const onDeadline = (job: Job) => {
    log.warn('statement_stopped', { resource: job.plan.resource, shows: job.plan.shows, timeoutMs: statementTimeoutMs })
    const waiting = queue.indexOf(job)
    if (waiting !== -1) queue.splice(waiting, 1)
    job.reject(new ApiError('temporarily_unavailable', { retryAfter: 5, cause: 'the statement timeout passed' }))
    if (!job.reader) return
    replace(job.reader)
    work(job.reader)
  }

  const answer = (plan: Plan) =>
    new Promise<unknown>((resolve, reject) => {
      if (isClosed) return reject(new ApiError('temporarily_unavailable', { retryAfter: 1 }))
      const timer = setTimeout(() => onDeadline(job), statementTimeoutMs)
      const job: Job = { plan, resolve, reject, timer }
      queue.push(job)
      const idle = readers.find((reader) => reader.job === undefined)
      if (idle) work(idle)
    })

  return {
    list: (plan: ListPlan) => answer(plan) as Promise<ListAnswer>,
    detail: (plan: DetailPlan) => answer(plan) as Promise<Uint8Array | null>,
    async close() {
      isClosed = true
      for (const job of queue.splice(0)) {
        clearTimeout(job.timer)
        job.reject(new ApiError('temporarily_unavailable', { retryAfter: 1 }))
      }
      await Promise.all(readers.map(({ thread }) => thread.stop()))
    },
  }
}
