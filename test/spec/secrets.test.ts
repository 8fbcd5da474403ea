// Codes and tokens: random, shown once, kept as hashes only: not in the state's files, not in the log, not in an error.
import assert from 'node:assert/strict'
import crypto, { hash } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { after, before, test } from 'node:test'
import { makeAccessKey, makeAccessToken, makeSecurityCode, makeToken } from '../../src/auth/secrets.ts'
import { regenerateKey, revokeKey, updateKey } from '../../src/keys/keys.ts'
import { basicOf, grantOf, type Credentials } from '../support/grants.ts'
import { createWorld, type Answer, type World } from '../support/world.ts'

let world: World
let key: Credentials
// Everything secret that was ever made or sent.
const secrets: string[] = []
const answers: Answer[] = []

before(async () => {
  world = await createWorld()
  key = await world.makeKey({ name: 'Findable' })
  const address = '10.0.0.9'
  const granted = await world.signIn(grantOf(key), { address })
  const token = String(granted.body.access_token)
  const renewed = await regenerateKey(world.state, (await world.makeKey()).accessKey)
  assert.ok('securityCode' in renewed)
  const guess = makeSecurityCode()
  const mistaken = makeSecurityCode()
  secrets.push(key.securityCode, token, renewed.securityCode, guess, mistaken)
  answers.push(
    await world.ask('/ping', { token }),
    await world.ask(`/products?access_token=${token}&client_secret=${key.securityCode}`),
    await world.ask(`/products?status=${token}`),
    await world.ask('/nothing', { token }),
    await world.ask('/products', { token, method: 'POST', body: key.securityCode }),
    await world.ask('/products', { token, isSecure: false }),
    await world.ask('/products', { authorization: [`Bearer ${key.securityCode}`] }),
    await world.ask('/products', { authorization: [basicOf(key)] }),
    await world.ask('/products', { authorization: [`Bearer ${token}`, `Bearer ${token}`] }),
    await world.signIn(grantOf({ ...key, securityCode: guess }), { address }),
    // The code where the key belongs.
    await world.signIn(grantOf({ accessKey: mistaken, securityCode: key.accessKey }), { address }),
    await world.signIn(grantOf(key, { scope: key.securityCode }), { address }),
    await world.signIn(grantOf(key, { grant_type: key.securityCode }), { address }),
    await world.signIn(`client_secret=${key.securityCode}&client_secret=${guess}`, { address }),
    await world.signIn(JSON.stringify(grantOf(key)).slice(1), { address, contentType: 'application/json' }),
    await world.signIn({}, { address, authorization: [basicOf({ ...key, securityCode: guess })] }),
  )
  const broken = { ...world.state, admit: () => Promise.reject(new Error('down')) }
  answers.push(await world.askWith({ state: broken })('/ping', { token }))
})
after(() => world.close())

// Each as it is, and as it stands in a Basic header.
const formsOf = (secret: string) => [secret, basicOf({ ...key, securityCode: secret }).slice('Basic '.length)]

test('secrets: what the state has stored holds none; of codes and tokens it has the SHA-256', async () => {
  const bytes = await world.place.readState()
  // The search finds what is there.
  assert.ok(bytes.includes('Findable') && bytes.includes(key.accessKey))
  for (const kept of secrets.slice(0, 2))
    assert.ok(bytes.includes(hash('sha256', kept, 'buffer').toString('latin1')), kept)
  for (const secret of secrets) {
    for (const form of formsOf(secret)) assert.ok(!bytes.includes(form), form)
    assert.ok(!bytes.includes(secret.slice('svc_sk_'.length)), secret)
  }
})

test('secrets: the log holds none', () => {
  assert.ok(world.logged.length >= answers.length)
  const text = JSON.stringify(world.logged)
  for (const secret of secrets) for (const form of formsOf(secret)) assert.ok(!text.includes(form), form)
})

test('secrets: the log holds none that was put into a path', async () => {
  const token = makeToken()
  const sofar = world.logged.length
  for (const path of [`/${token}`, `/products/${token}`, `/auth/token/${token}`, `/status;token=${token}`])
    await world.ask(path)
  const text = JSON.stringify(world.logged.slice(sofar))
  assert.ok(text.includes('/products/'))
  assert.ok(!text.includes(token), text)
})

test('secrets: errors repeat none that came in a header or a token request', () => {
  for (const { status, text } of answers) {
    if (status === 200) continue
    for (const secret of [key.securityCode, ...secrets.slice(2)])
      for (const form of formsOf(secret)) assert.ok(!text.includes(form), text)
  }
})

