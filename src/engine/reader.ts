// A reader thread: takes plans and gives back bytes. Each plan, or records that are asked for alike, is answered in one snapshot of the
// POS database.
import { createFinder, type LoadedBase } from '../finder/finder.ts'
import { answerCalls, emitEvent, failureOf, monotonicMs, threadData, type Failure } from '../platform/thread.ts'
import type { Plans } from './alike.ts'
import { createAnswerer } from './answer.ts'
import type { Answer } from './engine.ts'
import { openSource, type SourceData } from './open-source.ts'
import type { Opened } from './source.ts'
import { tellOnce } from './unknown-codes.ts'

export interface ReaderData {
  readonly source: SourceData
  // For selections that are remembered.
  readonly memoryBytes: number
  // Which plans of a call are being read, and since when, for the thread that waits for it; where memory is shared.
  readonly progress?: Float64Array<SharedArrayBuffer>
}

export type ReaderRequest =
  | { readonly plans: readonly Plans[]; readonly call: number }
  // Nobody waits any more for what is at this place of a call.
  | { readonly cancel: { readonly call: number; readonly at: number } }
  | { readonly use: LoadedBase }
  | { readonly drop: string }

export type ReaderEvent =
  | { readonly isReady: true }
  // A connection was made: it has no bases until they are given again.
  | { readonly opened: Opened }
  | { readonly voided: { readonly collection: string; readonly baseId: number; readonly why: string } }
  // So much was written since it was loaded that a new one is due.
  | { readonly grown: { readonly collection: string; readonly baseId: number } }
  | { readonly unknownCode: { readonly column: string; readonly code: string } }

// What becomes of each plan of a call. `version`: see Source.
export type Read =
  | { readonly answer: Answer; readonly version: string | undefined; readonly ms: number }
  | { readonly failure: Failure }

const { source: sourceData, memoryBytes, progress } = threadData() as ReaderData
const emit = (event: ReaderEvent) => emitEvent(event)
const onUnknownCode = tellOnce((column, code) => emit({ unknownCode: { column, code } }))

const source = await openSource(sourceData, (opened) => {
  if (opened.mustConfirm) finder.dropAll()
  emit({ opened })
})
const finder = createFinder(source.dialect, memoryBytes, {
  onVoid: ({ collection, id }, why) => emit({ voided: { collection: collection.name, baseId: id, why } }),
  onGrown: ({ collection, id }) => emit({ grown: { collection: collection.name, baseId: id } }),
})
const answerer = createAnswerer(source.dialect, finder, onUnknownCode)

// What is being read, and what stops each of it: some may be given up before its turn comes.
let underWay: { readonly call: number; readonly stops: readonly AbortController[] } | undefined

answerCalls(async (asked) => {
  const request = asked as ReaderRequest
  if ('cancel' in request) {
    const { call, at } = request.cancel
    if (underWay?.call === call) underWay.stops[at]?.abort()
    return { result: undefined }
  }
  if ('use' in request) {
    finder.use(request.use)
    return { result: undefined }
  }
  if ('drop' in request) {
    finder.drop(request.drop)
    return { result: undefined }
  }
  const stops = request.plans.map(() => new AbortController())
  underWay = { call: request.call, stops }
  const result: Read[] = []
  for (const [at, plans] of request.plans.entries()) result.push(...(await read(plans, at, stops[at]?.signal)))
  return { result, transfer: result.flatMap(buffersOf) }
})

// Connected before the first plan comes: that is no part of the time a plan has. What is wrong with the database is told to the first
// caller.
await source.within(async () => {}).catch(() => {})
emit({ isReady: true })

async function read(plans: Plans, at: number, signal: AbortSignal | undefined): Promise<Read[]> {
  progress?.set([at, monotonicMs()])
  const begunAt = performance.now()
  let hasBegun = false
  try {
    // Before the snapshot begins: see finder.ts.
    const prepared = answerer.prepare(plans)
    return await source.within(async (snapshot) => {
      hasBegun = true
      const [version, answers] = await Promise.all([snapshot.version(), answerer.answer(plans, prepared, snapshot)])
      const ms = (performance.now() - begunAt) / plans.length
      return answers.map((answer) => ({ answer, version, ms }))
    }, signal)
  } catch (error) {
    // What one record does wrong is no other's: each by itself.
    if (hasBegun && plans.length > 1 && !signal?.aborted)
      return (await Array.fromAsync(plans, (plan) => read([plan], at, signal))).flat()
    return plans.map(() => ({ failure: failureOf(error) }))
  }
}

function buffersOf(read: Read): ArrayBuffer[] {
  if (!('answer' in read) || read.answer === null) return []
  const bytes = 'body' in read.answer ? read.answer.body : read.answer
  return [bytes.buffer as ArrayBuffer]
}
