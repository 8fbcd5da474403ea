// What the command line changes, or a client that signs off, holds at once on every instance: under load on all three, no request
// that starts after the command returned is served on the old terms, and no token outlives the code it was granted for.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { hashSecret, makeSecurityCode } from '../../src/auth/secrets.ts'
import { tally } from '../support/grants.ts'
import { keepAsking, startInstances, type Instances } from '../support/instances.ts'
import { until, type Answer, type NewKey } from '../support/process.ts'

let instances: Instances
before(async () => {
  instances = await startInstances()
})
after(() => instances.remove())

const codeOf = ({ status, body }: Answer) => (status === 200 ? '200' : `${status} ${body.error.code ?? body.error}`)
const ids = ({ body }: Answer) => (body.data as { id: number }[]).map(({ id }) => id).join(' ')
const limit = ({ headers }: Answer) => `limit ${String(headers['x-ratelimit-limit'])}`

// How many requests each instance answers before the command and after it.
const enough = 15

interface Scenario {
  readonly name: string
  /** The command, to which the key is added. */
  readonly command: readonly string[]
  readonly path: string
  readonly shows: (answer: Answer) => string
  readonly old: string
  readonly now: string
}

const scenarios: readonly Scenario[] = [
  {
    name: 'keys revoke',
    command: ['keys', 'revoke'],
    path: '/stores/1',
    shows: codeOf,
    old: '200',
    now: '401 invalid_token',
  },
  {
    name: 'keys regenerate',
    command: ['keys', 'regenerate'],
    path: '/ping',
    shows: codeOf,
    old: '200',
    now: '401 invalid_token',
  },
  {
    name: 'keys update --disable',
    command: ['keys', 'update', '--disable'],
    path: '/resources',
    shows: codeOf,
    old: '200',
    now: '401 invalid_token',
  },
  {
    name: 'keys update --stores',
    command: ['keys', 'update', '--stores', '2'],
    path: '/stores?sort=id',
    shows: ids,
    old: '1 2',
    now: '2',
  },
  {
    name: 'keys update --permissions',
    command: ['keys', 'update', '--permissions', 'products:read'],
    path: '/stores',
    shows: codeOf,
    old: '200',
    now: '403 insufficient_scope',
  },
  {
    name: 'keys update --price-list',
    command: ['keys', 'update', '--price-list', '2'],
    path: '/price-lists?sort=id',
    shows: ids,
    old: '1 2',
    now: '2',
  },
  {
    name: 'keys update --rate',
    command: ['keys', 'update', '--rate', '7'],
    path: '/ping',
    shows: limit,
    old: 'limit 1000000',
    now: 'limit 7',
  },
]

/** What was heard of requests that started before a command returned, and after. */
async function changeUnderLoad(
  scenario: Omit<Scenario, 'name' | 'command'>,
  token: string,
  change: () => Promise<unknown>,
) {
  const { path, shows, old, now } = scenario
  const load = keepAsking(instances, (at) => instances.ask(at, path, { token }))
  try {
    await until('every instance answers', () => load.hasAsked(0, enough))
    assert.deepEqual(Object.keys(tally(load.heard.map(({ answer }) => shows(answer)))), [old])
    await change()
    const returnedAt = performance.now()
    await until('every instance answers afterwards', () => load.hasAsked(returnedAt, enough))
    const later = load.since(returnedAt)
    assert.deepEqual(Object.keys(tally(later.map(({ answer }) => shows(answer)))), [now])
  } finally {
    await load.stop()
  }
  // Every answer shows either the old or the new state.
  const others = load.heard.map(({ answer }) => shows(answer)).filter((shown) => shown !== old && shown !== now)
  assert.deepEqual(others, [])
}

for (const { name, command, ...scenario } of scenarios)
  test(`${name} under load: nothing that starts after it is served on the old terms, on any instance`, async () => {
    const key = await instances.makeKey()
    const token = await instances.tokenOf(key)
    await changeUnderLoad(scenario, token, () => instances.run(...command, key.client_id))
  })

test('signing off under load: no request with the token is served after it, on any instance; others go on', async () => {
  const key = await instances.makeKey()
  const [token, sibling] = [await instances.tokenOf(key), await instances.tokenOf(key)]
  const scenario = { path: '/stores/1', shows: codeOf, old: '200', now: '401 invalid_token' }
  await changeUnderLoad(scenario, token, async () => {
    const { status } = await instances.ask(1, '/auth/revoke', {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ token, ...key }).toString(),
    })
    assert.equal(status, 200)
  })
  for (const at of [0, 1, 2]) assert.equal(codeOf(await instances.ask(at, '/stores/1', { token: sibling })), '200')
})

