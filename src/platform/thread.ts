// A thread or process that answers calls, for readers, loader and state. Requests and answers are plain data; an error in the thread
// rejects the call with its message and code.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread, parentPort, Worker, workerData, type Transferable } from 'node:worker_threads'

interface CallMessage {
  readonly id: number
  readonly request: unknown
}

export interface Failure {
  readonly message: string
  readonly stack: string | undefined
  readonly code: string | undefined
  // SQLite's error code.
  readonly errcode?: number
}

type AnswerMessage = { readonly id: number } & ({ readonly result: unknown } | { readonly failure: Failure })

// An error of the thread. One with a `code` comes from the database or the file system; others are defects of ours.
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
  // Ends the thread; pending calls are rejected.
  stop(): Promise<void>
}

// Frees the shared memory that this thread no longer uses. V8 does not count shared memory: it would stay until the collector happened
// to run in each thread that knew it. `minor` looks at young objects only: enough for what was just passed on.
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (options: { type: 'major' | 'minor' }) => void
export const freeShared = (type: 'major' | 'minor'): void => collect({ type })

// The same in every thread, and never set.
export const monotonicMs = () => Number(process.hrtime.bigint() / 1_000_000n)

interface ThreadOptions {
  readonly data: unknown
  readonly onEvent?: (event: unknown) => void
  // The thread ended by itself: a defect, or out of memory.
  readonly onDeath?: (cause: Error) => void
}

// Most objects of a thread are short-lived: a larger young generation would only return memory later.
const maxYoungGenerationSizeMb = 3

// Callers name the source file; in a package it is compiled, as this one is.
const compiledOrSource = (file: URL) => new URL(file.href.replace(/\.ts$/, extname(import.meta.url)))

interface Channel {
  send(call: CallMessage): void
  listen(onMessage: (message: AnswerMessage | { event: unknown }) => void, onEnd: (cause: Error) => void): void
  end(): Promise<void>
}

export function startThread(file: URL, options: ThreadOptions): Thread {
  const resourceLimits = { maxYoungGenerationSizeMb }
  const worker = new Worker(compiledOrSource(file), { workerData: options.data, resourceLimits })
  return callsOver(options, {
    send: (call) => worker.postMessage(call),
    listen(onMessage, onEnd) {
      worker.on('message', onMessage)
      worker.on('error', (error) => onEnd(error instanceof Error ? error : new Error(String(error))))
      worker.on('exit', () => onEnd(new Error('the thread ended')))
    },
    end: async () => void (await worker.terminate()),
  })
}

// The same in a process, which can be ended at any time; a thread within a statement of SQLite cannot. It copies all messages and
// takes more memory.
export function startProcess(file: URL, options: ThreadOptions): Thread {
  const child = fork(fileURLToPath(compiledOrSource(file)), {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: ['--disable-warning=ExperimentalWarning'],
    env: { ...process.env, [dataName]: JSON.stringify(options.data) },
  })
  const ended = once(child, 'exit')
  return callsOver(options, {
    send: (call) => void (child.connected && child.send(call)),
    listen(onMessage, onEnd) {
      child.on('message', onMessage)
      child.on('error', onEnd)
      child.on('exit', () => onEnd(new Error('the process ended')))
    },
    async end() {
      child.kill('SIGKILL')
      await ended
    },
  })
}

function callsOver({ onEvent, onDeath }: ThreadOptions, channel: Channel): Thread {
  const waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>()
  let last = 0
  let gone: Error | undefined
  const end = (cause: Error) => {
    gone = cause
    for (const { reject } of waiting.values()) reject(cause)
    waiting.clear()
  }
  // An error is followed by the exit: the first one counts. The owner hears of it before the callers.
  const die = (cause: Error) => {
    if (gone) return
    gone = cause
    onDeath?.(cause)
    end(cause)
  }
  channel.listen((message) => {
    if (gone) return
    if ('event' in message) return onEvent?.(message.event)
    const call = waiting.get(message.id)
    waiting.delete(message.id)
    if ('result' in message) call?.resolve(message.result)
    else call?.reject(new ThreadFailure(message.failure))
  }, die)
  return {
    call(request) {
      if (gone) return Promise.reject(gone)
      last += 1
      const id = last
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        channel.send({ id, request })
      })
    },
    async stop() {
      end(new Error('the thread was stopped'))
      await channel.end()
    },
  }
}

const dataName = 'VITRINE_THREAD_DATA'

// Called in the thread: the `data` of its options.
export const threadData = (): unknown => (isMainThread ? JSON.parse(process.env[dataName] ?? '{}') : workerData)

const send = (message: object, transfer: Transferable[] = []) =>
  parentPort ? parentPort.postMessage(message, transfer) : void process.send?.(message)

// Called once in the thread's file.
export function answerCalls(
  answer: (
    request: unknown,
  ) => { result: unknown; transfer?: Transferable[] } | Promise<{ result: unknown; transfer?: Transferable[] }>,
): void {
  const onMessage = ({ id, request }: CallMessage) => {
    Promise.try(answer, request).then(
      ({ result, transfer }) => send({ id, result }, transfer),
      (error: unknown) => send({ id, failure: failureOf(error) }),
    )
  }
  if (parentPort) return void parentPort.on('message', onMessage)
  if (!process.send) throw new Error('this file runs in a thread or a process of ours only')
  process.on('message', onMessage)
  // The parent process has gone.
  process.on('disconnect', () => process.exit())
}

export const emitEvent = (event: unknown) => send({ event })

export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { message: String(error), stack: undefined, code: undefined }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  const errcode = 'errcode' in error && typeof error.errcode === 'number' ? { errcode: error.errcode } : {}
  return { message: error.message, stack: error.stack, code, ...errcode }
}
