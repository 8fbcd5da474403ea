// The life of a key as callers meet it: two codes during a rotation, a last day, and addresses; and that a caller who may not use a
// key cannot tell it from one that does not exist.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeAccessKey } from '../../src/auth/secrets.ts'
import { regenerateKey, revokeKey, updateKey, type KeyInput } from '../../src/keys/keys.ts'
import { finishRotation, rotateKey } from '../../src/keys/rotation.ts'
import type { State } from '../../src/state/state.ts'
import { grantOf, strangeToken, wrongCode, type Credentials } from '../support/grants.ts'
import { createWorld, type Answer, type Asked, type World } from '../support/world.ts'

let world: World
// Another process with the state open: the command line.
let outside: State
before(async () => {
  world = await createWorld({ rows: { vendors: [{ id: 1, name: 'Rice & Co' }] } })
  outside = await world.place.openState(world.clock)
})
after(async () => {
  await outside.close()
  await world.close()
})

const timeZone = 'America/Port-au-Prince'
const minuteMs = 60_000
// The world's clock says noon in Greenwich, seven or eight in the morning in Haiti.
const lastDay = (text: string): KeyInput => ({ expires: { text, timeZone, now: world.clock.now() } })

// From an address of its own: neither a rate nor a block decides.
let addresses = 0
const newAddress = () => `10.3.${(addresses += 1) >> 8}.${addresses & 255}`
const sign = (key: Credentials, asked: Asked = {}) => world.signIn(grantOf(key), { address: newAddress(), ...asked })
async function tokenOf(key: Credentials, asked: Asked = {}): Promise<string> {
  const { status, body, text } = await sign(key, asked)
  assert.equal(status, 200, text)
  return body.access_token
}
const statusOf = async (token: string, asked: Asked = {}) =>
  (await world.ask('/vendors', { token, address: newAddress(), ...asked })).status

// Everything but what is new in each answer.
function looksOf({ status, headers, text }: Answer): string {
  const { 'X-Request-Id': id = '', ...others } = headers
  return JSON.stringify([status, others, text.replaceAll(id, '')])
}

test('rotation: both codes sign in, each with all permissions, and only the new one afterwards', async () => {
  const old = await world.makeKey()
  const before = await tokenOf(old)
  const rotated = await rotateKey(outside, old.accessKey, '10m')
  assert('securityCode' in rotated)
  const next = { ...old, securityCode: rotated.securityCode }
  const tokens = [before, await tokenOf(old), await tokenOf(next)]
  assert.equal((await sign(old)).body.scope, (await sign(next)).body.scope)
  world.clock.advance(10 * minuteMs - 1)
  assert.deepEqual([(await sign(old)).status, (await sign(next)).status], [200, 200])
  world.clock.advance(1)
  assert.deepEqual([(await sign(old)).body.error, (await sign(next)).status], ['invalid_client', 200])
  for (const token of tokens) assert.equal(await statusOf(token), 200)
})

test('rotation: ended by hand, the old code is refused from the next request on, and tokens go on', async () => {
  const old = await world.makeKey()
  const rotated = await rotateKey(outside, old.accessKey)
  assert('securityCode' in rotated)
  const token = await tokenOf(old)
  await finishRotation(outside, old.accessKey)
  assert.equal((await sign(old)).body.error, 'invalid_client')
  assert.equal(await statusOf(token), 200)
  assert.equal((await sign({ ...old, securityCode: rotated.securityCode })).status, 200)
})

test('rotation: a new code ends both others, and a revoked key is not rotated', async () => {
  const old = await world.makeKey()
  const rotated = await rotateKey(outside, old.accessKey)
  assert('securityCode' in rotated)
  const renewed = await regenerateKey(outside, old.accessKey)
  assert('securityCode' in renewed)
  for (const [{ securityCode }, status] of [
    [old, 401],
    [rotated, 401],
    [renewed, 200],
  ] as const)
    assert.equal((await sign({ ...old, securityCode })).status, status)
  await revokeKey(outside, old.accessKey)
  assert('faults' in (await rotateKey(outside, old.accessKey)))
})

test('rotation: a wrong code looks the same whether one code is valid or two', async () => {
  const [plain, rotated] = [await world.makeKey(), await world.makeKey()]
  await rotateKey(world.state, rotated.accessKey)
  const looks = [plain.accessKey, rotated.accessKey, makeAccessKey()].map((accessKey) =>
    sign({ accessKey, securityCode: wrongCode }),
  )
  assert.equal(new Set((await Promise.all(looks)).map(looksOf)).size, 1)
})

