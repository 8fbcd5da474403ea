// A reader thread: takes plans, answers each within one snapshot of the POS database, gives back bytes. It opens the file
// when it is first needed and after any failure, so that it recovers by itself once the database is back.
import type { Plan } from '../../query/plan.ts'
import { answerCalls, emitEvent, failureOf, monotonicMs, threadData, type Failure } from '../../thread.ts'
import { createAnswerer, type Answerer } from '../answer.ts'
import type { Answer } from '../engine.ts'
import type { Stale } from '../stale.ts'
import { tellOnce } from '../unknown-codes.ts'
import { connect, type Connection } from './connection.ts'

export interface ReaderData {
  readonly path: string
  readonly lockTimeoutMs: number
  readonly farInto: number
  // Which plan of a call is being read, and since when, for whoever waits for it; where memory is shared.
  readonly progress?: Float64Array<SharedArrayBuffer>
}

// What a reader tells unasked: that it can take plans, what it cannot use of what is derived, and stored codes that have no label.
export type ReaderEvent =
  | { readonly isReady: true }
  | { readonly stale: Stale }
  | { readonly unknownCode: { readonly column: string; readonly code: string } }

// What becomes of each plan of a call.
export type Read = { readonly answer: Answer; readonly ms: number } | { readonly failure: Failure }

const { path, lockTimeoutMs, farInto, progress } = threadData() as ReaderData
const onUnknownCode = tellOnce((column, code) => emitEvent({ unknownCode: { column, code } } satisfies ReaderEvent))
let open: { readonly connection: Connection; readonly answerer: Answerer } | undefined

answerCalls(async (request) => {
  const result: Read[] = []
  for (const [at, plan] of (request as readonly Plan[]).entries()) {
    progress?.set([at, monotonicMs()])
    result.push(await read(plan))
  }
  return { result, transfer: result.flatMap(buffersOf) }
})

// The file is opened before the first plan comes: that is no part of the time a plan has. What is wrong with it is told to whoever
// asks first.
try {
  open = connectToFile()
} catch {}
emitEvent({ isReady: true } satisfies ReaderEvent)

async function read(plan: Plan): Promise<Read> {
  try {
    const begun = performance.now()
    const { connection, answerer } = beginSnapshot()
    try {
      const answer = plan.shows === 'list' ? answerer.list(plan, connection.run) : answerer.detail(plan, connection.run)
      return { answer: await answer, ms: performance.now() - begun }
    } finally {
      connection.end()
    }
  } catch (error) {
    disconnect()
    return { failure: failureOf(error) }
  }
}

function beginSnapshot() {
  if (open && !open.connection.isCurrent()) disconnect()
  open ??= connectToFile()
  for (let attempt = 0; !open.connection.begin(); attempt += 1) {
    if (attempt > 2) throw new Error('the tables change faster than they can be looked at')
    disconnect()
    open = connectToFile()
  }
  return open
}

function connectToFile() {
  const connection = connect(path, lockTimeoutMs, farInto)
  emitEvent({ stale: connection.stale } satisfies ReaderEvent)
  return { connection, answerer: createAnswerer(connection.dialect, onUnknownCode, farInto) }
}

function buffersOf(read: Read): ArrayBuffer[] {
  if (!('answer' in read) || read.answer === null) return []
  const bytes = 'body' in read.answer ? read.answer.body : read.answer
  return [bytes.buffer as ArrayBuffer]
}

function disconnect() {
  try {
    open?.connection.close()
  } finally {
    open = undefined
  }
}
