// Three instances on one state, in real processes: what a key, an address or a caller with wrong codes may do is counted
// once for all of them, and exactly; what one has granted the next one knows.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeAccessKey, makeSecurityCode } from '../../src/auth/secrets.ts'
import { atOnce, tally } from '../support/grants.ts'
import { startInstances, type Instances } from '../support/instances.ts'
import type { Answer } from '../support/process.ts'

let instances: Instances
before(async () => {
  instances = await startInstances()
})
after(() => instances.remove())

const wrong = (client_id: string) => ({ client_id, client_secret: makeSecurityCode() })
const stranger = () => wrong(makeAccessKey())
const remaining = ({ headers }: Answer) => Number(headers['x-ratelimit-remaining'])
const codes = (answers: readonly Answer[]) =>
  tally(answers.map(({ status, body }) => (status === 200 ? '200' : `${status} ${body.error.code ?? body.error}`)))
const downFrom = (count: number) => Array.from({ length: count }, (_, at) => count - 1 - at)
const greatestFirst = (one: number, other: number) => other - one

function assertBlocked(answer: Answer) {
  assert.deepEqual([answer.status, answer.body.error], [429, 'too_many_attempts'])
  const seconds = Number(answer.headers['retry-after'])
  assert.ok(seconds > 840 && seconds <= 900, `Retry-After: ${seconds}`)
}

test('100 parallel requests on a key with a rate of 60: exactly 60 are served, whichever instance they reach', async () => {
  const token = await instances.tokenOf(await instances.makeKey({ rate: '60' }))
  // If the state is not reached in time, as on a busy machine, a request is refused with 503 and not counted: it is sent again.
  const ask = async (at: number) => {
    const send = () => instances.ask(at, at % 2 ? '/stores' : '/ping', { token })
    const answer = await send()
    return answer.status === 503 ? send() : answer
  }
  const answers = await atOnce(100, ask)
  assert.deepEqual(codes(answers), { '200': 60, '429 rate_limited': 40 })
  const served = answers.filter(({ status }) => status === 200).map(remaining)
  assert.deepEqual(served.toSorted(greatestFirst), downFrom(60))
  for (const { headers, status } of answers) {
    assert.equal(headers['x-ratelimit-limit'], '60')
    const seconds = Number(headers['x-ratelimit-reset'])
    assert.ok(seconds >= 1 && seconds <= 60, `Reset: ${seconds}`)
    if (status === 429)
      assert.deepEqual([headers['x-ratelimit-remaining'], headers['retry-after']], ['0', String(seconds)])
  }
})

test('two keys at once: each has its own 60, and the tokens of one key share theirs', async () => {
  const [one, other] = [await instances.makeKey({ rate: '60' }), await instances.makeKey({ rate: '60' })]
  const tokens = await Promise.all([one, one, other].map((key, at) => instances.tokenOf(key, at)))
  const answers = await atOnce(240, (at) => instances.ask(at, '/ping', { token: tokens[Math.floor(at / 3) % 3] ?? '' }))
  const served = (which: readonly number[]) =>
    answers.filter(({ status }, at) => status === 200 && which.includes(Math.floor(at / 3) % 3)).length
  assert.deepEqual([served([0, 1]), served([2])], [60, 60])
})

test('50 parallel wrong codes for a key from one address: exactly 5 are evaluated, the others blocked', async () => {
  const [key, from] = [await instances.makeKey(), instances.newAddress()]
  const answers = await atOnce(50, (at) => instances.signIn(at, wrong(key.client_id), from))
  assert.deepEqual(codes(answers), { '401 invalid_client': 5, '429 too_many_attempts': 45 })
  for (const answer of answers) if (answer.status === 429) assertBlocked(answer)
  for (const at of [0, 1, 2]) {
    assertBlocked(await instances.signIn(at, key, from))
    assert.equal((await instances.signIn(at, key)).status, 200, 'from elsewhere')
    assert.equal((await instances.signIn(at, await instances.makeKey(), from)).status, 200, 'with another key')
  }
})

