// A reader thread: takes a plan, answers it within one snapshot of the POS database, gives back bytes. It opens the file
// when it is first needed and after any failure, so that it recovers by itself once the database is back.
import { workerData } from 'node:worker_threads'
import type { Plan } from '../../query/plan.ts'
import { answerCalls, emitEvent } from '../../thread.ts'
import { createAnswerer, type Answerer } from '../answer.ts'
import { tellOnce } from '../unknown-codes.ts'
import { connect, type Connection } from './connection.ts'

export interface ReaderData {
  readonly path: string
  readonly lockTimeoutMs: number
  readonly farInto: number
}

// What a reader tells unasked: that it can take plans, and stored codes that have no label.
export type ReaderEvent =
  | { readonly isReady: true }
  | { readonly unknownCode: { readonly column: string; readonly code: string } }

const { path, lockTimeoutMs, farInto } = workerData as ReaderData
let open: { readonly connection: Connection; readonly answerer: Answerer } | undefined

answerCalls(async (request) => {
  try {
    if (open && !open.connection.isCurrent()) disconnect()
    open ??= connectToFile()
    if (!open.connection.begin()) {
      disconnect()
      open = connectToFile()
      open.connection.begin()
    }
    return await answer(request as Plan, open.connection, open.answerer)
  } catch (error) {
    disconnect()
    throw error
  }
})

emitEvent({ isReady: true } satisfies ReaderEvent)

function connectToFile() {
  const connection = connect(path, lockTimeoutMs)
  return { connection, answerer: createAnswerer(connection.dialect, onUnknownCode, farInto) }
}

// Within the snapshot that was begun.
async function answer(plan: Plan, { run, end }: Connection, answerer: Answerer) {
  try {
    if (plan.shows === 'detail') {
      const body = await answerer.detail(plan, run)
      return { result: body, transfer: body ? [body.buffer as ArrayBuffer] : [] }
    }
    const { total, body } = await answerer.list(plan, run)
    return { result: { total, body }, transfer: [body.buffer as ArrayBuffer] }
  } finally {
    end()
  }
}

const onUnknownCode = tellOnce((column, code) => emitEvent({ unknownCode: { column, code } } satisfies ReaderEvent))

function disconnect() {
  try {
    open?.connection.close()
  } finally {
    open = undefined
  }
}
