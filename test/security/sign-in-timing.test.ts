// How long a token request with an unknown key takes, against one with a wrong code: by the time nobody learns which keys
// there are. Each from an address of its own, so that neither a rate nor a block decides. Only the long run asserts it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeAccessKey, makeSecurityCode } from '../../src/auth/secrets.ts'
import { Random } from '../../src/tools/demo/random.ts'
import { grantOf } from '../support/grants.ts'
import { howMuch, isLong, seedOfRun, told } from '../support/how-much.ts'
import { engineUnderTest } from '../support/place.ts'
import { createWorld, type Answer } from '../support/world.ts'

const triesEach = howMuch(300, 10_000)
// Not measured: until then the code is still being compiled.
const warmUp = 200
// Of the ranks' standard deviation. Chance stays below 4; a difference that a caller could use over a network is far above.
const mostZ = 10

type Side = 'unknown key' | 'wrong code'

interface Measured {
  readonly side: Side
  readonly us: number
}

const median = (values: readonly number[]) => values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0

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
    const own = sorted.slice(start, end).filter(({ side }) => side === 'unknown key').length
    ranks += (own * (start + 1 + end)) / 2
    ties += shared ** 3 - shared
    start = end
  }
  const n = measured.filter(({ side }) => side === 'unknown key').length
  const m = total - n
  const u = ranks - (n * (n + 1)) / 2
  const variance = ((n * m) / 12) * (total + 1 - ties / (total * (total - 1)))
  return (u - (n * m) / 2) / Math.sqrt(variance)
}

test('timing: the rank test tells a difference from none', () => {
  const chance = new Random(1, 'rank test')
  const sides: readonly Side[] = ['unknown key', 'wrong code']
  const measure = (later: number) =>
    Array.from({ length: 4000 }, (_, at) => {
      const side = sides[at % 2] ?? 'wrong code'
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

test('timing: an unknown key is refused like a wrong code, and as fast', async () => {
  const world = await createWorld()
  // In this thread: to wake another takes longer than what is measured here.
  const state = await world.place.openState(world.clock)
  try {
    const ask = world.askWith({ state })
    const keys = await Promise.all(Array.from({ length: 20 }, () => world.makeKey()))
    const chance = new Random(seedOfRun, 'timing')
    const sides = Array.from({ length: triesEach + warmUp / 2 }, (): Side[] => ['unknown key', 'wrong code']).flat()
    const order = [...sides.slice(0, warmUp), ...chance.shuffle(sides.slice(warmUp))].entries()
    const measured: Measured[] = []
    const looks = new Set<string>()
    for (const [at, side] of order) {
      const accessKey = side === 'unknown key' ? makeAccessKey() : chance.pick(keys).accessKey
      const body = new URLSearchParams(grantOf({ accessKey, securityCode: makeSecurityCode() })).toString()
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
    const medianOf = (side: Side) => median(measured.filter((each) => each.side === side).map(({ us }) => us))
    const z = rankTest(measured)
    told(
      `timing on ${engineUnderTest}: ${measured.length} sign-ins, median ${medianOf('unknown key').toFixed(1)} µs with an unknown key, ` +
        `${medianOf('wrong code').toFixed(1)} µs with a wrong code, z ${z.toFixed(2)}, seed ${seedOfRun}`,
    )
    if (isLong) assert.ok(Math.abs(z) < mostZ, `z is ${z}`)
  } finally {
    await state.close()
    await world.close()
  }
})
