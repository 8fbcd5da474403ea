// The number of passwords that can be tried at the console in a day, as docs/security.md promises, at any pace and from any number of
// addresses.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Series } from '../../../src/state/failure-series.ts'
import { limits } from '../../../src/state/limits.ts'
import { decideSignIn, secondsToWait, type AttemptSeries, type SignInFacts } from '../../../src/state/sign-in-policy.ts'

const dayMs = 86_400_000

// Tries `burst` passwords as fast as they are looked at, rests until all is forgotten, and so on; from `addresses` in turn.
function guessesInADay(burst: number, addresses: number, isStranger = true): number {
  const own = new Map<number, Series>()
  let all: Series | null = null
  let guesses = 0
  for (let now = 0; now < dayMs;) {
    const [at, counted] = [
      guesses % addresses,
      { name: '', isStranger, address: '' } satisfies AttemptSeries & { address: string },
    ]
    const facts: SignInFacts = { own: own.get(at) ?? null, all }
    const wait: number = secondsToWait(now, facts)
    if (wait > 0) {
      now += wait * 1000
      continue
    }
    const { outcome, effects } = decideSignIn(now, counted, facts, false)
    assert.equal(outcome.is, 'refused')
    if (effects.own) own.set(at, effects.own)
    all = effects.all ?? all
    guesses += 1
    if (guesses % burst === 0) now += limits.seriesMs
  }
  return guesses
}

const most = (addresses: number, isStranger?: boolean) =>
  Math.max(...[4, 5, 8, 12, 19, 20, 25, 40, Infinity].map((burst) => guessesInADay(burst, addresses, isStranger)))

test('from one address, and from one browser or session, fewer than 1,500 passwords a day', () => {
  assert.equal(most(1), guessesInADay(Infinity, 1))
  assert.ok(most(1) < 1500, String(most(1)))
  assert.equal(most(1, false), most(1))
})

test('from any number of addresses, fewer than 3,000 passwords a day', () => {
  for (const addresses of [2, 3, 10, 1_000_000]) assert.ok(most(addresses) < 3000, String(most(addresses)))
})
