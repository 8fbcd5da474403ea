// Whole answers in memory, by everything that they depend on but the data. Whether the data is still the same is for the engine
// to know.
import type { Access } from '../catalogue/access.ts'
import type { Plan } from '../query/plan.ts'
import type { Answer } from './engine.ts'

const mostBytes = 8 * 1024 * 1024

export function createAnswerMemory() {
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
      if (bytes > mostBytes) clear()
      known.set(key, answer)
      bytes += key.length + bytesOf(answer)
    },
    clear,
  }
}

// Everything that an answer depends on. What belongs to the caller is written down once for each.
export function answerKey(plan: Plan): string {
  const { access, resource, conditions } = plan
  let caller = callers.get(access)
  if (caller === undefined)
    callers.set(access, (caller = JSON.stringify([access.permissions, access.stores, access.priceList])))
  if (plan.shows === 'detail') return `${resource} ${plan.id} ${caller}`
  return `${resource} ${plan.page} ${plan.perPage} ${JSON.stringify([plan.order, conditions])} ${caller}`
}

const callers = new WeakMap<Access, string>()

const bytesOf = (answer: Answer) =>
  answer === null ? 0 : 'body' in answer ? answer.body.byteLength : answer.byteLength
