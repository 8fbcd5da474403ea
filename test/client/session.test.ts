// Tokens, limits and pauses: the client follows these rules, so that its users need not know them.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createClient, VitrineError } from '../../client/index.ts'
import { addressOf, clientOf, fetchFrom } from '../support/client.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World
before(async () => {
  world = await createWorld({ rows: { stores: [{ id: 1, name: 'Main' }] } })
})
after(() => world.close())

const isSignIn = (path: string) => path.endsWith('/auth/token')

// What was asked for, as the service saw it.
function record() {
  const paths: string[] = []
  return {
    onRequest: (path: string) => void paths.push(path),
    signIns: () => paths.filter(isSignIn).length,
    others: () => paths.filter((path) => !isSignIn(path)).length,
  }
}

async function refusalOf(work: Promise<unknown>): Promise<VitrineError> {
  const error = await work.then(
    () => assert.fail('it was to be refused'),
    (reason: unknown) => reason,
  )
  assert(error instanceof VitrineError, String(error))
  return error
}

// The service's answers with something else in their place, while `answer` gives one.
function faulty(answer: (path: string, at: number) => Response | undefined) {
  const real = fetchFrom(world)
  let count = 0
  const asked = {
    data: () => count,
    fetch: ((url, init) => {
      const { pathname } = new URL(addressOf(url))
      if (isSignIn(pathname)) return real(url, init)
      count += 1
      return Promise.resolve(answer(pathname, count) ?? real(url, init))
    }) as typeof fetch,
  }
  return asked
}

const refused = (status: number, headers: Record<string, string>, code = 'busy') =>
  new Response(JSON.stringify({ error: { code, message: 'Later.', request_id: 'r' } }), { status, headers })

// A minute of the service takes 60 ms here.
const hurried =
  (real: typeof fetch, statuses: number[]): typeof fetch =>
  async (url, init) => {
    const answer = await real(url, init)
    statuses.push(answer.status)
    const headers = new Headers(answer.headers)
    for (const name of ['retry-after', 'x-ratelimit-reset'])
      if (headers.has(name)) headers.set(name, String(Number(headers.get(name)) / 1000))
    return new Response(await answer.text(), { status: answer.status, headers })
  }

const exhaust = async (iterable: AsyncIterable<unknown>) => {
  for await (const found of iterable) assert(found)
}

suite('tokens', () => {
  test('many calls, one sign-in; first calls at the same time share it', async () => {
    const asked = record()
    const client = await clientOf(world, asked)
    await Promise.all([client.ping(), client.list('stores'), client.get('stores', 1)])
    await client.ping()
    assert.deepEqual([asked.signIns(), asked.others()], [1, 4])
  })

  test('an expired token is replaced once, for all who were refused, and nobody notices', async () => {
    const asked = record()
    const client = await clientOf(world, asked)
    await client.ping()
    world.clock.advance(901_000)
    await Promise.all(Array.from({ length: 5 }, () => client.ping()))
    assert.equal(asked.signIns(), 2)
    world.clock.advance(901_000)
    assert.equal((await client.ping()).ok, true)
    assert.equal(asked.signIns(), 3)
  })

  test('after a second 401 the refusal is thrown, and nothing is tried any more', async () => {
    const asked = record()
    const real = fetchFrom(world, asked.onRequest)
    const client = await clientOf(world, {
      fetch: (url, init) => {
        const headers = new Headers(init?.headers)
        if (headers.has('authorization')) headers.set('authorization', 'Bearer svc_at_wrong')
        return real(url, { ...init, headers })
      },
    })
    const error = await refusalOf(client.ping())
    assert.deepEqual([error.code, error.status], ['invalid_token', 401])
    assert.deepEqual([asked.signIns(), asked.others()], [2, 2])
  })

  test('wrong credentials are not tried again by themselves; the next call signs in anew', async () => {
    const asked = record()
    const { accessKey, securityCode } = await world.makeKey()
    const credentials = { clientId: accessKey, clientSecret: `${securityCode}x` }
    const client = createClient({
      url: 'https://shop.example',
      fetch: fetchFrom(world, asked.onRequest),
      ...credentials,
    })
    for (const tries of [1, 2]) {
      const error = await refusalOf(client.ping())
      assert.deepEqual([error.code, error.status, asked.signIns()], ['invalid_client', 401, tries])
    }
    assert.equal(asked.others(), 0)
  })

  test('fewer permissions than the key has, when asked for', async () => {
    const client = await clientOf(world, { scope: ['reference:read', 'products:read'] })
    assert.deepEqual((await client.ping()).scopes.toSorted(), ['products:read', 'reference:read'])
    assert.equal((await refusalOf(client.list('invoices'))).code, 'insufficient_scope')
  })

  test('who gives up does not take the sign-in from those who wait for the same one', async () => {
    const held = Promise.withResolvers<void>()
    const asked = record()
    const client = await clientOf(world, {
      onRequest: async (path) => {
        asked.onRequest(path)
        if (isSignIn(path)) await held.promise
      },
    })
    const giving = new AbortController()
    const given = client.ping({ signal: giving.signal })
    const patient = client.ping()
    giving.abort(new Error('enough'))
    await assert.rejects(given, /enough/)
    held.resolve()
    assert.equal((await patient).ok, true)
    assert.equal(asked.signIns(), 1)
  })
})

