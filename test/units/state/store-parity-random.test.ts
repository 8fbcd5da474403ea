// Random lives of keys and callers on both stores of the state: every call gets the same answer.
// VITRINE_TEST_SEED repeats a run; VITRINE_TEST_RUNS multiplies the number of lives.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as fc from 'fast-check'
import { hashSecret } from '../../../src/auth/secrets.ts'
import type { Permission } from '../../../src/catalogue/access.ts'
import { permissions } from '../../../src/catalogue/permissions.ts'
import type { State, TokenAttempt, TokenOutcome, Window } from '../../../src/state/state.ts'
import { inAnyOrder, openBoth } from '../../support/both-states.ts'
import { makeStatePlace, type StatePlace } from '../../support/postgres-state.ts'

const seed = Number(process.env['VITRINE_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const lives = 15 * Number(process.env['VITRINE_TEST_RUNS'] ?? 1)
let place: StatePlace
before(async () => {
  place = await makeStatePlace()
})
after(() => place.remove())

type Call =
  | { do: 'sign in'; key: number; code: number; from: number; isReadable: boolean; scope: Permission[] | null }
  | { do: 'sign off'; key: number; code: number; from: number; isReadable: boolean; ago: number }
  | { do: 'guess five times'; key: number; from: number }
  | { do: 'admit'; ago: number; from: number }
  | { do: 'update'; key: number; rate: number; permissions: Permission[]; isDisabled: boolean }
  | { do: 'limit'; key: number; endsInMs: number | null; addresses: readonly string[] | null }
  | { do: 'regenerate'; key: number; code: number }
  | { do: 'rotate'; key: number; code: number; overlapMs: number }
  | { do: 'finish rotation'; key: number }
  | { do: 'revoke'; key: number }
  | { do: 'enable'; isEnabled: boolean }
  | { do: 'clear' | 'show window'; from: number }
  | { do: 'list keys' | 'list blocks' }

// Few keys, codes and addresses, most often the first, so that they meet.
const few = fc.constantFrom(0, 0, 0, 1, 1, 2, 3)
const code = fc.constantFrom(0, 0, 1)
const mostly = (usual: boolean) => fc.constantFrom(usual, usual, usual, !usual)
const held = fc.subarray(permissions.slice(0, 4))
const does = <Name extends Call['do']>(name: Name) => fc.constant(name)

const call: fc.Arbitrary<Call> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: does('sign in'),
      key: few,
      code,
      from: few,
      isReadable: mostly(true),
      scope: fc.option(held),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: does('sign off'),
      key: few,
      code,
      from: few,
      isReadable: mostly(true),
      ago: fc.nat({ max: 12 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: does('guess five times'), key: few, from: few }) },
  { weight: 8, arbitrary: fc.record({ do: does('admit'), ago: fc.nat({ max: 12 }), from: few }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: does('update'),
      key: few,
      rate: fc.integer({ min: 1, max: 4 }),
      permissions: held,
      isDisabled: mostly(false),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: does('limit'),
      key: few,
      endsInMs: fc.option(fc.constantFrom(60_000, 300_000, 900_000)),
      addresses: fc.option(fc.constantFrom(['10.0.0.0/31'], ['192.0.2.0/24', '10.0.0.2'])),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: does('regenerate'), key: few, code }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: does('rotate'), key: few, code, overlapMs: fc.constantFrom(60_000, 300_000) }),
  },
  { weight: 1, arbitrary: fc.record({ do: does('finish rotation'), key: few }) },
  { weight: 1, arbitrary: fc.record({ do: does('revoke'), key: fc.constantFrom(2, 3, 9) }) },
  { weight: 1, arbitrary: fc.record({ do: does('enable'), isEnabled: mostly(true) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('clear', 'show window'), from: few }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('list keys', 'list blocks') }) },
)
// Mostly no time at all passes; else around all that runs out.
const passedMs = fc.oneof(
  { weight: 15, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.constantFrom(1, 999, 1000, 30_000, 59_999, 60_000, 300_000, 840_000, 900_000) },
)

const keyOf = (number: number) => `svc_ak_${number}`
const codeOf = (number: number) => hashSecret(`code ${number}`)
const tokenOf = (turn: number) => hashSecret(`token ${turn}`)
const addressOf = (number: number) => `10.0.0.${number}`

