// Records that are asked for at the same time are read together, and each is what it would have been by itself: on both engines.
import assert from 'node:assert/strict'
import { mkdtempSync, openSync, readFileSync, rmSync, writeSync, closeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { permissions, type Access } from '../../../src/catalogue/access.ts'
import { relationsOf } from '../../../src/catalogue/resource.ts'
import { resources } from '../../../src/catalogue/resources/index.ts'
import { alikeIn, mostAlike } from '../../../src/engine/alike.ts'
import type { Engine } from '../../../src/engine/engine.ts'
import { createTurns } from '../../../src/engine/postgres/turns.ts'
import { createSqliteEngine } from '../../../src/engine/sqlite/engine.ts'
import { createLog } from '../../../src/log.ts'
import { PostgresFailure } from '../../../src/postgres/connection.ts'
import { restrictions, type DetailPlan } from '../../../src/query/plan.ts'
import { company } from '../../support/fixture.ts'
import { makePlace, type EngineName } from '../../support/place.ts'
import { makePos } from '../../support/pos.ts'

const log = createLog('silent', () => {})
const options = { readers: 2, statementTimeoutMs: 20_000, log }
const everything: Access = { permissions, stores: null, priceList: null }
const accesses: readonly Access[] = [
  everything,
  { permissions, stores: [1, 2], priceList: 2 },
  { permissions: permissions.filter((name) => name !== 'costs:read'), stores: [], priceList: null },
]

const planOf = (name: string, id: number, access = everything): DetailPlan => {
  const resource = resources.find((each) => each.name === name) ?? assert.fail()
  return { shows: 'detail', resource: name, access, conditions: restrictions(resource, access), id }
}
const textOf = (bytes: Uint8Array | null) => bytes && Buffer.from(bytes).toString()

// Every id there is, recent and archived, some twice, and some that nobody has.
const plans = resources.flatMap((resource) => {
  const stored = relationsOf(resource).flatMap(({ name }) => (company[name] ?? []).map(({ id }) => Number(id)))
  const ids = [...new Set(stored)].filter(Number.isSafeInteger)
  return accesses.flatMap((access) =>
    [...ids, ...ids.slice(0, 3), 987_654].map((id) => planOf(resource.name, id, access)),
  )
})

for (const name of ['sqlite', 'postgres'] as const satisfies readonly EngineName[])
  test(`${name}: what is asked for at once is what each is by itself`, async () => {
    const place = await makePlace({ rows: company, isIndexed: true }, name)
    const using = async (use: (engine: Engine) => Promise<(string | null)[]>) => {
      const engine = place.startEngine(options)
      try {
        return await use(engine)
      } finally {
        await engine.close()
      }
    }
    // Nothing of it is remembered by another engine. Few enough at once that none is refused; those of different keys never go
    // together.
    const askAll = (keyOf: (at: number) => string) =>
      using(async (engine) => {
        const texts: (string | null)[] = []
        for (let at = 0; at < plans.length; at += 100) {
          const asked = plans.slice(at, at + 100).map((plan, place) => engine.detail(plan, { key: keyOf(place) }))
          texts.push(...(await Promise.all(asked)).map(textOf))
        }
        return texts
      })
    try {
      const [alone, together] = [await askAll(String), await askAll(() => 'one')]
      assert.deepEqual(together, alone)
      assert(alone.filter((text) => text !== null).length > 500, `${alone.length}`)
      assert(alone.includes(null))
    } finally {
      await place.remove()
    }
  })

test('alike are records of one resource for the same access, and nothing else', () => {
  const plan = planOf('invoices', 1)
  assert.equal(alikeIn(planOf('invoices', 2, { ...everything })), alikeIn(plan))
  const others = [
    planOf('quotes', 1),
    ...[
      { ...everything, stores: [1] },
      { ...everything, priceList: 1 },
      { ...everything, permissions: permissions.slice(1) },
    ].map((access) => planOf('invoices', 2, access)),
  ].map(alikeIn)
  assert.equal(new Set([alikeIn(plan), ...others]).size, 5)
  assert.equal(alikeIn({ ...plan, shows: 'list', order: [], page: 1, perPage: 25 }), undefined)
})

test('sqlite: a damaged record is refused, and those asked for with it are not', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-alike-'))
  const path = join(folder, 'pos.db')
  makePos(path, { quotes: [1, 2, 3].map((id) => ({ id, status: 3, notes: `note ${id} `.repeat(3000) })) })
  // Long texts go on from page to page: the number of the next is lost.
  const bytes = readFileSync(path)
  const pageSize = bytes.readUInt16BE(16)
  const page = Math.floor(bytes.lastIndexOf('note 2 note 2 note 2') / pageSize)
  assert.match(bytes.toString('latin1', page * pageSize + 4, page * pageSize + 100), /^[note 2]+$/)
  const before = bytes.lastIndexOf('note 2 note 2 note 2', page * pageSize - 200)
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.from([0x7f, 0xff, 0xff, 0xff]), 0, 4, Math.floor(before / pageSize) * pageSize)
  closeSync(file)
  const engine = createSqliteEngine({ path, ...options })
  context.after(async () => {
    await engine.close()
    rmSync(folder, { recursive: true })
  })
  // The reader has told what is in the file.
  assert.equal(await engine.detail(planOf('quotes', 9)), null)
  const asked = await Promise.allSettled([1, 2, 3].map((id) => engine.detail(planOf('quotes', id))))
  assert.deepEqual(
    asked.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
})

