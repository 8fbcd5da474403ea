// How long a token lives, and that a change of its key applies from the next request on, whichever process makes it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { regenerateKey, revokeKey, updateKey } from '../../src/keys/keys.ts'
import type { State } from '../../src/state/state.ts'
import { grantOf, type Credentials } from '../support/grants.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World
// Another process with the state's file open: the command line.
let outside: State
before(async () => {
  const stores = [1, 2, 3].map((id) => ({ id, name: `Store ${id}`, code: `S${id}` }))
  world = await createWorld({
    rows: {
      stores,
      price_lists: [1, 2].map((id) => ({ id, name: `List ${id}` })),
      products: [{ id: 1, name: 'Rice', active: true, kind: 1, price: 10, cost: 7 }],
      product_prices: [{ product_id: 1, price_list_id: 2, price: 8 }],
    },
  })
  outside = await world.place.openState(world.clock)
})
after(async () => {
  await outside.close()
  await world.close()
})

let addresses = 0
async function tokenOf(key: Credentials, scope?: string): Promise<string> {
  const address = `10.2.0.${(addresses += 1)}`
  const { body } = await world.signIn(grantOf(key, scope === undefined ? {} : { scope }), { address })
  return body.access_token
}
// 200, or the error.
async function outcome(token: string, path = '/ping'): Promise<string | number> {
  const { status, body } = await world.ask(path, { token })
  return status === 200 ? 200 : body.error.code
}

test('lifetime: a token is valid for 900 seconds and not a millisecond longer, used or not', async () => {
  const key = await world.makeKey()
  const [used, unused] = [await tokenOf(key), await tokenOf(key)]
  world.clock.advance(899_999)
  assert.equal(await outcome(used), 200)
  world.clock.advance(1)
  assert.deepEqual([await outcome(used), await outcome(unused)], ['invalid_token', 'invalid_token'])
})

test('lifetime: each token has its own 900 seconds; a new one ends none of those before', async () => {
  const key = await world.makeKey()
  const tokens: string[] = []
  for (let made = 0; made < 3; made += 1) {
    tokens.push(await tokenOf(key))
    world.clock.advance(300_000)
  }
  const outcomes = () => Promise.all(tokens.map((token) => outcome(token)))
  assert.deepEqual(await outcomes(), ['invalid_token', 200, 200])
  world.clock.advance(300_000)
  assert.deepEqual(await outcomes(), ['invalid_token', 'invalid_token', 200])
  world.clock.advance(300_000)
  assert.deepEqual(await outcomes(), ['invalid_token', 'invalid_token', 'invalid_token'])
})

// By the service itself, or by another process on the same file.
const actors: readonly [who: string, state: () => State][] = [
  ['the service', () => world.state],
  ['another process', () => outside],
]

