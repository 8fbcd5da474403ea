// A thread that answers requests: the shape of both the reader threads and the state's thread. Requests and answers are
// plain data; an error thrown in the thread rejects the call with its message and code.
import { extname } from 'node:path'
import { parentPort, Worker, type Transferable } from 'node:worker_threads'

interface Request {
  readonly id: number
  readonly request: unknown
}

export interface Failure {
  readonly message: string
  readonly stack: string | undefined
  readonly code: string | undefined
  // SQLite's own number for it.
  readonly errcode?: number
}

type Answer = { readonly id: number } & ({ readonly result: unknown } | { readonly failure: Failure })

// What was thrown in the thread; `code` tells what the database or the file system refused from a defect of ours.
export class ThreadFailure extends Error {
  readonly code: string | undefined
  readonly errcode: number | undefined

  constructor({ message, stack, code, errcode }: Failure) {
    super(message)
    this.code = code
    this.errcode = errcode
    if (stack !== undefined) this.stack = stack
  }
}

export interface Thread {
  call(request: unknown): Promise<unknown>
  // Ends the thread; calls under way are rejected.
  stop(): Promise<void>
}

// The same in every thread, and nobody sets it.
export const monotonicMs = () => Number(process.hrtime.bigint() / 1_000_000n)

interface ThreadOptions {
  readonly data: unknown
  readonly onEvent?: (event: unknown) => void
  // The thread ended by itself: a defect, or memory ran out.
  readonly onDeath?: (cause: Error) => void
}

// What a thread makes is short-lived: more room for it would only take longer to be given back.
const maxYoungGenerationSizeMb = 3

// A file is named as its source is; in a package it is compiled, as this one is.
const asRun = (file: URL) => new URL(file.href.replace(/\.ts$/, extname(import.meta.url)))

export function startThread(file: URL, { data, onEvent, onDeath }: ThreadOptions): Thread {
  const worker = new Worker(asRun(file), { workerData: data, resourceLimits: { maxYoungGenerationSizeMb } })
  const waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>()
  let last = 0
  let gone: Error | undefined
  const end = (cause: Error) => {
    gone = cause
    for (const { reject } of waiting.values()) reject(cause)
    waiting.clear()
  }
  // An error comes before the exit: whichever tells first counts, and its owner hears of it before the callers do.
  const die = (cause: Error) => {
    if (gone) return
    gone = cause
    onDeath?.(cause)
    end(cause)
  }
  worker.on('message', (message: Answer | { event: unknown }) => {
    if (gone) return
    if ('event' in message) return onEvent?.(message.event)
    const call = waiting.get(message.id)
    waiting.delete(message.id)
    if ('result' in message) call?.resolve(message.result)
    else call?.reject(new ThreadFailure(message.failure))
  })
  worker.on('error', (error) => die(error instanceof Error ? error : new Error(String(error))))
  worker.on('exit', () => die(new Error('the thread ended')))
  return {
    call(request) {
      if (gone) return Promise.reject(gone)
      last += 1
      const id = last
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        worker.postMessage({ id, request } satisfies Request)
      })
    },
    async stop() {
      end(new Error('the thread was stopped'))
      await worker.terminate()
    },
  }
}

// The other side: called once in the thread's file.
export function answerCalls(
  answer: (
    request: unknown,
  ) => { result: unknown; transfer?: Transferable[] } | Promise<{ result: unknown; transfer?: Transferable[] }>,
): void {
  const port = parentPort
  if (!port) throw new Error('this file runs in a thread only')
  port.on('message', ({ id, request }: Request) => {
    Promise.try(answer, request).then(
      ({ result, transfer }) => port.postMessage({ id, result }, transfer ?? []),
      (error: unknown) => port.postMessage({ id, failure: failureOf(error) }),
    )
  })
}

export const emitEvent = (event: unknown) => parentPort?.postMessage({ event })

export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { message: String(error), stack: undefined, code: undefined }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  const errcode = 'errcode' in error && typeof error.errcode === 'number' ? { errcode: error.errcode } : {}
  return { message: error.message, stack: error.stack, code, ...errcode }
}
