// A reader thread: takes batches of plans, and gives back bytes. Each batch (one list, or details) is answered in one snapshot of the POS
// database.
import { createFinder, type LoadedBase } from '../finder/finder.ts'
import { noteRelations } from '../finder/read-relations.ts'
import {
  answerCalls,
  emitEvent,
  failureOf,
  freeShared,
  monotonicMs,
  threadData,
  type Failure,
} from '../platform/thread.ts'
import type { Plan } from '../query/plan.ts'
import { createAnswerer } from './answer.ts'
import type { Batch } from './batches.ts'
import { bytesIn } from './engine.ts'
import { reportOnce } from './json.ts'
import { openSource } from './open-source.ts'
import type { ReadAnswer } from './remembered-answers.ts'
import { hungUp, type ConnectionFacts, type SourceData } from './source.ts'

export interface ReaderData {
  readonly source: SourceData
  // For remembered selections.
  readonly memoryBytes: number
  // For a plan.
  readonly timeoutMs: number
  // In shared memory: the place of the batch that is being read, and when it was begun.
  readonly progress: Float64Array<SharedArrayBuffer>
}

export type ReaderRequest =
  | { readonly batches: readonly Batch<Plan>[]; readonly call: number }
  // No caller waits for the batch at this place of the call.
  | { readonly cancel: { readonly call: number; readonly at: number } }
  | { readonly use: LoadedBase }
  | { readonly drop: string }

export type ReaderEvent =
  | { readonly isReady: true }
  // The new connection has no bases until they are given again.
  | { readonly connected: ConnectionFacts }
  | { readonly voided: readonly [collection: string, baseId: number, why: string, isWrong: boolean] }
  // A new base is due.
  | { readonly grown: readonly [collection: string, baseId: number] }
  | { readonly unknownCode: readonly [column: string, code: string] }

export type PlanResult = (ReadAnswer & { readonly ms: number }) | { readonly failure: Failure }

const { source: sourceData, memoryBytes, timeoutMs, progress } = threadData() as ReaderData
const emit = (event: ReaderEvent) => emitEvent(event)
const onUnknownCode = reportOnce((...unknownCode) => emit({ unknownCode }))

const source = await openSource(sourceData, (connected) => {
  if (connected.mustConfirm) finder.dropAll()
  emit({ connected })
})
const finder = createFinder(source.dialect, memoryBytes, {
  onVoid: (...voided) => emit({ voided }),
  onGrown: (...grown) => emit({ grown }),
})
// A part of the change feed ends early enough to be answered, also on a busy machine.
const patience = { nowMs: () => performance.now(), longestMs: timeoutMs / 4 }
const answerer = createAnswerer(source.dialect, finder, onUnknownCode, patience)
const longestCallMs = 250
let underWay: { readonly call: number; readonly stops: readonly AbortController[] } | undefined

answerCalls(async (call) => {
  const request = call as ReaderRequest
  if ('batches' in request) {
    const stops = request.batches.map(() => new AbortController())
    underWay = { call: request.call, stops }
    const result: PlanResult[] = []
    const endAt = monotonicMs() + longestCallMs
    for (const [at, plans] of request.batches.entries()) {
      // Lets cancellations in.
      if (at > 0) await new Promise(setImmediate)
      // Something holds them up, such as a lock: callers of other data must not wait for it. What was not read is shared out again.
      if (at > 0 && monotonicMs() > endAt) break
      progress.set([at, monotonicMs()])
      result.push(...(await read(plans, stops[at]?.signal)))
    }
    const bytes = result.map((each) => ('answer' in each ? bytesIn(each.answer) : undefined))
    return { result, transfer: bytes.flatMap((each) => (each ? [each.buffer as ArrayBuffer] : [])) }
  }
  if ('cancel' in request) {
    if (underWay?.call === request.cancel.call) underWay.stops[request.cancel.at]?.abort()
  } else {
    const isReplacedOrDropped = 'use' in request ? finder.use(request.use) : finder.drop(request.drop)
    if (isReplacedOrDropped) freeShared('major')
  }
  return { result: undefined }
})

// Connects before the first plan comes: connecting is not part of its time. A failure is reported to the first caller.
await source.within(async () => {}).catch(() => {})
emit({ isReady: true })

async function read(plans: Batch<Plan>, signal: AbortSignal | undefined): Promise<PlanResult[]> {
  const startedAt = performance.now()
  let hasBegun = false
  try {
    if (signal?.aborted) throw Object.assign(new Error('the caller hung up'), { code: hungUp })
    // Before the snapshot begins: see finder.ts.
    const prepared = answerer.prepare(plans)
    return await source.within(
      async (snapshot) => {
        hasBegun = true
        const read = new Set<string>()
        const answers = await answerer.answer(plans, prepared, noteRelations(snapshot, read))
        const ms = (performance.now() - startedAt) / plans.length
        const from = { database: snapshot.database, relations: [...read] }
        return answers.map((answer) => ({ answer, ...from, ms }))
      },
      signal,
      prepared ? 'one-step' : 'several-steps',
    )
  } catch (error) {
    // One damaged record must not fail the others: each is read by itself.
    if (hasBegun && plans.length > 1 && !signal?.aborted)
      return (await Array.fromAsync(plans, (plan) => read([plan], signal))).flat()
    return plans.map(() => ({ failure: failureOf(error) }))
  }
}