test('the right code among 40 parallel wrong ones does not widen it: at most 5 in a row are evaluated', async () => {
  const [key, from] = [await instances.makeKey(), instances.newAddress()]
  const answers = await atOnce(41, (at) => instances.signIn(at, at === 3 ? key : wrong(key.client_id), from))
  const { 200: granted = 0, '401 invalid_client': refused = 0, ...others } = codes(answers)
  // A success forgets the failures before it; those after it make a series of their own. The token rate counts on.
  assert.ok(refused >= 5 && refused <= (granted ? 9 : 5), `${refused} evaluated`)
  assert.equal(granted + refused + Object.values(others).reduce((sum, count) => sum + count, 0), 41)
  assertBlocked(await instances.signIn(1, key, from))
})

test('30 parallel wrong codes over many keys: the address is blocked at its 20th failure, whatever the key', async () => {
  const from = instances.newAddress()
  const first = await atOnce(10, (at) => instances.signIn(at, stranger(), from))
  assert.deepEqual(codes(first), { '401 invalid_client': 10 })
  // A minute later for the token rate of the address, as far as the state knows.
  await instances.query("UPDATE windows SET started_at = started_at - 60000 WHERE name LIKE '%' || $1", [from])
  const answers = await atOnce(30, (at) => instances.signIn(at, stranger(), from))
  assert.deepEqual(codes(answers), { '401 invalid_client': 10, '429 too_many_attempts': 20 })
  const key = await instances.makeKey()
  for (const at of [0, 1, 2]) {
    assertBlocked(await instances.signIn(at, key, from))
    assert.equal((await instances.signIn(at, key)).status, 200, 'from elsewhere')
  }
})

test('30 parallel sign-ins from one address: exactly 10 are granted, and each token works everywhere', async () => {
  const [key, from] = [await instances.makeKey(), instances.newAddress()]
  const answers = await atOnce(30, (at) => instances.signIn(at, key, from))
  assert.deepEqual(codes(answers), { '200': 10, '429 rate_limited': 20 })
  const granted = answers.filter(({ status }) => status === 200)
  assert.deepEqual(granted.map(remaining).toSorted(greatestFirst), downFrom(10))
  const tokens = new Set(granted.map(({ body }) => String(body.access_token)))
  assert.equal(tokens.size, 10)
  for (const token of tokens)
    assert.deepEqual(codes(await atOnce(3, (at) => instances.ask(at, '/ping', { token }))), { '200': 3 })
})

test('a token of one instance works on the next at once', async () => {
  const key = await instances.makeKey()
  for (let turn = 0; turn < 12; turn += 1) {
    const token = await instances.tokenOf(key, turn)
    const answers = await Promise.all([1, 2].map((next) => instances.ask(turn + next, '/stores', { token })))
    assert.deepEqual(codes(answers), { '200': 2 })
  }
})

for (const signal of ['SIGTERM', 'SIGKILL'] as const)
  test(`an instance that ended by ${signal} and is started again goes on with windows, tokens and blocks`, async () => {
    const [key, from] = [await instances.makeKey({ rate: '60' }), instances.newAddress()]
    const token = await instances.tokenOf(key)
    await atOnce(7, (at) => instances.ask(at, '/ping', { token }))
    await atOnce(5, () => instances.signIn(0, wrong(key.client_id), from))
    const before = [await instances.ask(0, '/ping', { token }), await instances.signIn(0, key, from)] as const
    await instances.restart(0, signal)
    const after = [await instances.ask(0, '/ping', { token }), await instances.signIn(0, key, from)] as const
    assert.deepEqual([after[0].status, remaining(before[0]), remaining(after[0])], [200, 52, 51])
    assert.ok(Number(after[0].headers['x-ratelimit-reset']) <= Number(before[0].headers['x-ratelimit-reset']))
    assertBlocked(after[1])
    assert.ok(Number(after[1].headers['retry-after']) <= Number(before[1].headers['retry-after']))
  })
