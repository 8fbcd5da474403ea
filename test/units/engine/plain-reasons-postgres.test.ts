// When PostgreSQL cannot tell what was written, lists go by plain SQL, and say why: under row policies, and over the journal of another
// server, which a restored dump brings along.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Engine } from '../../../src/engine/engine.ts'
import { createLog } from '../../../src/platform/log.ts'
import { makePlace } from '../../support/make-place.ts'
import { until } from '../../support/process.ts'
import { totalOf } from '../../support/total-of.ts'
import { untilLoaded } from '../../support/until-loaded.ts'

const rows = { customers: [1, 2, 3].map((id) => ({ id, name: `C${id}`, active: 1 })) }

async function begin(context: TestContext) {
  const place = await makePlace({ rows, hasJournal: true }, 'postgres')
  let engine: Engine | undefined
  context.after(async () => {
    await engine?.close()
    await place.remove()
  })
  const start = async () =>
    (engine = await place.startEngine({
      readers: 1,
      statementTimeoutMs: 30_000,
      log: createLog('error', () => {}),
    }))
  return { place, start }
}

const wayOf = (engine: Engine) => engine.load().lists.find(({ collection }) => collection === 'customers')

test('under a row policy', async (context) => {
  const { place, start } = await begin(context)
  const engine = await start()
  await untilLoaded(engine)
  assert.equal(await totalOf(engine, 'customers'), 3)
  await place.write('ALTER TABLE customers ENABLE ROW LEVEL SECURITY')
  await until('it is noticed', async () => {
    assert.equal(await totalOf(engine, 'customers'), 3)
    return wayOf(engine)?.why === 'views'
  })
})

test('over the journal of another server', async (context) => {
  const { place, start } = await begin(context)
  await place.write(`INSERT INTO vitrine_journal (xid, relation, id) VALUES ('4611686018427387904', 'customers', 1)`)
  const engine = await start()
  await until('it is noticed', () => wayOf(engine)?.why === 'foreign_journal')
  assert.equal(await totalOf(engine, 'customers'), 3)
})

test('without a journal, until there is one again', async (context) => {
  const { place, start } = await begin(context)
  const engine = await start()
  await untilLoaded(engine)
  const ask = async () => assert.equal(await totalOf(engine, 'customers'), 3)
  await place.write('ALTER TABLE vitrine_journal RENAME TO elsewhere')
  await until('it is noticed', async () => {
    await ask()
    return !(await engine.hasFeed()) && wayOf(engine)?.why === 'no_journal'
  })
  // The loader looks again after five seconds, and otherwise twice a minute.
  await wait(5500)
  await place.write('ALTER TABLE elsewhere RENAME TO vitrine_journal')
  await until('lists are found in columns, and there is a feed', async () => {
    await ask()
    return (await engine.hasFeed()) && wayOf(engine)?.way === 'columns'
  })
})
