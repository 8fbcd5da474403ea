// Whole answers, remembered for as long as nobody writes to the POS database. Whether somebody has is asked before each one is
// given: nothing stale is ever served.
import type { Plan } from '../../query/plan.ts'
import { watchVersion } from '../../platform/sqlite.ts'
import { answerKey, createAnswerStore, type AnswerMemory, type VersionedAnswer } from '../remembered-answers.ts'
import { areTables } from './relation-kinds.ts'

// So many are read before the next look, at most: it is then that they are remembered.
const mostRead = 64

// The version of an answer is the file that it was read from.
export function rememberAnswers(path: string): AnswerMemory {
  const watch = watchVersion(path, { tells: areTables })
  const known = createAnswerStore()
  // Read since the last look, with the version that the look before them found: they are known if the next one finds the same, in
  // the file that they are from.
  const read = new Map<string, VersionedAnswer & { readonly asOf: string }>()
  let version: string | undefined
  let isFresh = false

  const lookNow = (): string | undefined => {
    try {
      return watch.look()
    } catch {
      // Locked or gone: the readers will tell.
      return undefined
    }
  }

  // Once for all requests that go on together: whoever runs before this is reset was queued before the look, and so had arrived.
  const look = () => {
    if (isFresh) return
    isFresh = true
    queueMicrotask(() => (isFresh = false))
    const current = lookNow()
    if (current !== version) known.clear()
    version = current
    for (const [key, { answer, asOf, version: file }] of read)
      if (asOf === current && file === watch.file()) known.set(key, answer)
    read.clear()
  }

  return {
    // What is not in memory is found without a look.
    async answer(plan: Plan, ask) {
      const key = answerKey(plan)
      if (version === undefined || known.has(key) || read.has(key) || read.size >= mostRead) look()
      const asOf = version
      const remembered = known.get(key)
      if (remembered !== undefined) return remembered
      const found = await ask()
      if (asOf !== undefined && read.size < mostRead) read.set(key, { ...found, asOf })
      return found.answer
    },
    close: async () => watch.close(),
  }
}