suite('signing off', () => {
  const tokens: string[] = []
  const watched = (onRequest: (path: string) => void): typeof fetch => {
    const real = fetchFrom(world, onRequest)
    return (url, init) => {
      const bearer = new Headers(init?.headers).get('authorization')
      if (bearer) tokens.push(bearer.slice('Bearer '.length))
      return real(url, init)
    }
  }

  test('the token ends at once; the next call signs in again', async () => {
    const asked = record()
    const client = await clientOf(world, { fetch: watched(asked.onRequest) })
    await client.ping()
    const token = tokens.at(-1) ?? ''
    assert.equal((await world.ask('/ping', { token })).status, 200)
    await client.signOff()
    assert.equal((await world.ask('/ping', { token })).status, 401)
    assert.equal((await client.ping()).ok, true)
    assert.notEqual(tokens.at(-1), token)
    assert.equal(asked.signIns(), 2)
  })

  test('without a token nothing is sent; twice is once', async () => {
    const asked = record()
    const client = await clientOf(world, asked)
    await client.signOff()
    assert.deepEqual([asked.signIns(), asked.others()], [0, 0])
    await client.ping()
    await Promise.all([client.signOff(), client.signOff()])
    assert.deepEqual([asked.signIns(), asked.others()], [1, 2])
  })

  test('a sign-in that is under way is waited for, one that failed has left nothing to end', async () => {
    const held = Promise.withResolvers<void>()
    const real = fetchFrom(world)
    const granted: string[] = []
    const client = await clientOf(world, {
      fetch: async (url, init) => {
        if (isSignIn(addressOf(url))) await held.promise
        const answer = await real(url, init)
        if (isSignIn(addressOf(url)))
          granted.push(((await answer.clone().json()) as { access_token: string }).access_token)
        return answer
      },
    })
    const [called, ended] = [client.ping(), client.signOff()]
    held.resolve()
    await Promise.all([called, ended])
    assert.equal((await world.ask('/ping', { token: granted[0] ?? '' })).status, 401)
    const asked = record()
    const wrong = await clientOf(world, { clientSecret: 'wrong', onRequest: asked.onRequest })
    const before = asked.others()
    const refused = refusalOf(wrong.ping())
    await wrong.signOff()
    assert.equal((await refused).code, 'invalid_client')
    assert.equal(asked.others(), before)
  })

  test('what the service refuses is told, without waiting; an aborted one throws its reason', async () => {
    const client = await clientOf(world, { onWait: () => assert.fail('no wait') })
    await client.ping()
    await world.state.setEnabled(false)
    const error = await refusalOf(client.signOff())
    await world.state.setEnabled(true)
    assert.deepEqual([error.code, error.status], ['api_not_enabled', 503])
    await client.ping()
    await assert.rejects(client.signOff({ signal: AbortSignal.abort(new Error('enough')) }), /enough/)
  })
})

