// Whole answers, remembered with the version they were read in (version.ts). Nothing stale is ever served: before one is given, the version
// is asked again, on a connection of its own.
import type { PostgresConnection } from '../../platform/postgres/connection.ts'
import type { Pool } from '../../platform/postgres/pool.ts'
import type { Plan } from '../../query/plan.ts'
import { answerKey, createAnswerStore, type AnswerMemory } from '../remembered-answers.ts'
import { readVersion } from './version.ts'

// After so many looks in vain in a row, nothing is remembered for a while: somebody writes all the time.
const mostInVain = 20
const restMs = 1000

// `pool` is for looks alone: what is in memory does not wait for those who read.
export function rememberAnswers(pool: Pool): AnswerMemory & { forget(): void } {
  const known = createAnswerStore()
  // The version of all that is known.
  let version: string | undefined
  let looking: Promise<string | undefined> | undefined
  let lastLook: Promise<unknown> = Promise.resolve()
  // Connections lost so far: what was read before does not count after.
  let losses = 0
  let inVain = 0
  let restsUntil = 0

  const isResting = () => performance.now() < restsUntil

  const become = (current: string | undefined) => {
    if (current === version) return
    known.clear()
    version = current
  }

  const lookNow = async () => {
    looking = undefined
    const since = losses
    // Away or busy: the readers will tell.
    const current = await pool.use((connection: PostgresConnection) => readVersion(connection)).catch(() => undefined)
    inVain = current === version ? 0 : inVain + 1
    become(losses === since ? current : undefined)
    if (inVain === mostInVain) {
      inVain = 0
      restsUntil = performance.now() + restMs
    }
    return version
  }

  // One at a time, for all who have asked before it begins.
  const look = () => {
    looking ??= lastLook.then(() => new Promise(setImmediate)).then(lookNow)
    lastLook = looking
    return looking
  }

  return {
    async answer(plan: Plan, ask) {
      const key = answerKey(plan)
      if (!isResting() && known.has(key)) {
        const current = await look()
        const remembered = current !== undefined && current === version ? known.get(key) : undefined
        if (remembered !== undefined) return remembered
      }
      const since = losses
      const { answer, version: read } = await ask()
      if (read !== undefined && losses === since && !isResting()) {
        become(read)
        known.set(key, answer)
      }
      return answer
    },
    // A connection was lost: perhaps the server, and what it had not written down yet.
    forget() {
      losses += 1
      become(undefined)
    },
    close: () => pool.close(),
  }
}
