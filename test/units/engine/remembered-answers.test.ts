// Which answers are kept in memory, and when they are given. That nothing stale is given is also tested on real databases, in
// test/consistency/stale, answers-postgres and answers.slow.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PlanAnswer } from '../../../src/engine/engine.ts'
import { feedLook } from '../../../src/engine/feed.ts'
import type { Look } from '../../../src/engine/look.ts'
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

interface Asked {
  readonly answer?: PlanAnswer
  readonly relations?: readonly string[]
  readonly database?: string
  readonly limit?: number
}

/** A memory over a database of which the test says what was written before the next look. */
function withMemory() {
  let written: Look['written'] | undefined | Error
  let reads = 0
  let whileReading: (() => Promise<void>) | undefined
  const remembered = rememberAnswers(async () => {
    const found = written
    written = []
    if (found instanceof Error) throw found
    return found && { database: 'pos', connection: 0, mark: { opening: '', point: '' }, written: found }
  })
  written = 'any'
  return {
    writes: (some: typeof written) => void (written = some),
    duringTheNext: (act: () => Promise<void>) => void (whileReading = act),
    /** How often an answer was read, after one more request. */
    ask: async ({ answer = new Uint8Array([1]), relations = ['stores'], database = 'pos', limit = 1 }: Asked = {}) => {
      await remembered({ ...plan, limit }, async () => {
        reads += 1
        const act = whileReading
        whileReading = undefined
        await act?.()
        return { answer, relations, database }
      })
      return reads
    },
  }
}

test('an answer is given until one of its relations is written', async () => {
  const { ask, writes } = withMemory()
  assert.deepEqual([await ask(), await ask(), await ask()], [1, 1, 1])
  writes(['vendors', 'stores'])
  assert.deepEqual([await ask(), await ask()], [2, 2])
  writes(['vendors'])
  assert.equal(await ask(), 2)
})

test('what was written while it was read, or since the last look before, voids it', async () => {
  const { ask, writes, duringTheNext } = withMemory()
  duringTheNext(async () => writes(['stores']))
  assert.deepEqual([await ask(), await ask(), await ask()], [1, 2, 2])
  writes(['stores'])
  assert.deepEqual([await ask({ limit: 2 }), await ask({ limit: 2 }), await ask({ limit: 2 })], [3, 4, 4])
})

test('what is being read when everything is voided is not kept', async () => {
  const { ask, writes, duringTheNext } = withMemory()
  await ask({ limit: 2 })
  duringTheNext(async () => {
    writes('any')
    await ask({ limit: 2 })
  })
  assert.deepEqual([await ask(), await ask(), await ask()], [3, 4, 4])
})

for (const [what, written] of [
  ['that cannot tell what was written', 'any'],
  ['without a journal', undefined],
] as const)
  test(`a look ${what} voids everything`, async () => {
    const { ask, writes } = withMemory()
    assert.deepEqual([await ask(), await ask()], [1, 1])
    writes(written)
    assert.equal(await ask(), 2)
    if (written === undefined) assert.equal(await ask(), 3)
    assert.equal(await ask(), written === undefined ? 3 : 2)
  })

test('a look that fails voids nothing, and nothing is given after it', async () => {
  const { ask, writes } = withMemory()
  assert.deepEqual([await ask(), await ask()], [1, 1])
  writes(new Error('locked'))
  assert.deepEqual([await ask(), await ask()], [2, 2])
})

test('what was read from another database is not kept', async () => {
  const { ask } = withMemory()
  assert.deepEqual([await ask({ database: 'other' }), await ask({ database: 'other' }), await ask()], [1, 2, 3])
  assert.equal(await ask(), 3)
})

test('a look that began before a request arrived does not count', async () => {
  const looks: PromiseWithResolvers<Look>[] = []
  const remembered = rememberAnswers(() => {
    const looking = Promise.withResolvers<Look>()
    looks.push(looking)
    return looking.promise
  })
  const look = async (at: number, written: Look['written']) => {
    while (looks.length <= at) await new Promise(setImmediate)
    looks[at]?.resolve({ database: 'pos', connection: 0, mark: { opening: '', point: '' }, written })
  }
  let reads = 0
  const ask = () =>
    remembered(plan, async () => ({ answer: new Uint8Array([(reads += 1)]), relations: ['stores'], database: 'pos' }))
  await Promise.all([ask(), look(0, 'any')])
  const early = ask()
  while (looks.length < 2) await new Promise(setImmediate)
  // The tills write now, while a look is under way.
  const late = [ask(), ask()]
  await look(1, [])
  assert.deepEqual(await early, new Uint8Array([1]))
  await look(2, ['stores'])
  assert.deepEqual(await Promise.all(late), [new Uint8Array([2]), new Uint8Array([3])])
  assert.equal(looks.length, 3, 'one look for all that arrived together')
})

test('that nothing has changed is kept, and changes are not: their cursor is used once', async () => {
  const { ask } = withMemory()
  assert.deepEqual([await ask({ answer: part(0) }), await ask({ answer: part(0) })], [1, 1])
  assert.deepEqual([await ask({ answer: part(3), limit: 2 }), await ask({ answer: part(3), limit: 2 })], [2, 3])
  assert.deepEqual([await ask({ answer: 'none', limit: 3 }), await ask({ answer: 'none', limit: 3 })], [4, 5])
})

test('eight megabytes are kept, the last ones read; none is larger than a megabyte', async () => {
  const { ask } = withMemory()
  const of = (kilobytes: number, limit: number) => ask({ answer: new Uint8Array(kilobytes * 1024), limit })
  for (let limit = 1; limit <= 12; limit += 1) await of(1000, limit)
  assert.equal(await of(1000, 12), 12)
  assert.equal(await of(1000, 5), 12)
  assert.equal(await of(1000, 4), 13)
  assert.deepEqual([await of(1100, 20), await of(1100, 20)], [14, 15])
})