suite('limits and pauses', () => {
  test('with no request left it pauses until the window is over, before the service has to refuse', async () => {
    const { accessKey, securityCode } = await world.makeKey({ rate: '2' })
    const statuses: number[] = []
    const waits: object[] = []
    const client = createClient({
      url: 'https://shop.example',
      clientId: accessKey,
      clientSecret: securityCode,
      fetch: hurried(fetchFrom(world), statuses),
      onWait: (wait) => {
        waits.push(wait)
        world.clock.advance(60_000)
      },
    })
    for (let at = 0; at < 5; at++) await client.ping()
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 200])
    assert.deepEqual(
      waits,
      [1, 2].map(() => ({ seconds: 1, code: 'rate_limited' })),
    )
  })

  test('refused with 429, because another used the key up, it waits as long as it is told and goes on', async () => {
    const { accessKey, securityCode } = await world.makeKey({ rate: '2' })
    const credentials = { url: 'https://shop.example', clientId: accessKey, clientSecret: securityCode }
    const other = createClient({ ...credentials, fetch: fetchFrom(world) })
    const statuses: number[] = []
    const waits: string[] = []
    const client = createClient({
      ...credentials,
      fetch: hurried(fetchFrom(world), statuses),
      onWait: ({ code }) => {
        waits.push(code)
        world.clock.advance(60_000)
      },
    })
    await client.ping()
    await other.ping()
    assert.equal((await client.ping()).ok, true)
    assert.deepEqual([statuses, waits], [[200, 200, 429, 200], ['rate_limited']])
  })

  for (const status of [429, 503])
    test(`${status}: it comes again no earlier than Retry-After says`, async () => {
      let [refusedAt, cameAt] = [0, 0]
      const { fetch, data } = faulty((_, at) => {
        if (at > 1) cameAt = performance.now()
        else refusedAt = performance.now()
        return at === 1 ? refused(status, { 'Retry-After': '0.15' }) : undefined
      })
      const client = await clientOf(world, { fetch })
      assert.equal((await client.ping()).ok, true)
      assert.equal(data(), 2)
      // Timers of Node.js may come a millisecond early.
      assert(cameAt - refusedAt >= 148, `after ${cameAt - refusedAt} ms`)
    })

  test('a sign-in that is refused for now is waited for too', async () => {
    const real = fetchFrom(world)
    let signIns = 0
    const client = await clientOf(world, {
      fetch: (url, init) => {
        if (!isSignIn(new URL(addressOf(url)).pathname)) return real(url, init)
        signIns += 1
        const later = new Response('{"error":"rate_limited","error_description":"Later."}', {
          status: 429,
          headers: { 'Retry-After': '0.02' },
        })
        return signIns < 3 ? Promise.resolve(later) : real(url, init)
      },
    })
    await Promise.all([client.ping(), client.ping()])
    assert.equal(signIns, 3)
  })

  test('the patience bounds all waits of a call together', async () => {
    const waits: number[] = []
    const { fetch, data } = faulty(() => refused(503, { 'Retry-After': '0.04' }))
    const client = await clientOf(world, { fetch, patienceMs: 100, onWait: ({ seconds }) => waits.push(seconds) })
    const error = await refusalOf(client.ping())
    assert.deepEqual([error.code, error.status, error.retryAfterSeconds], ['busy', 503, 0.04])
    assert.deepEqual([data(), waits.length], [3, 2])
  })

  test('the pauses for a window that is used up count too', async () => {
    const waits: number[] = []
    const { fetch, data } = faulty((_, at) =>
      at === 1
        ? Response.json({ ok: true }, { headers: { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '0.5' } })
        : refused(429, { 'Retry-After': '0.5' }),
    )
    const client = await clientOf(world, { fetch, patienceMs: 700, onWait: ({ seconds }) => waits.push(seconds) })
    await client.ping()
    await refusalOf(client.ping())
    assert.deepEqual([data(), waits.length], [2, 1])
  })

  for (const [what, headers] of Object.entries({
    'longer than its patience': { 'Retry-After': '121' },
    'nothing of when to come again': {},
    'something that is no time': { 'Retry-After': 'soon' },
  }))
    test(`told ${what}, it throws at once`, async () => {
      const { fetch, data } = faulty(() => refused(503, headers))
      const client = await clientOf(world, { fetch, onWait: () => assert.fail('no wait') })
      const error = await refusalOf(client.ping())
      assert.equal(error.retryAfterSeconds, what === 'longer than its patience' ? 121 : null)
      assert.equal(data(), 1)
    })

  test('told a date, it waits until then, by the clock of the answer', async () => {
    const dates = { Date: 'Wed, 21 Oct 2026 07:28:00 GMT', 'Retry-After': 'Wed, 21 Oct 2026 07:28:01 GMT' }
    const waits: number[] = []
    const { fetch, data } = faulty((_, at) => (at === 1 ? refused(503, dates) : Response.json({ ok: true })))
    const client = await clientOf(world, { fetch, onWait: ({ seconds }) => waits.push(seconds) })
    await client.ping()
    assert.deepEqual([data(), waits], [2, [1]])
  })

  test('told to come again at once, it does not hammer', async () => {
    const { fetch, data } = faulty(() => refused(503, { 'Retry-After': '0' }))
    const client = await clientOf(world, { fetch, patienceMs: 900 })
    await refusalOf(client.ping())
    assert.equal(data(), 1)
  })

  test('blocked for a quarter of an hour: thrown at once', async () => {
    const { accessKey, securityCode } = await world.makeKey()
    const options = { url: 'https://shop.example', clientId: accessKey, fetch: fetchFrom(world) }
    for (let at = 0; at < 5; at++) await refusalOf(createClient({ ...options, clientSecret: 'wrong' }).ping())
    const client = createClient({ ...options, clientSecret: securityCode, onWait: () => assert.fail('no wait') })
    const error = await refusalOf(client.ping())
    assert.deepEqual([error.code, error.status, error.retryAfterSeconds], ['too_many_attempts', 429, 900])
  })

  test('other refusals are not tried again', async () => {
    for (const status of [400, 403, 404, 500, 502]) {
      const { fetch, data } = faulty(() => refused(status, { 'Retry-After': '0.01' }))
      const error = await refusalOf((await clientOf(world, { fetch })).ping())
      assert.deepEqual([error.status, data()], [status, 1])
    }
  })
})