test('last day: the key works until midnight in the company’s zone, and then neither it nor any token does', async () => {
  const key = await world.makeKey(lastDay('2026-10-02'))
  const midnight = Date.UTC(2026, 9, 3, 4)
  world.clock.advance(midnight - world.clock.now() - 14 * minuteMs)
  const early = await tokenOf(key)
  assert.equal(await statusOf(early), 200)
  world.clock.advance(14 * minuteMs - 1)
  const late = await tokenOf(key)
  // The service has cached both: the end must not wait for a write to the state.
  assert.deepEqual([await statusOf(early), await statusOf(late)], [200, 200])
  world.clock.advance(1)
  assert.deepEqual([await statusOf(early), await statusOf(late)], [401, 401])
  const looks = await Promise.all([sign(key), sign({ ...key, accessKey: makeAccessKey() })])
  assert.equal(new Set(looks.map(looksOf)).size, 1)
  assert.match(looksOf(await world.ask('/vendors', { token: late, address: newAddress() })), /^\[401,.*invalid_token/)
})

test('last day: changed while a token lives, it holds from the next request on, both ways', async () => {
  const key = await world.makeKey()
  const token = await tokenOf(key)
  const today = new Date(world.clock.now() - 5 * 3_600_000).toISOString().slice(0, 10)
  assert.equal(await statusOf(token), 200)
  await outside.updateKey(key.accessKey, { expires: { day: today, at: world.clock.now() + 1 } })
  assert.equal(await statusOf(token), 200)
  world.clock.advance(1)
  assert.equal(await statusOf(token), 401)
  await updateKey(outside, key.accessKey, { expires: { text: 'never', timeZone, now: world.clock.now() } })
  assert.equal(await statusOf(token), 200)
})

test('addresses: elsewhere the key is an unknown key, byte for byte, and failures count as such', async () => {
  const key = await world.makeKey({ addresses: '192.0.2.0/28,2001:db8:1:2::7' })
  assert.equal((await sign(key, { fullAddress: '192.0.2.15' })).status, 200)
  const unknown = { ...key, accessKey: makeAccessKey() }
  const [one, other] = [newAddress(), newAddress()]
  // Five failures, then the block: the same at every step.
  for (let turn = 0; turn < 7; turn += 1) {
    const pair = [await sign(key, { address: one }), await sign(unknown, { address: other })]
    assert.equal(new Set(pair.map(looksOf)).size, 1, `turn ${turn}`)
    assert.equal(pair[0]?.status, turn < 5 ? 401 : 429)
  }
})

test('addresses: elsewhere its token is an invalid token, byte for byte, and counts for nobody but the caller', async () => {
  const key = await world.makeKey({ addresses: '192.0.2.0/28', rate: '5' })
  const token = await tokenOf(key, { fullAddress: '192.0.2.1' })
  const here = () => world.ask('/vendors', { token, address: '192.0.2.1' })
  assert.equal((await here()).headers['X-RateLimit-Remaining'], '4')
  for (const path of ['/vendors', '/vendors/1', '/ping', '/resources', '/openapi.json', '/nowhere']) {
    const [address, another] = [newAddress(), newAddress()]
    const pair = [
      await world.ask(path, { token, address }),
      await world.ask(path, { token: strangeToken, address: another }),
    ]
    assert.equal(new Set(pair.map(looksOf)).size, 1, path)
  }
  assert.equal((await here()).headers['X-RateLimit-Remaining'], '3')
})

const asked = (fullAddress: string): Asked => ({ address: '2001:db8:1:2::/64', fullAddress })

test('addresses: the whole address is compared, also of callers that count together', async () => {
  const key = await world.makeKey({ addresses: '2001:db8:1:2::7' })
  const token = await tokenOf(key, asked('2001:db8:1:2::7'))
  assert.deepEqual(
    [await statusOf(token, asked('2001:db8:1:2::7')), await statusOf(token, asked('2001:db8:1:2::8'))],
    [200, 401],
  )
  assert.equal((await sign(key, asked('2001:db8:1:2::8'))).status, 401)
})

test('addresses: given to a key and taken away while a token lives, they hold from the next request on', async () => {
  const key = await world.makeKey()
  const token = await tokenOf(key)
  const here = { address: '198.51.100.9' }
  assert.equal(await statusOf(token, here), 200)
  await updateKey(outside, key.accessKey, { addresses: '192.0.2.0/28' })
  assert.deepEqual([await statusOf(token, here), await statusOf(token, { address: '192.0.2.2' })], [401, 200])
  await updateKey(outside, key.accessKey, { addresses: '192.0.2.0/28,198.51.100.9' })
  assert.equal(await statusOf(token, here), 200)
  await updateKey(outside, key.accessKey, { addresses: 'all' })
  assert.equal(await statusOf(token), 200)
})
