// The order of checks: a request that fails several is answered by the first of them, on every route. Each scenario
// fails its own check and every later one, so that it stands before all of them and not just before its neighbour.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { grantOf, strangeToken } from '../support/grants.ts'
import {
  allPaths,
  credentialsPaths,
  dataPaths,
  detailPaths,
  methodOf,
  tokenPaths,
  listPaths,
} from '../support/routes.ts'
import { createWorld, type Answer, type Asked, type World } from '../support/world.ts'

// One company with a subscription and one without; each has the same callers.
let on: World
let off: World
const tokens = { able: '', unable: '', exhausted: '', revoked: '' }
const tokensWithoutSubscription = { able: '', exhausted: '' }

before(async () => {
  ;[on, off] = await Promise.all([createWorld(), createWorld()])
  tokens.able = await on.tokenFor()
  tokens.unable = await on.tokenFor({ permissions: 'costs:read' })
  tokens.exhausted = await exhaustedToken(on)
  const key = await on.makeKey({ permissions: 'costs:read', rate: '1' })
  tokens.revoked = String((await on.signIn(grantOf(key), { address: '10.9.0.1' })).body.access_token)
  assert.equal((await on.ask('/ping', { token: tokens.revoked })).status, 200)
  await on.state.revokeKey(key.accessKey)
  tokensWithoutSubscription.able = await off.tokenFor()
  tokensWithoutSubscription.exhausted = await exhaustedToken(off)
  await off.state.setEnabled(false)
})
after(() => Promise.all([on.close(), off.close()]))

async function exhaustedToken(world: World): Promise<string> {
  const token = await world.tokenFor({ permissions: 'costs:read', rate: '1' })
  assert.equal((await world.ask('/ping', { token })).status, 200)
  return token
}

// Where a token that is sent is looked at.
const lookedAt = [...tokenPaths, '/openapi.json']

const codeOf = ({ body }: Answer) => (typeof body.error === 'string' ? body.error : body.error?.code)

// The headers that some answers carry and others do not.
const sometimes = ['Allow', 'Pragma', 'Retry-After', 'WWW-Authenticate', 'X-Total-Count']
const carried = ({ headers }: Answer) => sometimes.filter((name) => name in headers)

interface Scenario {
  readonly name: string
  readonly paths: readonly string[]
  readonly query?: string
  readonly world: () => World
  readonly asked: () => Asked
  readonly expected: readonly [status: number, code: string, ...headers: string[]]
}

