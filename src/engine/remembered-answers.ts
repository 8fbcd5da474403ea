// Whole answers in memory, given again until the data changes. An answer is read between two looks at the version of the data. If both
// find the same version, the answer is of that version. Before it is given, a look that began after the request arrived must find that
// version again: nothing stale is served.
import { onceFor } from '../query/once-for.ts'
import type { Plan } from '../query/plan.ts'
import { textOfAccess } from './batches.ts'
import { bytesIn, type PlanAnswer } from './engine.ts'
import type { Database, DataVersion } from './source.ts'

export interface ReadAnswer {
  readonly answer: PlanAnswer
  // The server or file that it was read from.
  readonly database: string
}

// The answer to a plan, from memory or by `read`.
type AnswerMemory = (plan: Plan, read: () => Promise<ReadAnswer>) => Promise<PlanAnswer>

const mostBytes = 8 * 1024 * 1024
// Answers that wait for the next look.
const mostPending = 64
// After this many looks in a row that found a new version, nothing is remembered for a while: writes are too frequent.
const mostInVain = 20
const restMs = 1000

export function rememberAnswers(look: Database['look']): AnswerMemory {
  const known = new Map<string, PlanAnswer>()
  let bytes = 0
  const pending = new Map<string, ReadAnswer & { readonly asOf: string }>()
  let current: DataVersion | undefined
  let inVain = 0
  let restsUntil = 0
  let nextLook: Promise<void> | undefined
  let lastLook: Promise<void> = Promise.resolve()

  const forget = () => {
    known.clear()
    bytes = 0
  }

  const remember = (key: string, answer: PlanAnswer) => {
    const more = key.length + (bytesIn(answer)?.byteLength ?? 0)
    if (known.has(key) || more > mostBytes) return
    if (bytes + more > mostBytes) forget()
    known.set(key, answer)
    bytes += more
  }

  const lookNow = async () => {
    nextLook = undefined
    const read = [...pending]
    pending.clear()
    let found: DataVersion | undefined
    try {
      found = await look()
    } catch {
      // Unreachable or locked: nothing is remembered, and the readers report it.
    }
    if (found && found.version === current?.version) inVain = 0
    else {
      inVain += 1
      forget()
    }
    current = found
    for (const [key, { answer, database, asOf }] of read)
      if (found?.version === asOf && found.database === database) remember(key, answer)
    if (inVain < mostInVain) return
    inVain = 0
    current = undefined
    restsUntil = performance.now() + restMs
  }

  // One look at a time, shared by all requests that arrive before it begins.
  const looked = () => {
    nextLook ??= lastLook.then(() => new Promise(setImmediate)).then(lookNow)
    lastLook = nextLook
    return nextLook
  }

  return async (plan, read) => {
    const key = answerKey(plan)
    const isLookDue = !current || known.has(key) || pending.has(key) || pending.size >= mostPending
    if (isLookDue && performance.now() >= restsUntil) {
      await looked()
      const remembered = known.get(key)
      if (remembered !== undefined) return remembered
    }
    const asOf = current?.version
    const found = await read()
    if (asOf !== undefined && pending.size < mostPending && isAskedAgain(found.answer))
      pending.set(key, { ...found, asOf })
    return found.answer
  }
}

// Everything that an answer depends on besides the data.
const answerKey = onceFor(({ access, ...asked }: Plan) => JSON.stringify(asked) + textOfAccess(access))

// A part of the change feed is asked for once, unless it says that nothing has changed.
const isAskedAgain = (answer: PlanAnswer) =>
  answer === null || typeof answer === 'string' || !('position' in answer) || answer.entries === 0
