// Whole answers in memory. Each is kept with the relations that it was read from, and the last look at the database before it was read.
// Before it is given, a look that began after the request arrived must have found that none of them was written since: nothing stale is
// served.
import type { Plan } from '../query/plan.ts'
import { answerKeyOf } from './batches.ts'
import { bytesIn, type PlanAnswer } from './engine.ts'
import type { Look } from './look.ts'
import type { Database } from './source.ts'

export interface ReadAnswer {
  readonly answer: PlanAnswer
  // What it was read from: see `Snapshot`.
  readonly database: string
  readonly relations: readonly string[]
}

// The answer to a plan, from memory or by `read`.
type AnswerMemory = (plan: Plan, read: () => Promise<ReadAnswer>) => Promise<PlanAnswer>

interface Kept extends ReadAnswer {
  // The number of the look.
  readonly asOf: number
  readonly bytes: number
}

const mostBytes = 8 * 1024 * 1024
const mostBytesOfOne = mostBytes / 8
// What an answer takes beside its key and its bytes, and each name of a relation.
const bytesBeside = 300
const bytesOfName = 40

export function rememberAnswers(look: Database['look']): AnswerMemory {
  // The oldest first.
  const known = new Map<string, Kept>()
  let bytes = 0
  let last: Look | undefined
  // The last look is too old to tell of what is read now.
  let isLookDue = true
  let looks = 0
  // What was read before this look is void.
  let validFrom = 0
  // By relation: the last look that found it written.
  const writtenAt = new Map<string, number>()
  let nextLook: Promise<boolean> | undefined
  let lastLook: Promise<unknown> = Promise.resolve()

  const isCurrent = ({ asOf, relations }: Kept) => relations.every((name) => (writtenAt.get(name) ?? 0) <= asOf)

  const forget = (key: string) => {
    bytes -= known.get(key)?.bytes ?? 0
    known.delete(key)
  }

  const keep = (key: string, kept: Kept) => {
    if (kept.bytes > mostBytesOfOne) return
    forget(key)
    known.set(key, kept)
    bytes += kept.bytes
    for (const oldest of known.keys()) {
      if (bytes <= mostBytes) break
      forget(oldest)
    }
  }

  // Whether the look has told what was written.
  const lookNow = async () => {
    nextLook = undefined
    try {
      last = await look(last)
    } catch {
      // Unreachable or locked. The next look tells what was written since the one before, and the readers report it.
      return false
    }
    looks += 1
    isLookDue = !last
    if (last && last.written !== 'any') {
      for (const name of last.written) writtenAt.set(name, looks)
      return true
    }
    validFrom = looks
    known.clear()
    bytes = 0
    return false
  }

  // One look at a time, shared by all requests that arrive before it begins.
  const looked = () => {
    nextLook ??= lastLook.then(() => new Promise(setImmediate)).then(lookNow)
    lastLook = nextLook
    return nextLook
  }

  return async (plan, read) => {
    const key = answerKeyOf(plan)
    if (isLookDue || known.has(key)) {
      const hasTold = await looked()
      const kept = known.get(key)
      if (hasTold && kept && isCurrent(kept)) return kept.answer
    }
    const [asOf, before] = [looks, last]
    const found = await read()
    const kept = { ...found, asOf, bytes: bytesOf(key, found) }
    if (!before || asOf < validFrom || found.database !== before.database || !isCurrent(kept)) isLookDue = true
    else if (isAskedAgain(found.answer)) keep(key, kept)
    return found.answer
  }
}

const bytesOf = (key: string, { answer, relations }: ReadAnswer) =>
  key.length + (bytesIn(answer)?.byteLength ?? 0) + bytesBeside + bytesOfName * relations.length

// A part of the change feed is asked for once, unless it says that nothing has changed.
const isAskedAgain = (answer: PlanAnswer) =>
  answer === null || (typeof answer !== 'string' && (!('position' in answer) || answer.entries === 0))