// A request over the limit may be counted or not: only the outcome is visible.
const shown = ({ limit, remaining, resetSeconds }: Window) => ({ limit, remaining, resetSeconds })
const seenOf = (outcome: TokenOutcome) => ({ ...outcome, window: shown(outcome.window) })

const begin = 1_700_000_000_000

/** A token request makes the token of its turn. */
async function make(state: State, one: Call, turn: number): Promise<unknown> {
  const tokenHash = tokenOf(turn)
  switch (one.do) {
    case 'sign in': {
      const { isReadable, scope } = one
      const address = addressOf(one.from)
      const credentials = { accessKey: keyOf(one.key), codeHash: codeOf(one.code), address, fullAddress: address }
      return seenOf(await state.requestToken({ ...credentials, isReadable, scope, tokenHash }))
    }
    case 'sign off': {
      const credentials = { accessKey: keyOf(one.key), codeHash: codeOf(one.code), address: addressOf(one.from) }
      const ended = tokenOf(turn - one.ago)
      return [
        seenOf(await state.revokeToken({ ...credentials, isReadable: one.isReadable, tokenHash: ended })),
        await state.admit(ended),
      ]
    }
    case 'guess five times': {
      const credentials = { accessKey: keyOf(one.key), codeHash: codeOf(9), address: addressOf(one.from) }
      const attempt: TokenAttempt = { ...credentials, isReadable: true, scope: null, tokenHash }
      const outcomes: unknown[] = []
      while (outcomes.length < 5) outcomes.push(seenOf(await state.requestToken(attempt)))
      return outcomes
    }
    case 'admit':
      return state.admit(tokenOf(turn - one.ago), addressOf(one.from))
    case 'update': {
      const { do: _, key, ...changes } = one
      return state.updateKey(keyOf(key), changes)
    }
    case 'limit': {
      const expires = one.endsInMs === null ? null : { day: '2023-11-14', at: begin + one.endsInMs }
      return state.updateKey(keyOf(one.key), { expires, addresses: one.addresses })
    }
    case 'rotate':
      return state.rotateKey(keyOf(one.key), codeOf(one.code), one.overlapMs)
    case 'finish rotation':
      return state.finishRotation(keyOf(one.key))
    case 'regenerate':
      return state.regenerateKey(keyOf(one.key), codeOf(one.code))
    case 'revoke':
      return state.revokeKey(keyOf(one.key))
    case 'enable':
      return state.setEnabled(one.isEnabled)
    case 'clear':
      return state.clearBlocks(addressOf(one.from))
    case 'show window':
      return [
        shown(await state.tokenWindow(addressOf(one.from))),
        shown(await state.tokenWindow(addressOf(one.from), 'revocation')),
      ]
    case 'list keys':
      return state.listKeys()
    case 'list blocks':
      return inAnyOrder(await state.listBlocks())
  }
}

function nameOf(answer: unknown): string {
  if (typeof answer !== 'object' || answer === null) return 'other'
  if ('is' in answer) return String(answer.is)
  return 'admitted' in answer ? (answer.admitted ? 'admitted' : 'not admitted') : 'other'
}

test(`random lives of keys and callers are the same in both stores (seed ${seed})`, async () => {
  const seen = new Set<string>()
  const life = fc.array(fc.tuple(call, passedMs), { minLength: 20, maxLength: 160, size: 'max' })
  const property = fc.asyncProperty(life, async (calls) => {
    const { both, close, clock } = await openBoth(place, begin)
    try {
      for (const number of [0, 1, 2, 3]) {
        const plain = { name: 'Shop', permissions: permissions.slice(0, 3), stores: null, priceList: null, rate: 2 }
        await both((state) => state.createKey({ ...plain, accessKey: keyOf(number) }, codeOf(0)))
      }
      for (const [turn, [one, ms]] of calls.entries()) {
        clock.advance(ms)
        for (const answer of [await both((state) => make(state, one, turn))].flat()) seen.add(nameOf(answer))
      }
    } finally {
      await close()
    }
  })
  // Without these a run would prove little. If chance has left some out, more lives are tried.
  const outcomes = ['blocked', 'granted', 'not enabled', 'rate limited', 'refused', 'scope not held', 'unreadable']
  const missing = () => ['admitted', 'not admitted', ...outcomes].filter((name) => !seen.has(name))
  for (let round = 0; round === 0 || (missing().length > 0 && round < 6); round += 1)
    await fc.assert(property, { seed: seed + round, numRuns: lives })
  assert.deepEqual(missing(), [])
})
