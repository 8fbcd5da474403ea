// Whole answers, remembered for as long as nobody writes to the POS database. Whether somebody has is asked after each request has
// begun, once for all that were admitted together: nothing stale is ever served.
import type { Plan } from '../../query/plan.ts'
import { watchVersion } from '../../sqlite.ts'
import type { Answer } from '../engine.ts'
import { answerKey, createAnswerMemory } from '../remembered-answers.ts'
import { areTables } from './relation-kinds.ts'

export function rememberAnswers(path: string) {
  const watch = watchVersion(path, areTables)
  const known = createAnswerMemory()
  // Read since the last look: they are known once the next look finds the same version.
  let read: { readonly key: string; readonly answer: Answer; readonly asOf: string }[] = []
  let version: string | undefined
  let lookedAt = -Infinity

  const look = (since: number) => {
    if (lookedAt > since) return version
    const begunAt = performance.now()
    let current: string | undefined
    try {
      current = watch.look()
    } catch {
      // Locked or gone: the readers will tell.
      return undefined
    }
    lookedAt = begunAt
    if (current !== version) known.clear()
    version = current
    for (const { key, answer, asOf } of read) if (asOf === current) known.set(key, answer)
    if (read.length > 0) read = []
    return current
  }

  return {
    // The answer to a plan, from memory or from whom it is asked; `since` is when the request began.
    async answer(plan: Plan, since: number, ask: () => Promise<Answer>): Promise<Answer> {
      const asOf = look(since)
      if (asOf === undefined) return ask()
      const key = answerKey(plan)
      const remembered = known.get(key)
      if (remembered !== undefined) return remembered
      const answer = await ask()
      read.push({ key, answer, asOf })
      return answer
    },
    close: () => watch.close(),
  }
}
