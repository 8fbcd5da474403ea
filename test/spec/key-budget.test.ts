// The budget of database work of a key (VITRINE_KEY_BUDGET_MS): beyond it, its requests get 503 until the minute is over, and other
// keys are served.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { engineUnderTest, isOverViews } from '../support/place.ts'
import { createWorld, type World } from '../support/world.ts'

// Any database work takes longer.
const keyBudgetMs = 0.000_001
let world: World
before(async () => {
  world = await createWorld({ keyBudgetMs, rows: { stores: [{ id: 1, name: 'Main' }] } })
})
after(() => world.close())

test('one that has used up its minute is refused until it is over; others and what needs no database go on', async () => {
  const [token, other] = [await world.tokenFor(), await world.tokenFor()]
  const status = async (path: string, by = token) => (await world.ask(path, { token: by })).status
  assert.equal(await status('/stores'), 200)
  world.clock.advance(20_000)
  for (const path of ['/vendors', '/vendors/1']) {
    const refused = await world.ask(path, { token })
    assert.deepEqual([refused.status, refused.body.error.code], [503, 'temporarily_unavailable'])
    assert.match(refused.body.error.message, /share of the database/)
    assert.equal(refused.headers['Retry-After'], '40')
  }
  assert.equal(await status('/ping'), 200)
  assert.equal(await status('/resources'), 200)
  assert.equal(await status('/vendors', other), 200)
  assert.equal(world.logged.filter(({ event }) => event === 'budget_used_up').length, 2)
  world.clock.advance(40_000)
  assert.equal(await status('/vendors'), 200)
})

// On PostgreSQL whether something is remembered depends on what else the server does; of views nothing is.
const isRemembered = engineUnderTest === 'sqlite' && !isOverViews
test('what is remembered costs nothing', { skip: !isRemembered }, async () => {
  const [first, second] = [await world.tokenFor(), await world.tokenFor()]
  const list = (token: string) => world.ask('/departments', { token })
  assert.equal((await list(first)).status, 200)
  for (let turn = 0; turn < 3; turn += 1) assert.equal((await list(second)).status, 200)
  assert.equal((await list(first)).status, 200)
  assert.equal((await world.ask('/customer-types', { token: first })).status, 503)
  assert.equal((await world.ask('/customer-types', { token: second })).status, 200)
})
