// A reader thread: takes plans, answers each, or those that go together, within one snapshot of the POS database, gives back bytes. It opens the file
// when it is first needed and after any failure, so that it recovers by itself once the database is back.
import { answerCalls, emitEvent, failureOf, monotonicMs, threadData, type Failure } from '../../thread.ts'
import type { Plans } from '../alike.ts'
import { rememberPieces } from '../pieces.ts'
import type { Stale } from '../stale.ts'
import { tellOnce } from '../unknown-codes.ts'
import type { Found } from './answers.ts'
import { openToRead, type Opening } from './opening.ts'

export interface ReaderData {
  readonly path: string
  readonly lockTimeoutMs: number
  readonly farInto: number
  // Which plans of a call are being read, and since when, for whoever waits for it; where memory is shared.
  readonly progress?: Float64Array<SharedArrayBuffer>
}

// What a reader tells unasked: that it can take plans; what it found when it opened the file (what it cannot use of what is derived,
// and whether all is in tables); and stored codes that have no label.
export type ReaderEvent =
  | { readonly isReady: true }
  | { readonly stale: Stale; readonly areTables: boolean }
  | { readonly unknownCode: { readonly column: string; readonly code: string } }

// What becomes of each plan of a call.
export type Read = (Found & { readonly ms: number }) | { readonly failure: Failure }

const { path, lockTimeoutMs, farInto, progress } = threadData() as ReaderData
const onUnknownCode = tellOnce((column, code) => emitEvent({ unknownCode: { column, code } } satisfies ReaderEvent))
const pieces = rememberPieces()
let open: Opening | undefined

answerCalls(async (request) => {
  const result: Read[] = []
  for (const [at, plans] of (request as readonly Plans[]).entries()) result.push(...(await read(plans, at)))
  return { result, transfer: result.flatMap(buffersOf) }
})

// The file is opened before the first plan comes: that is no part of the time a plan has. What is wrong with it is told to whoever
// asks first.
try {
  open = connectToFile()
} catch {}
emitEvent({ isReady: true } satisfies ReaderEvent)

async function read(plans: Plans, at: number): Promise<Read[]> {
  progress?.set([at, monotonicMs()])
  let hasBegun = false
  try {
    const begun = performance.now()
    const { connection, answerer } = beginSnapshot()
    hasBegun = true
    try {
      const answers = await answerer.answer(plans, connection.run)
      const ms = (performance.now() - begun) / plans.length
      return answers.map((answer) => ({ answer, file: connection.file, ms }))
    } finally {
      connection.end()
    }
  } catch (error) {
    disconnect()
    // The file may be damaged: nothing that was counted in it is relied on.
    pieces.forget()
    // What one record does wrong is no other's: each by itself.
    if (hasBegun && plans.length > 1) return (await Array.fromAsync(plans, (plan) => read([plan], at))).flat()
    return plans.map(() => ({ failure: failureOf(error) }))
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
  const opened = openToRead({ path, lockTimeoutMs, farInto, pieces, onUnknownCode })
  const { stale, areTables } = opened.connection
  emitEvent({ stale, areTables } satisfies ReaderEvent)
  return opened
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