const turnsOf = (answer: (ids: readonly number[], signal: AbortSignal | undefined) => Promise<void>) => {
  const asked: number[][] = []
  const turns = createTurns({
    places: 1,
    waitMs: 20_000,
    async work(some, _key, signal) {
      const ids = some.map((plan) => (plan as DetailPlan).id)
      asked.push(ids)
      await answer(ids, signal)
      return ids.map((id) => Buffer.from(String(id)))
    },
  })
  const ask = async (id: number, key: string, signal?: AbortSignal) => {
    const plan = planOf('stores', id)
    const kind = { isLong: false, alike: alikeIn(plan) }
    return textOf((await turns.answer(plan, { key, ...(signal ? { signal } : {}) }, kind)) as Uint8Array)
  }
  return { asked, ask }
}

describe('on PostgreSQL', () => {
  test('those of one key go together, up to so many, in turn with those of others', async () => {
    const { asked, ask } = turnsOf(async () => {})
    const ids = Array.from({ length: mostAlike + 2 }, (_, at) => at)
    const answers = await Promise.all([...ids.map((id) => ask(id, 'one')), ask(100, 'two'), ask(101, 'two')])
    assert.deepEqual(answers, [...ids, 100, 101].map(String))
    assert.deepEqual(asked, [ids.slice(0, mostAlike), [100, 101], ids.slice(mostAlike)])
  })

  test('what fails because of one of them is asked for one by one', async () => {
    for (const cause of [
      new PostgresFailure(Object.assign(new Error('damaged'), { code: 'XX001' })),
      new TypeError('a mistake of ours'),
    ]) {
      const { asked, ask } = turnsOf(async (ids) => {
        if (ids.includes(2)) throw cause
      })
      const answers = await Promise.allSettled([1, 2, 3].map((id) => ask(id, 'one')))
      assert.deepEqual(asked, [[1, 2, 3], [1], [2], [3]])
      assert.deepEqual(answers, [
        { status: 'fulfilled', value: '1' },
        { status: 'rejected', reason: cause },
        { status: 'fulfilled', value: '3' },
      ])
    }
  })

  test('a server that does not answer is not asked again for each', async () => {
    const cause = new PostgresFailure(Object.assign(new Error('gone'), { code: '57P01' }))
    const { asked, ask } = turnsOf(() => Promise.reject(cause))
    const answers = await Promise.allSettled([1, 2].map((id) => ask(id, 'one')))
    assert.deepEqual(asked, [[1, 2]])
    assert.deepEqual(
      answers,
      [1, 2].map(() => ({ status: 'rejected', reason: cause })),
    )
  })

  test('they are given up once every caller has hung up, and not before', async () => {
    const callers = [1, 2].map(() => new AbortController())
    const begun = Promise.withResolvers<AbortSignal | undefined>()
    const { ask } = turnsOf(async (_ids, signal) => {
      begun.resolve(signal)
      await new Promise((resolve) => signal?.addEventListener('abort', resolve))
    })
    const asked = Promise.all(callers.map(({ signal }, at) => ask(at, 'one', signal)))
    const signal = await begun.promise
    callers[0]?.abort()
    assert.equal(signal?.aborted, false)
    callers[1]?.abort()
    assert.equal(signal?.aborted, true)
    await asked
  })
})
