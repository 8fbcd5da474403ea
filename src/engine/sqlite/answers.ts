// Whole answers, remembered for as long as nobody writes to the POS database. Whether somebody has is asked before each one is
// given: nothing stale is ever served.
import type { Access } from '../../catalogue/access.ts'
import type { Plan } from '../../query/plan.ts'
import { watchVersion } from '../../sqlite.ts'
import type { Answer } from '../engine.ts'

const mostBytes = 8 * 1024 * 1024

export function rememberAnswers(path: string) {
  const watch = watchVersion(path)
  const known = new Map<string, Answer>()
  // Read since the last look: they are known once the next look finds the same version.
  let read: { readonly key: string; readonly answer: Answer; readonly asOf: string }[] = []
  let bytes = 0
  let version: string | undefined

  const look = async () => {
    let current: string
    try {
      current = await watch.version()
    } catch {
      // Locked or gone: the readers will tell.
      return undefined
    }
    if (current !== version || bytes > mostBytes) {
      known.clear()
      bytes = 0
    }
    version = current
    for (const { key, answer, asOf } of read)
      if (asOf === current) {
        known.set(key, answer)
        bytes += key.length + bytesOf(answer)
      }
    if (read.length > 0) read = []
    return current
  }

  return {
    // The answer to a plan, from memory or from whom it is asked.
    async answer(plan: Plan, ask: () => Promise<Answer>): Promise<Answer> {
      const asOf = await look()
      if (asOf === undefined) return ask()
      const key = keyOf(plan)
      const remembered = known.get(key)
      if (remembered !== undefined) return remembered
      const answer = await ask()
      read.push({ key, answer, asOf })
      return answer
    },
    close: () => watch.close(),
  }
}

// Everything that an answer depends on. What belongs to the caller is written down once for each.
function keyOf(plan: Plan): string {
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