const faulty = 'nope=1&nope=2'
const scenarios: readonly Scenario[] = [
  {
    name: 'plain HTTP stands before path, method, subscription, token and parameters',
    paths: [...allPaths, '/nothing', '/products/1/lines'],
    query: faulty,
    world: () => off,
    asked: () => ({ isSecure: false, method: 'PUT' }),
    expected: [403, 'https_required'],
  },
  {
    name: 'an unknown path stands before method, subscription and token [N4]',
    paths: ['/nothing', '/products/1/lines', '/auth', '/status/1'],
    query: faulty,
    world: () => off,
    asked: () => ({ method: 'PUT', token: strangeToken }),
    expected: [404, 'not_found'],
  },
  {
    name: 'a wrong method stands before subscription, token and parameters [N4]',
    paths: allPaths,
    query: faulty,
    world: () => off,
    asked: () => ({ method: 'PUT', token: strangeToken }),
    expected: [405, 'method_not_allowed', 'Allow'],
  },
  {
    name: 'a wrong method stands before the request rate and the permission',
    paths: tokenPaths,
    query: faulty,
    world: () => on,
    asked: () => ({ method: 'PUT', token: tokens.exhausted }),
    expected: [405, 'method_not_allowed', 'Allow'],
  },
  {
    name: 'no subscription stands before a missing token [N8]',
    paths: lookedAt,
    query: faulty,
    world: () => off,
    asked: () => ({}),
    expected: [503, 'api_not_enabled', 'Retry-After'],
  },
  {
    name: 'no subscription stands before an invalid token',
    paths: lookedAt,
    query: faulty,
    world: () => off,
    asked: () => ({ token: strangeToken }),
    expected: [503, 'api_not_enabled', 'Retry-After'],
  },
  {
    name: 'no subscription stands before the request rate, the permission and the parameters',
    paths: lookedAt,
    query: faulty,
    world: () => off,
    asked: () => ({ token: tokensWithoutSubscription.exhausted }),
    expected: [503, 'api_not_enabled', 'Retry-After'],
  },
  {
    name: 'no subscription refuses a caller with whom nothing else is wrong',
    paths: lookedAt,
    world: () => off,
    asked: () => ({ token: tokensWithoutSubscription.able }),
    expected: [503, 'api_not_enabled', 'Retry-After'],
  },
  {
    name: 'a missing token stands before the parameters',
    paths: tokenPaths,
    query: faulty,
    world: () => on,
    asked: () => ({}),
    expected: [401, 'missing_token', 'WWW-Authenticate'],
  },
  {
    name: 'an invalid token stands before the request rate of its key, the permission and the parameters',
    paths: lookedAt,
    query: faulty,
    world: () => on,
    asked: () => ({ token: tokens.revoked }),
    expected: [401, 'invalid_token', 'WWW-Authenticate'],
  },
  {
    name: 'the request rate stands before the permission and the parameters',
    paths: lookedAt,
    query: faulty,
    world: () => on,
    asked: () => ({ token: tokens.exhausted }),
    expected: [429, 'rate_limited', 'Retry-After'],
  },
  {
    name: 'the permission stands before the parameters and the record',
    paths: dataPaths,
    query: faulty,
    world: () => on,
    asked: () => ({ token: tokens.unable }),
    expected: [403, 'insufficient_scope', 'WWW-Authenticate'],
  },
  {
    name: 'the permission stands before the record',
    paths: detailPaths,
    world: () => on,
    asked: () => ({ token: tokens.unable }),
    expected: [403, 'insufficient_scope', 'WWW-Authenticate'],
  },
  {
    name: 'the permission stands before a malformed id',
    paths: detailPaths.map((path) => path.replace(/1$/, 'abc')),
    world: () => on,
    asked: () => ({ token: tokens.unable }),
    expected: [403, 'insufficient_scope', 'WWW-Authenticate'],
  },
  {
    name: 'the parameters stand before the record',
    paths: lookedAt,
    query: faulty,
    world: () => on,
    asked: () => ({ token: tokens.able }),
    expected: [400, 'invalid_parameter'],
  },
  {
    name: 'an absent record is looked for last',
    paths: detailPaths,
    world: () => on,
    asked: () => ({ token: tokens.able }),
    expected: [404, 'not_found'],
  },
]

for (const { name, paths, query, world, asked, expected } of scenarios) {
  test(`order: ${name}`, async () => {
    for (const path of paths) {
      const answer = await world().ask(query ? `${path}?${query}` : path, asked())
      // Every answer of a route that takes credentials carries Pragma.
      const headers = carried(answer).filter((header) => header !== 'Pragma' || !credentialsPaths.includes(path))
      assert.deepEqual([answer.status, codeOf(answer), ...headers], expected, `${path}: ${answer.text}`)
      if (answer.status === 405) assert.equal(answer.headers['Allow'], methodOf(path), path)
    }
  })
}

test('order: a request with whom nothing is wrong carries none of those headers but the total of a list', async () => {
  for (const path of tokenPaths.filter((each) => !detailPaths.includes(each))) {
    const answer = await on.ask(path, { token: tokens.able })
    const isList = listPaths.includes(path)
    assert.deepEqual([answer.status, ...carried(answer)], isList ? [200, 'X-Total-Count'] : [200], path)
  }
})