test('secrets: what is known of a key later tells nothing of its code', async () => {
  const known = JSON.stringify([await world.state.listKeys(), await world.state.findKey(key.accessKey)])
  assert.ok(known.includes('Findable'))
  assert.ok(!known.includes('svc_sk_') && !known.toLowerCase().includes('hash'), known)
})

const kinds: readonly { name: string; make: () => string; prefix: string; bits: number; least: number }[] = [
  { name: 'access keys', make: makeAccessKey, prefix: 'svc_ak_', bits: 0, least: 20 },
  { name: 'security codes', make: makeSecurityCode, prefix: 'svc_sk_', bits: 160, least: 0 },
  { name: 'tokens', make: makeToken, prefix: 'svc_at_', bits: 160, least: 0 },
  { name: 'access tokens', make: () => makeAccessToken(new Uint8Array(32)), prefix: 'svc_at_', bits: 160, least: 0 },
]

for (const { name, make, prefix, bits, least } of kinds) {
  test(`secrets: ${name} start with ${prefix}, need no escaping and are random enough`, () => {
    const made = Array.from({ length: 2000 }, make)
    assert.equal(new Set(made).size, made.length)
    const counts = new Map<string, number>()
    for (const each of made) {
      assert.ok(each.startsWith(prefix))
      assert.match(each, /^[A-Za-z0-9_-]+$/)
      assert.equal(each.length, made[0]?.length)
      for (const letter of each.slice(prefix.length)) counts.set(letter, (counts.get(letter) ?? 0) + 1)
    }
    const length = (made[0]?.length ?? 0) - prefix.length
    assert.ok(length >= least)
    // Each letter as often as any other, within what chance allows (six standard deviations).
    const expected = (made.length * length) / counts.size
    for (const [letter, count] of counts)
      assert.ok(Math.abs(count - expected) < 6 * Math.sqrt(expected), `${letter}: ${count} of ${expected}`)
    assert.ok(length * Math.log2(counts.size) >= bits, `${length} of ${counts.size} letters`)
    // And every place of the text varies.
    for (let at = prefix.length; at < prefix.length + length; at += 1)
      assert.ok(new Set(made.map((each) => each[at])).size > counts.size * 0.9, `place ${at}`)
  })
}

test('secrets: a made key has the prefixes and lengths', () => {
  assert.match(key.accessKey, /^svc_ak_[A-Za-z0-9_-]{20,}$/)
  assert.match(key.securityCode, /^svc_sk_[A-Za-z0-9_-]{27,}$/)
  assert.match(secrets[1] ?? '', /^svc_at_[A-Za-z0-9_-]{27,}$/)
})

test('secrets: an unknown key costs the same hashes and the same comparison as a wrong code', async (context) => {
  const [disabled, revoked] = [await world.makeKey(), await world.makeKey()]
  await updateKey(world.state, disabled.accessKey, { disable: true })
  await revokeKey(world.state, revoked.accessKey)
  // In this thread, where the calls can be counted.
  const state = await world.place.openState(world.clock)
  const calls: string[] = []
  const original = { hash: crypto.hash, timingSafeEqual: crypto.timingSafeEqual, createHash: crypto.createHash }
  context.after(async () => {
    Object.assign(crypto, original)
    syncBuiltinESMExports()
    await state.close()
  })
  Object.assign(crypto, {
    hash(...given: Parameters<typeof crypto.hash>) {
      calls.push('hash')
      return original.hash(...given)
    },
    createHash(...given: Parameters<typeof crypto.createHash>) {
      calls.push('createHash')
      return original.createHash(...given)
    },
    timingSafeEqual(one: Uint8Array, other: Uint8Array) {
      calls.push(`compare ${one.byteLength} ${other.byteLength}`)
      return original.timingSafeEqual(one, other)
    },
  })
  syncBuiltinESMExports()
  const ask = world.askWith({ state })
  const work = async (credentials: Credentials, index: number) => {
    calls.length = 0
    const body = new URLSearchParams(grantOf(credentials)).toString()
    const contentType = 'application/x-www-form-urlencoded'
    const answer = await ask('/auth/token', { method: 'POST', contentType, body, address: `10.0.1.${index}` })
    assert.equal(answer.status, 401)
    return calls.join(', ')
  }
  const tried = [
    { ...key, securityCode: makeSecurityCode() },
    { accessKey: makeAccessKey(), securityCode: makeSecurityCode() },
    disabled,
    revoked,
  ]
  const profiles: string[] = []
  for (const [index, credentials] of tried.entries()) profiles.push(await work(credentials, index))
  assert.equal(new Set(profiles).size, 1, profiles.join('\n'))
  assert.match(profiles[0] ?? '', /compare 32 32/)
})
