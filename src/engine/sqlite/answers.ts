// Whole answers, remembered for as long as nobody writes to the POS database. Whether somebody has is asked before each one is
// given: nothing stale is ever served.
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

  const look = () => {
    let current: string | undefined
    try {
      current = watch.look()
    } catch {
      // Locked or gone: the readers will tell.
      return undefined
    }
    if (current !== version) known.clear()
    version = current
    for (const { key, answer, asOf } of read) if (asOf === current) known.set(key, answer)
    if (read.length > 0) read = []
    return current
  }

  return {
    // The answer to a plan, from memory or from whom it is asked.
    async answer(plan: Plan, ask: () => Promise<Answer>): Promise<Answer> {
      const asOf = look()
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
