// decideSignIn: what the store knows and whether the password is right → the outcome, and what is written, one row for each rule; and the
// number of passwords that can be tried at the console in a day, as docs/security.md promises, at any pace and from any number of addresses.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashSecret } from '../../../src/auth/secrets.ts'
import type { Series } from '../../../src/state/failure-series.ts'
import { limits } from '../../../src/state/limits.ts'
import {
  countedAs,
  decideSignIn,
  nameBrowser,
  secondsToWait,
  type AttemptSeries,
  type SignInFacts,
} from '../../../src/state/sign-in-policy.ts'

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

const now = Date.UTC(2026, 9, 1, 12)
const failed = (count: number, agoMs = 0, waitMs?: number): Series => ({
  startedAt: now - agoMs,
  count,
  blockedUntil: waitMs === undefined ? null : now + waitMs,
})
const slowed = (subject: string, failures: number) => ({ act: 'sign-in slowed down', subject, details: { failures } })
const at = '192.0.2.1'

interface Row {
  readonly name: string
  readonly facts?: Partial<SignInFacts>
  readonly isStranger?: boolean
  readonly isRight?: boolean
  readonly outcome: object
  // What is written, whole.
  readonly effects: object
}

const [granted, refused] = [{ is: 'granted' }, { is: 'refused' }]
const rows: readonly Row[] = [
  {
    name: 'the right password ends the series, and not that of all strangers',
    facts: { own: failed(4), all: failed(19) },
    isRight: true,
    outcome: granted,
    effects: { own: null },
  },
  {
    name: 'the first wrong one counts and waits for nothing',
    outcome: refused,
    effects: { own: failed(1), all: failed(1), audit: [] },
  },
  {
    name: 'the fifth is the first to wait for, and is in the audit',
    facts: { own: failed(4), all: failed(4) },
    outcome: refused,
    effects: { own: failed(5, 0, 1000), all: failed(5), audit: [slowed(at, 5)] },
  },
  {
    name: 'each further one doubles the wait, without another entry',
    facts: { own: failed(9, 16_000, 0), all: failed(9) },
    outcome: refused,
    effects: { own: failed(10, 0, 32_000), all: failed(10), audit: [] },
  },
  {
    name: 'up to a minute',
    facts: { own: failed(10, 32_000, 0) },
    outcome: refused,
    effects: { own: failed(11, 0, 60_000), all: failed(1), audit: [] },
  },
  {
    name: 'all strangers together wait from the twentieth on: one entry without an address',
    facts: { own: failed(4), all: failed(19) },
    outcome: refused,
    effects: { own: failed(5, 0, 1000), all: failed(20, 0, 1000), audit: [slowed('', 20)] },
  },
  {
    name: 'they wait half a minute at most, and single addresses get no entry meanwhile',
    facts: { own: failed(4), all: failed(40, 30_000, 0) },
    outcome: refused,
    effects: { own: failed(5, 0, 1000), all: failed(41, 0, 30_000), audit: [] },
  },
  {
    name: 'a known browser and a session count for themselves alone',
    facts: { own: failed(4) },
    isStranger: false,
    outcome: refused,
    effects: { own: failed(5, 0, 1000), audit: [slowed(at, 5)] },
  },
  {
    name: 'during a wait the right password is not checked, and nothing is counted',
    facts: { own: failed(5, 0, 1) },
    isRight: true,
    outcome: { is: 'slowed', retryAfterSeconds: 1 },
    effects: {},
  },
  {
    name: 'a stranger waits for the failures of all',
    facts: { all: failed(30, 0, 30_000) },
    isRight: true,
    outcome: { is: 'slowed', retryAfterSeconds: 30 },
    effects: {},
  },
  {
    name: 'a series is forgotten a quarter of an hour after its last failure',
    facts: { own: failed(12, limits.seriesMs, 0), all: failed(30, limits.seriesMs, 0) },
    outcome: refused,
    effects: { own: failed(1), all: failed(1), audit: [] },
  },
  {
    name: 'and not a millisecond before',
    facts: { own: failed(5, limits.seriesMs - 1, 0) },
    outcome: refused,
    effects: { own: failed(6, 0, 2000), all: failed(1), audit: [] },
  },
  {
    name: 'after a clock was set back no wait is longer than a minute',
    facts: { own: failed(12, 0, 3_600_000) },
    outcome: { is: 'slowed', retryAfterSeconds: 60 },
    effects: {},
  },
]

for (const { name, facts, isStranger = true, isRight = false, outcome, effects } of rows)
  test(`sign-in: ${name}`, () => {
    const decided = decideSignIn(now, { address: at, isStranger }, { own: null, all: null, ...facts }, isRight)
    assert.deepEqual(decided.outcome, outcome)
    const { audit, ...written } = decided.effects
    const { audit: entries, ...expected } = effects as typeof decided.effects
    assert.deepEqual(written, expected)
    assert.partialDeepStrictEqual(audit ?? [], entries ?? [])
    assert.equal(audit?.length, entries?.length)
  })

test('sign-in: a browser is known by the name that the present password signed, a session by itself', () => {
  const [hash, next] = [hashSecret('password'), hashSecret('next password')]
  const counted = (browser: string | null, passwordHash = hash) =>
    countedAs({ address: at, account: 'Marie', browser }, passwordHash)
  const stranger = { name: `console ${at}`, isStranger: true }
  const known = nameBrowser(hash)
  const [name = '', signature = ''] = known.split('.')
  assert.deepEqual(counted(known), { name: `console-browser ${name}`, isStranger: false })
  for (const made of [null, nameBrowser(next), `${name}.${'A'.repeat(43)}`, `${'A'.repeat(22)}.${signature}`, 'x', ''])
    assert.deepEqual(counted(made), stranger, String(made))
  assert.deepEqual(counted(known, next), stranger)
  const session = countedAs({ address: at, account: 'Marie', sessionHash: hash }, hash)
  assert.deepEqual([session.isStranger, session.name.startsWith('console-session ')], [false, true])
})
