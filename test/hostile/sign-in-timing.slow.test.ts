// How long a token request with an unknown key takes, against one with a wrong code, and with a right code that is refused: the
// time does not tell which keys there are, whether one is being rotated, or that a code is right and only the address, the
// day or the key is not. The same for accounts of the console. Each from an address of its own, so that neither a rate nor a
// block decides. Only the long run asserts it.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { makeAccessKey, makeSecurityCode } from '../../src/auth/secrets.ts'
import { Random } from '../../demo/random.ts'
import { updateKey } from '../../src/keys/keys.ts'
import { nameBrowser } from '../../src/state/sign-in-policy.ts'
import { rotateKey } from '../../src/keys/rotation.ts'
import { grantOf } from '../support/grants.ts'
import { howMuch, isLong, seedOfRun, told } from '../support/how-much.ts'
import { engineUnderTest } from '../support/place.ts'
import { createWorld, type Answer, type World } from '../support/world.ts'

const triesEach = howMuch(300, 10_000)
// Not measured: until then the code is still being compiled.
const warmUp = 240
// Of the ranks' standard deviation. Chance stays below 4; a difference that a caller could use over a network is far above.
const mostZ = 10

const sides = ['unknown key', 'wrong code', 'wrong code beside two', 'elsewhere', 'ended', 'paused'] as const
type Side = (typeof sides)[number]

interface Measured {
  readonly side: Side | 'unknown account' | 'wrong password'
  readonly us: number
}

const median = (values: readonly number[]) => values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0

const isUnknown = ({ side }: Measured) => side.startsWith('unknown')

// Mann–Whitney: how far the ranks of one side are from those that chance gives, in standard deviations. Ties share ranks.
function rankTest(measured: readonly Measured[]): number {
  const sorted = measured.toSorted((one, other) => one.us - other.us)
  const total = sorted.length
  let ranks = 0
  let ties = 0
  for (let start = 0; start < total;) {
    let end = start
    while (end < total && sorted[end]?.us === sorted[start]?.us) end += 1
    const shared = end - start
    const own = sorted.slice(start, end).filter(isUnknown).length
    ranks += (own * (start + 1 + end)) / 2
    ties += shared ** 3 - shared
    start = end
  }
  const n = measured.filter(isUnknown).length
  const m = total - n
  const u = ranks - (n * (n + 1)) / 2
  const variance = ((n * m) / 12) * (total + 1 - ties / (total * (total - 1)))
  return (u - (n * m) / 2) / Math.sqrt(variance)
}

test('timing: the rank test tells a difference from none', () => {
  const chance = new Random(1, 'rank test')
  const measure = (later: number) =>
    Array.from({ length: 4000 }, (_, at) => {
      const side: Side = at % 2 === 0 ? 'unknown key' : 'wrong code'
      return { side, us: Math.floor(chance.below(100) + (side === 'unknown key' ? later : 0)) }
    })
  assert.ok(Math.abs(rankTest(measure(0))) < 4)
  assert.ok(rankTest(measure(10)) > 8)
  assert.ok(rankTest(measure(-10)) < -8)
})

// Everything but what is new in each answer.
function looksOf({ status, headers, text }: Answer): string {
  const { 'X-Request-Id': id = '', Date: _date, ...others } = headers
  return JSON.stringify([status, others, text.replaceAll(id, '')])
}

// What is wrong with each; the code that is sent is right where it is the key that is refused.
async function makeKeys(world: World, side: Side) {
  const made = await Promise.all(Array.from({ length: 20 }, () => world.makeKey()))
  for (const { accessKey } of made) {
    if (side === 'wrong code beside two') await rotateKey(world.state, accessKey)
    if (side === 'elsewhere') await updateKey(world.state, accessKey, { addresses: '198.51.100.0/24,2001:db8:1::/48' })
    if (side === 'ended')
      await world.state.updateKey(accessKey, { expires: { day: '2026-10-01', at: world.clock.now() } })
    if (side === 'paused') await updateKey(world.state, accessKey, { disable: true })
  }
  const isWrong = side === 'unknown key' || side.startsWith('wrong code')
  return (chance: Random) => {
    // All of it for each side: what was done just before makes what follows faster.
    const [known, accessKey, securityCode] = [chance.pick(made), makeAccessKey(), makeSecurityCode()]
    return {
      accessKey: side === 'unknown key' ? accessKey : known.accessKey,
      securityCode: isWrong ? securityCode : known.securityCode,
    }
  }
}

