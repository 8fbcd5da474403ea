// All errors are of one class: a refusal of the service, in both its formats, or the reason why it could not be reached.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { createClient, VitrineError, type ClientOptions } from '../../client/index.ts'
import type { PullOptions } from '../../client/pull/options.ts'
import { explain } from '../../client/pull/explain.ts'
import { addressOf, clientOf } from '../support/client.ts'
import { createWorld, type World } from '../support/world.ts'

async function refusalOf(work: Promise<unknown>): Promise<VitrineError> {
  const error = await work.then(
    () => assert.fail('it was to be refused'),
    (reason: unknown) => reason,
  )
  assert(error instanceof VitrineError, String(error))
  assert.equal(error.name, 'VitrineError')
  return error
}

const inClear: typeof fetch = (url, init) => fetch(addressOf(url).replace('https:', 'http:'), init)

// Real sockets, in clear: a client takes https alone.
async function against(
  answer: RequestListener,
  act: (client: ReturnType<typeof createClient>, port: number) => Promise<void>,
  options: Partial<ClientOptions> = {},
) {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  try {
    const url = `https://127.0.0.1:${port}`
    await act(createClient({ url, clientId: 'k', clientSecret: 's', fetch: inClear, ...options }), port)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const silent: RequestListener = () => {}
const halting: RequestListener = (_, response) => void response.writeHead(200).write('{"status":')

suite('what the service says', () => {
  let world: World
  before(async () => {
    world = await createWorld()
  })
  after(() => world.close())

  test('every fault of a request, with its sentence, and the id under which it is in the log', async () => {
    const client = await clientOf(world)
    const error = await refusalOf(client.list('invoices', { date_from: '2026-02-30', per_page: 500 }))
    assert.deepEqual([error.code, error.status], ['invalid_parameter', 400])
    assert.deepEqual(error.details.map(({ parameter }) => parameter).toSorted(), ['date_from', 'per_page'])
    for (const { parameter, message } of error.details) assert(error.message.includes(`${parameter}: ${message}`))
    assert(world.logged.some((line) => line['request_id'] === error.requestId && error.requestId !== null))
    assert.deepEqual([error.retryAfterSeconds, error.cause], [null, undefined])
  })

  test('a sign-in is refused in the format of OAuth', async () => {
    const client = await clientOf(world, { scope: ['nothing:read'] })
    const error = await refusalOf(client.ping())
    assert.deepEqual([error.code, error.status, error.details], ['invalid_scope', 400, []])
    assert.match(error.message, /^[A-Z].*\.$/)
    assert.match(error.requestId ?? '', /^[\w-]{8,}$/)
  })

  test('a record that is not there', async () => {
    const client = await clientOf(world)
    const error = await refusalOf(client.get('invoices', 5))
    assert.deepEqual([error.code, error.status], ['not_found', 404])
  })
})

suite('addresses', () => {
  const options = { clientId: 'k', clientSecret: 's' }
  const asked = async (url: string) => {
    let seen = ''
    const fetch: typeof globalThis.fetch = (target) => {
      seen = addressOf(target)
      return Promise.resolve(Response.json({}))
    }
    await createClient({ ...options, url, fetch }).status()
    return seen
  }

  test('in clear: refused before anything is sent, as is what is no address', () => {
    for (const url of ['http://shop.example', 'shop.example', '', 'ftp://shop.example', 'file:///etc/passwd'])
      assert.throws(
        () => createClient({ ...options, url }),
        (error) =>
          error instanceof VitrineError && error.code === 'invalid_address' && error.message.includes(`"${url}"`),
      )
    for (const url of ['ftp://u:hunter2@h', 'u:a@hunter2@h', 'http://u:a:hunter2@h'])
      assert.throws(() => createClient({ ...options, url }), /^VitrineError: "\*\*\*@h" is not the address/)
  })

  test('with and without the path', async () => {
    for (const url of ['https://shop.example:8443', 'https://shop.example:8443/', 'https://shop.example:8443/api/v1/'])
      assert.equal(await asked(url), 'https://shop.example:8443/api/v1/status')
    assert.equal(await asked('https://shop.example/pos/api/v1'), 'https://shop.example/pos/api/v1/status')
  })
})

suite('what is not the service, or nobody', () => {
  test('an answer that is no JSON', async () => {
    await against(
      (_, response) => response.end('<html>Welcome to our hotel</html>'),
      async (client, port) => {
        const error = await refusalOf(client.status())
        assert.deepEqual([error.code, error.status], ['unexpected_answer', 200])
        assert.equal(error.message, `127.0.0.1:${port} answered with something that is not JSON.`)
        assert(error.cause instanceof SyntaxError)
      },
    )
  })

  test('a refusal that is no JSON, as of a proxy in between', async () => {
    for (const body of ['<h1>Bad gateway</h1>', 'null', '[]', '""', '{"error":null}'])
      await against(
        (_, response) => response.writeHead(502).end(body),
        async (client) => {
          const error = await refusalOf(client.status())
          assert.deepEqual([error.code, error.status, error.requestId], ['unexpected_answer', 502, null])
          assert.equal(error.message, 'The answer was 502.')
        },
      )
  })

  test('a sign-in without a token', async () => {
    for (const body of ['{}', 'null', '{"access_token":7}'])
      await against(
        (_, response) => response.end(body),
        async (client) => assert.equal((await refusalOf(client.ping())).code, 'unexpected_answer'),
      )
  })

  test('JSON that is no answer of this service', async () => {
    for (const body of ['null', '7', '{}', '{"data":5}'])
      await against(
        (request, response) => response.end(request.url?.endsWith('/token') ? '{"access_token":"t"}' : body),
        async (client) => {
          assert.equal((await refusalOf(client.list('stores'))).code, 'unexpected_answer')
          if (body !== '{"data":5}') assert.equal((await refusalOf(client.get('stores', 1))).code, 'unexpected_answer')
        },
      )
  })

  test('a redirect is not followed: it would carry the token to somebody else', async () => {
    let asked = 0
    await against(
      (_, response) => {
        asked += 1
        response.writeHead(302, { Location: '/elsewhere' }).end()
      },
      async (client) => {
        const error = await refusalOf(client.status())
        assert.deepEqual([error.code, asked], ['network_error', 1])
        assert.match(error.message, /redirect/)
      },
    )
  })

  test('nobody there: with the reason that is behind "fetch failed"', async () => {
    let port = 0
    await against(
      (_, response) => response.end(),
      async (_client, used) => {
        port = used
      },
    )
    const client = createClient({ url: `https://127.0.0.1:${port}`, clientId: 'k', clientSecret: 's' })
    const error = await refusalOf(client.status())
    assert.deepEqual([error.code, error.status], ['network_error', 0])
    assert.match(error.message, new RegExp(`^127.0.0.1:${port} could not be reached: .*ECONNREFUSED`))
    assert.notEqual(error.cause, undefined)
  })

  test('a connection that is cut', async () => {
    await against(
      (request) => request.socket.destroy(),
      async (client) => {
        const error = await refusalOf(client.status())
        assert.equal(error.code, 'network_error')
        assert.doesNotMatch(error.message, /fetch failed/)
      },
    )
  })

  test('no answer in time, or only a part of one', async () => {
    for (const answer of [silent, halting])
      await against(
        answer,
        async (client, port) => {
          const error = await refusalOf(client.status())
          assert.deepEqual([error.code, error.status], ['timed_out', 0])
          assert.equal(error.message, `127.0.0.1:${port} did not answer within 0.05 seconds.`)
        },
        { timeoutMs: 50 },
      )
  })

  test('one second is singular', () => {
    const blocked = new VitrineError('blocked', { code: 'too_many_attempts', retryAfterSeconds: 1 })
    const options = {
      target: { kind: 'files', path: '' },
      clientId: '',
      certificate: null,
    } as unknown as PullOptions
    assert.match(explain(blocked, options), /for another 1 second\. /)
  })

  test('aborted while the answer comes: the reason of whoever aborts', async () => {
    const control = new AbortController()
    await against(
      (_, response) => {
        response.writeHead(200).write('{"status":')
        setTimeout(() => control.abort(new Error('enough')), 20)
      },
      async (client) => {
        await assert.rejects(client.status({ signal: control.signal }), /^Error: enough$/)
      },
    )
  })
})
