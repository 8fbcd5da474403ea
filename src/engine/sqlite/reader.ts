// A reader thread: takes a plan, answers it within one snapshot of the POS database, gives back bytes. It opens the file
// when it is first needed and after any failure, so that it recovers by itself once the database is back.
import { workerData } from 'node:worker_threads'
import type { Plan } from '../../query/plan.ts'
import { answerCalls, emitEvent } from '../../thread.ts'
import { answerDetail, answerList, type Snapshot } from '../answer.ts'
import type { Cell } from '../json.ts'
import { connect, type Connection } from './connection.ts'

export interface ReaderData {
  readonly path: string
  readonly lockTimeoutMs: number
}

// What a reader tells unasked: that it can take plans, and stored codes that have no label.
export type ReaderEvent =
  | { readonly isReady: true }
  | { readonly unknownCode: { readonly column: string; readonly code: string } }

const { path, lockTimeoutMs } = workerData as ReaderData
let connection: Connection | undefined

answerCalls(async (request) => {
  const plan = request as Plan
  try {
    if (connection && !connection.isCurrent()) disconnect()
    connection ??= connect(path, lockTimeoutMs)
    return await answer(plan, connection)
  } catch (error) {
    disconnect()
    throw error
  }
})

emitEvent({ isReady: true } satisfies ReaderEvent)

async function answer(plan: Plan, { database, run, begin, end }: Connection) {
  const snapshot: Snapshot = { database, run, onUnknownCode }
  begin()
  try {
    if (plan.shows === 'detail') {
      const body = await answerDetail(plan, snapshot)
      return { result: body, transfer: body ? [body.buffer as ArrayBuffer] : [] }
    }
    const { total, body } = await answerList(plan, snapshot)
    return { result: { total, body }, transfer: [body.buffer as ArrayBuffer] }
  } finally {
    end()
  }
}

function onUnknownCode(column: string, code: Cell) {
  emitEvent({ unknownCode: { column, code: String(code) } } satisfies ReaderEvent)
}

function disconnect() {
  try {
    connection?.close()
  } finally {
    connection = undefined
  }
}
