// Whole answers in memory, by everything that they depend on but the data. Whether the data is still the same is for the engine
// to know.
import type { Plan } from '../query/plan.ts'
import { textOfAccess } from './alike.ts'
import type { Answer } from './engine.ts'

// An answer, and the version of the data that it shows: see Source.
export interface VersionedAnswer {
  readonly answer: Answer
  readonly version: string | undefined
}

export interface AnswerMemory {
  // The answer to a plan, from memory or from the reader that is asked.
  answer(plan: Plan, ask: () => Promise<VersionedAnswer>): Promise<Answer>
  close(): Promise<void>
}

const mostBytes = 8 * 1024 * 1024

export function createAnswerStore() {
  const known = new Map<string, Answer>()
  let bytes = 0
  const clear = () => {
    known.clear()
    bytes = 0
  }
  return {
    has: (key: string) => known.has(key),
    get: (key: string) => known.get(key),
    set(key: string, answer: Answer) {
      const more = key.length + bytesOf(answer)
      if (known.has(key) || more > mostBytes) return
      if (bytes + more > mostBytes) clear()
      known.set(key, answer)
      bytes += more
    },
    clear,
  }
}

// Everything that an answer depends on, written down once for each plan.
export function answerKey(plan: Plan): string {
  let key = keys.get(plan)
  if (key === undefined) keys.set(plan, (key = keyOf(plan)))
  return key
}

const keys = new WeakMap<Plan, string>()

const keyOf = ({ access, ...asked }: Plan) => JSON.stringify(asked) + textOfAccess(access)

const bytesOf = (answer: Answer) =>
  answer === null ? 0 : 'body' in answer ? answer.body.byteLength : answer.byteLength