suite('abort signals', () => {
  test('before a call: nothing is asked', async () => {
    const asked = record()
    const client = await clientOf(world, asked)
    await assert.rejects(client.ping({ signal: AbortSignal.abort(new Error('no')) }), /^Error: no$/)
    assert.deepEqual([asked.signIns(), asked.others()], [0, 0])
  })

  test('during a sign-in and during a request: with the reason of whoever aborts', async () => {
    for (const where of ['/auth/token', '/ping']) {
      const control = new AbortController()
      const real = fetchFrom(world)
      const client = await clientOf(world, {
        fetch: (url, init) => {
          if (!addressOf(url).endsWith(where)) return real(url, init)
          queueMicrotask(() => control.abort(new Error(`enough of ${where}`)))
          return new Promise((_, reject) => {
            init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error))
          })
        },
      })
      await assert.rejects(client.ping({ signal: control.signal }), new RegExp(`^Error: enough of ${where}$`))
    }
  })

  test('during a wait: at once, and nothing more is asked', async () => {
    const control = new AbortController()
    const { fetch, data } = faulty(() => refused(429, { 'Retry-After': '100' }))
    const client = await clientOf(world, { fetch, onWait: () => queueMicrotask(() => control.abort(new Error('no'))) })
    await assert.rejects(client.ping({ signal: control.signal }), /^Error: no$/)
    assert.equal(data(), 1)
  })

  test('every function takes one', async () => {
    const client = await clientOf(world)
    const signal = AbortSignal.abort(new Error('no'))
    const calls = {
      list: client.list('stores', { signal }),
      get: client.get('stores', 1, { signal }),
      pages: exhaust(client.pages('stores', { signal })),
      records: exhaust(client.records('stores', { signal })),
      follow: exhaust(client.follow({ signal })),
      status: client.status({ signal }),
      ping: client.ping({ signal }),
    }
    for (const [name, call] of Object.entries(calls)) await assert.rejects(call, /^Error: no$/, name)
  })
})