test('timing: whatever is wrong with a key, it is refused like an unknown one, and as fast', async () => {
  const world = await createWorld()
  // In this thread: to wake another takes longer than what is measured here.
  const state = await world.place.openState(world.clock)
  try {
    const ask = world.askWith({ state })
    const keys = new Map<Side, Awaited<ReturnType<typeof makeKeys>>>()
    for (const side of sides) keys.set(side, await makeKeys(world, side))
    const chance = new Random(seedOfRun, 'timing')
    const all = Array.from({ length: triesEach + warmUp / sides.length }, () => sides).flat()
    const order = [...all.slice(0, warmUp), ...chance.shuffle(all.slice(warmUp))].entries()
    const measured: Measured[] = []
    const looks = new Set<string>()
    for (const [at, side] of order) {
      const credentials = keys.get(side)?.(chance) ?? assert.fail(side)
      const body = new URLSearchParams(grantOf(credentials)).toString()
      const asked = {
        method: 'POST',
        contentType: 'application/x-www-form-urlencoded',
        body,
        address: `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`,
      }
      const begin = performance.now()
      const answer = await ask('/auth/token', asked)
      const us = (performance.now() - begin) * 1000
      looks.add(looksOf(answer))
      if (at >= warmUp) measured.push({ side, us })
    }
    assert.equal(looks.size, 1, [...looks].join('\n'))
    assert.match([...looks][0] ?? '', /^\[401,.*invalid_client/)
    const apart = sides.slice(1).filter((side) => {
      const pair = measured.filter((each) => each.side === side || each.side === 'unknown key')
      const medianOf = (of: Side) => median(pair.filter((each) => each.side === of).map(({ us }) => us)).toFixed(1)
      const z = rankTest(pair)
      told(
        `timing on ${engineUnderTest}: ${pair.length} sign-ins, median ${medianOf('unknown key')} µs with an unknown key, ` +
          `${medianOf(side)} µs ${side}, z ${z.toFixed(2)}, seed ${seedOfRun}`,
      )
      return Math.abs(z) >= mostZ
    })
    if (isLong) assert.deepEqual(apart, [])
  } finally {
    await state.close()
    await world.close()
  }
})

const random = (length = 32) => new Uint8Array(randomBytes(length))

test('timing: an unknown account of the console is refused like a wrong password, and as fast, beside the slow hash', async () => {
  const world = await createWorld()
  const state = await world.place.openState(world.clock)
  try {
    await state.createAccount('Marie', 'administrator', { salt: random(16), hash: random() })
    const browser = nameBrowser(random())
    const chance = new Random(seedOfRun, 'accounts')
    const measured: Measured[] = []
    for (let at = 0; at < 2 * triesEach + warmUp; at += 1) {
      const side = chance.below(2) === 0 ? 'unknown account' : 'wrong password'
      const account = side === 'wrong password' ? 'Marie' : 'Jeann'
      const origin = { address: `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`, account, browser }
      const attempt = { passwordHash: random(), sessionHash: random() }
      // Nobody waits for the guesses before.
      world.clock.advance(3_600_000)
      const begin = performance.now()
      await state.signInWait(origin)
      await state.findSalt(account)
      const { is } = await state.signIn(origin, attempt)
      const us = (performance.now() - begin) * 1000
      assert.equal(is, 'refused')
      if (at >= warmUp) measured.push({ side, us })
    }
    const medianOf = (of: string) => median(measured.filter(({ side }) => side === of).map(({ us }) => us)).toFixed(1)
    const z = rankTest(measured)
    told(
      `timing on ${engineUnderTest}: ${measured.length} sign-ins to the console, median ${medianOf('unknown account')} µs ` +
        `with an unknown account, ${medianOf('wrong password')} µs with a wrong password, z ${z.toFixed(2)}, seed ${seedOfRun}`,
    )
    if (isLong) assert.ok(Math.abs(z) < mostZ, String(z))
  } finally {
    await state.close()
    await world.close()
  }
})