test('company disable under load: no data and no token after it, on any instance, until company enable', async () => {
  const key = await instances.makeKey()
  const token = await instances.tokenOf(key)
  const isEnabled = (at: number) => async () => (await instances.ask(at, '/status')).body.enabled as boolean
  const scenario = { path: '/stores/2', shows: codeOf, old: '200', now: '503 api_not_enabled' }
  try {
    await changeUnderLoad(scenario, token, () => instances.run('company', 'disable'))
    for (const at of [0, 1, 2]) {
      assert.equal(codeOf(await instances.signIn(at, key)), scenario.now)
      await until('/status tells it', async () => !(await isEnabled(at)()))
    }
  } finally {
    await instances.run('company', 'enable')
  }
  for (const at of [0, 1, 2]) {
    assert.equal(codeOf(await instances.ask(at, '/stores/2', { token })), '200')
    await until('/status tells it', isEnabled(at))
  }
})

test('keys regenerate under sign-ins: no token of the old code works after it, none is granted, the new code is good', async () => {
  const key = await instances.makeKey()
  const load = keepAsking(instances, (at) => instances.signIn(at, key), 3)
  let next: NewKey
  let returnedAt: number
  try {
    await until('every instance grants', () => load.hasAsked(0, enough))
    next = JSON.parse(await instances.run('keys', 'regenerate', key.client_id, '--json')) as NewKey
    returnedAt = performance.now()
    await until('every instance answers afterwards', () => load.hasAsked(returnedAt, enough))
  } finally {
    await load.stop()
  }
  const later = load.since(returnedAt).map(({ answer }) => codeOf(answer))
  assert.deepEqual(Object.keys(tally(later)), ['401 invalid_client'])
  const all = tally(load.heard.map(({ answer }) => codeOf(answer)))
  assert.deepEqual(Object.keys(all).toSorted(), ['200', '401 invalid_client'])
  const tokens = load.heard.flatMap(({ answer }) => (answer.status === 200 ? [String(answer.body.access_token)] : []))
  // The tokens granted last are the most likely to have slipped through.
  const answers = await Promise.all(tokens.slice(-60).map((token, turn) => instances.ask(turn, '/ping', { token })))
  assert.deepEqual(Object.keys(tally(answers.map(codeOf))), ['401 invalid_token'])
  for (const at of [0, 1, 2])
    assert.equal(codeOf(await instances.ask(at + 1, '/ping', { token: await instances.tokenOf(next, at) })), '200')
})

test('the moment a change is made, every instance asked holds to it: no memory of a key outlives it', async () => {
  const key = await instances.makeKey()
  const everywhere = async (token: string) =>
    Promise.all([0, 1, 2].map(async (at) => codeOf(await instances.ask(at, '/stores/1', { token }))))
  const { state } = instances
  let code = key.client_secret
  for (let turn = 0; turn < 10; turn += 1) {
    const token = await instances.tokenOf({ ...key, client_secret: code }, turn)
    assert.deepEqual(await everywhere(token), ['200', '200', '200'])
    await state.updateKey(key.client_id, { stores: [2] })
    assert.deepEqual(await everywhere(token), Array(3).fill('404 not_found'))
    await state.updateKey(key.client_id, { stores: null, permissions: ['products:read'] })
    assert.deepEqual(await everywhere(token), Array(3).fill('403 insufficient_scope'))
    await state.updateKey(key.client_id, { permissions: ['reference:read'], isDisabled: true })
    assert.deepEqual(await everywhere(token), Array(3).fill('401 invalid_token'))
    await state.updateKey(key.client_id, { isDisabled: false })
    assert.deepEqual(await everywhere(token), ['200', '200', '200'])
    await state.setEnabled(false)
    const whileDisabled = await everywhere(token)
    await state.setEnabled(true)
    assert.deepEqual(whileDisabled, Array(3).fill('503 api_not_enabled'))
    code = makeSecurityCode()
    await state.regenerateKey(key.client_id, hashSecret(code))
    assert.deepEqual(await everywhere(token), Array(3).fill('401 invalid_token'))
  }
})
