// Which answers are kept in memory. That nothing stale is given is tested on real databases, in answers-postgres and answers.slow.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PlanAnswer } from '../../../src/engine/engine.ts'
import { feedLook } from '../../../src/engine/feed.ts'
import { rememberAnswers } from '../../../src/engine/remembered-answers.ts'

const position = { journal: '7', walk: null, resourcesRead: 0 }
const plan = { ...feedLook, from: position }
const part = (entries: number): PlanAnswer => ({
  body: new Uint8Array(),
  entries,
  position,
  more: false,
  oldestAt: null,
})

/** How often an answer was read, after each of four requests for it. The data changes before the third. */
async function readsOf(answer: PlanAnswer): Promise<number[]> {
  let [version, reads] = [1, 0]
  const remembered = rememberAnswers(async () => ({ version: String(version), database: 'pos' }))
  const counts: number[] = []
  for (const isChanged of [false, false, true, false]) {
    version += Number(isChanged)
    await remembered(plan, async () => {
      reads += 1
      return { answer, database: 'pos' }
    })
    counts.push(reads)
  }
  return counts
}

test('that nothing has changed is remembered until something changes', async () => {
  assert.deepEqual(await readsOf(part(0)), [1, 1, 2, 2])
  assert.deepEqual(await readsOf('none'), [1, 1, 2, 2])
})

test('so is a detail', async () => {
  assert.deepEqual(await readsOf(new Uint8Array([1])), [1, 1, 2, 2])
})

test('changes are not kept: their cursor is used once', async () => {
  assert.deepEqual(await readsOf(part(3)), [1, 2, 3, 4])
})
