// A thread that answers requests: the shape of both the reader threads and the state's thread. Requests and answers are
// plain data; an error thrown in the thread rejects the call with its message and code.
import { parentPort, Worker, type Transferable } from 'node:worker_threads'

interface Request {
  readonly id: number
  readonly request: unknown
}

type Answer = { readonly id: number } & (
  | { readonly result: unknown }
  | { readonly failure: { readonly message: string; readonly code: string | undefined } }
)

export class ThreadFailure extends Error {
  readonly code: string | undefined

  constructor(message: string, code?: string) {
    super(message)
    this.code = code
  }
}

export interface Thread {
  call(request: unknown): Promise<unknown>
  // Ends the thread; calls under way are rejected.
  stop(): Promise<void>
}

export interface ThreadOptions {
  readonly data: unknown
  readonly onEvent?: (event: unknown) => void
  // The thread ended by itself: a defect, or memory ran out.
  readonly onDeath?: (cause: Error) => void
}

export function startThread(file: URL, { data, onEvent, onDeath }: ThreadOptions): Thread {
  const worker = new Worker(file, { workerData: data })
  const waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>()
  let last = 0
  let gone: Error | undefined
  const end = (cause: Error) => {
    gone ??= cause
    for (const { reject } of waiting.values()) reject(cause)
    waiting.clear()
  }
  worker.on('message', (message: Answer | { event: unknown }) => {
    if ('event' in message) return onEvent?.(message.event)
    const call = waiting.get(message.id)
    waiting.delete(message.id)
    if ('result' in message) call?.resolve(message.result)
    else call?.reject(new ThreadFailure(message.failure.message, message.failure.code))
  })
  worker.on('error', (error) => {
    end(new ThreadFailure(`the thread died: ${error.message}`))
  })
  worker.on('exit', () => {
    const isUnexpected = gone?.message !== stopped
    end(new ThreadFailure('the thread ended'))
    if (isUnexpected) onDeath?.(gone ?? new ThreadFailure('the thread ended'))
  })
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
      end(new ThreadFailure(stopped))
      await worker.terminate()
    },
  }
}

const stopped = 'the thread was stopped'

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

function failureOf(error: unknown) {
  if (!(error instanceof Error)) return { message: String(error), code: undefined }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  return { message: error.message, code }
}