for (const [who, state] of actors) {
  test(`revocation: ${who} regenerates a code: the old code and every live token end at once`, async () => {
    const [key, bystander] = [await world.makeKey(), await world.makeKey()]
    const tokens = [await tokenOf(key), await tokenOf(key, 'vendors:read')]
    const other = await tokenOf(bystander)
    const renewed = await regenerateKey(state(), key.accessKey)
    assert.ok('securityCode' in renewed)
    for (const token of tokens) assert.equal(await outcome(token), 'invalid_token')
    assert.equal(await tokenOf(key), undefined)
    assert.equal(await outcome(await tokenOf({ ...key, securityCode: renewed.securityCode })), 200)
    assert.equal(await outcome(other), 200)
  })

  test(`revocation: ${who} revokes a key: tokens and code end at once and for ever`, async () => {
    const key = await world.makeKey()
    const token = await tokenOf(key)
    assert.ok('key' in (await revokeKey(state(), key.accessKey)))
    assert.equal(await outcome(token), 'invalid_token')
    assert.equal(await tokenOf(key), undefined)
    assert.ok('faults' in (await updateKey(state(), key.accessKey, { enable: true })))
    assert.ok('faults' in (await regenerateKey(state(), key.accessKey)))
    assert.ok('faults' in (await revokeKey(state(), key.accessKey)))
    assert.equal(await outcome(token), 'invalid_token')
  })

  test(`revocation: ${who} disables a key: its tokens are invalid, it gets none, until it is enabled again`, async () => {
    const key = await world.makeKey()
    const token = await tokenOf(key)
    await updateKey(state(), key.accessKey, { disable: true })
    assert.equal(await outcome(token), 'invalid_token')
    assert.equal(await tokenOf(key), undefined)
    await updateKey(state(), key.accessKey, { enable: true })
    assert.equal(await outcome(await tokenOf(key)), 200)
  })

  test(`revocation: ${who} takes a permission: no live token has it any more`, async () => {
    const key = await world.makeKey({ permissions: 'products:read,vendors:read,costs:read' })
    const token = await tokenOf(key)
    const product = async () => (await world.ask('/products/1', { token })).body.data
    assert.equal((await product()).cost, 7)
    await updateKey(state(), key.accessKey, { permissions: 'products:read' })
    assert.equal('cost' in (await product()), false)
    assert.equal(await outcome(token, '/vendors'), 'insufficient_scope')
    assert.deepEqual((await world.ask('/ping', { token })).body.scopes, ['products:read'])
    const { body } = await world.ask('/resources', { token })
    assert.deepEqual([body.data.length, body.data[0].name], [1, 'products'])
  })

  test(`revocation: ${who} restricts a key to stores: the next answer is restricted`, async () => {
    const key = await world.makeKey()
    const token = await tokenOf(key)
    const stores = async () =>
      (await world.ask('/stores?sort=id', { token })).body.data.map(({ id }: { id: number }) => id)
    assert.deepEqual(await stores(), [1, 2, 3])
    await updateKey(state(), key.accessKey, { stores: '3,1' })
    assert.deepEqual(await stores(), [1, 3])
    assert.equal(await outcome(token, '/stores/2'), 'not_found')
    await updateKey(state(), key.accessKey, { stores: 'none' })
    assert.deepEqual(await stores(), [])
    await updateKey(state(), key.accessKey, { stores: 'all' })
    assert.deepEqual(await stores(), [1, 2, 3])
  })

  test(`revocation: ${who} restricts a key to a price list: the next answer is restricted`, async () => {
    const key = await world.makeKey()
    const token = await tokenOf(key)
    const product = async () => (await world.ask('/products/1', { token })).body.data
    assert.deepEqual([(await product()).price, 'price_lists' in (await product())], [10, true])
    await updateKey(state(), key.accessKey, { priceList: '2' })
    assert.deepEqual([(await product()).price, 'price_lists' in (await product())], [8, false])
    await updateKey(state(), key.accessKey, { priceList: 'all' })
    assert.deepEqual([(await product()).price, 'price_lists' in (await product())], [10, true])
  })

  test(`revocation: ${who} changes the rate or the name: the next answer shows it`, async () => {
    const key = await world.makeKey({ name: 'Before', rate: '100' })
    const token = await tokenOf(key)
    assert.equal((await world.ask('/ping', { token })).headers['X-RateLimit-Limit'], '100')
    await updateKey(state(), key.accessKey, { name: 'After', rate: '50' })
    const { headers, body } = await world.ask('/ping', { token })
    assert.deepEqual(
      [headers['X-RateLimit-Limit'], headers['X-RateLimit-Remaining'], body.client],
      ['50', '48', 'After'],
    )
    await updateKey(state(), key.accessKey, { rate: '1' })
    assert.equal(await outcome(token), 'rate_limited')
  })

  test(`subscription: ${who} ends it: the next request is refused; again subscribed, the token still lives`, async () => {
    const key = await world.makeKey()
    const token = await tokenOf(key)
    await state().setEnabled(false)
    assert.equal(await outcome(token), 'api_not_enabled')
    assert.equal(await tokenOf(key), undefined)
    await state().setEnabled(true)
    assert.equal(await outcome(token), 200)
    assert.match(await tokenOf(key), /^svc_at_/)
  })
}

test('narrowed token: it may do what it asked for and nothing else, add-ons included', async () => {
  const key = await world.makeKey()
  const narrow = await tokenOf(key, 'products:read')
  assert.equal(await outcome(narrow, '/products'), 200)
  for (const path of ['/vendors', '/stores', '/customers', '/invoices'])
    assert.equal(await outcome(narrow, path), 'insufficient_scope', path)
  assert.equal('cost' in (await world.ask('/products/1', { token: narrow })).body.data, false)
  const wide = await tokenOf(key, 'products:read costs:read')
  assert.equal((await world.ask('/products/1', { token: wide })).body.data.cost, 7)
})

test('narrowed token: a permission that the key gets later does not widen it, nor any live token', async () => {
  const key = await world.makeKey({ permissions: 'products:read' })
  const [all, narrow] = [await tokenOf(key), await tokenOf(key, 'products:read')]
  await updateKey(world.state, key.accessKey, { permissions: 'all' })
  for (const token of [all, narrow]) assert.equal(await outcome(token, '/vendors'), 'insufficient_scope')
  assert.equal(await outcome(await tokenOf(key), '/vendors'), 200)
})

test('revocation: no request that starts after it returned is served, however many are under way', async () => {
  const key = await world.makeKey()
  const token = await tokenOf(key)
  const early = Array.from({ length: 50 }, () => outcome(token))
  await regenerateKey(outside, key.accessKey)
  const late = await Promise.all(Array.from({ length: 50 }, () => outcome(token)))
  assert.deepEqual([...new Set(late)], ['invalid_token'])
  for (const each of await Promise.all(early)) assert.ok(each === 200 || each === 'invalid_token')
})

test('lifetime: tokens survive a restart of the service', async () => {
  const token = await tokenOf(await world.makeKey())
  const restarted = await world.place.openState(world.clock)
  assert.equal((await world.askWith({ state: restarted })('/ping', { token })).status, 200)
  await restarted.close()
})
