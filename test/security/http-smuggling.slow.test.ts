// Requests that hide a second one, which must never be answered as a separate request: over TLS, on the plain port, and
// behind nginx, where the next caller on the shared connection would get another caller's answer.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startServer, type Server } from '../support/process.ts'
import { exchange, type RawTarget } from '../support/raw.ts'
import { told } from '../support/how-much.ts'
import { common, payloads, prefix } from './smuggling-payloads.ts'
import { nginxMissing, startNginx } from '../support/nginx.ts'

let server: Server
let token: string
before(async () => {
  server = await startServer({
    rows: { stores: Array.from({ length: payloads.length + 1 }, (_, id) => ({ id, name: `Store ${id}` })) },
    settings: { VITRINE_ANONYMOUS_RATE: '1000000', VITRINE_TRUST_PROXY: '127.0.0.1' },
  })
  token = await server.token()
})
after(() => server.remove())

const get = (path: string, ...headers: string[]) => `GET ${prefix}${path} HTTP/1.1\r\n${common}${headers.join('')}\r\n`
const authorization = () => `Authorization: Bearer ${token}\r\n`
const close = 'Connection: close\r\n'

/** Many at once, so that those who wait for a time limit do not wait one after the other. */
async function inParallel<Item>(
  items: readonly Item[],
  atOnce: number,
  act: (item: Item, at: number) => Promise<void>,
) {
  const left = items.entries()
  const work = async () => {
    for (const [at, item] of left) await act(item, at)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

async function logged(): Promise<Record<string, unknown>[]> {
  await server.lineOf(await server.ask('/status'))
  return server.logged()
}

// If the body is not read, the answer may come before the fault in it, and ends the connection.
const mayBe = { head: /^4\d\d$/, body: /^(200|4\d\d)$/ } as const

async function checkDirect(target: RawTarget, way: string) {
  const from = (await logged()).length
  const wrong: string[] = []
  await inParallel(payloads, 8, async ({ name, malformed, text }, at) => {
    // Its answer would hold the name of a store, its line in the log a path that no other request has.
    const hidden = get(`/stores/${at + 1}`, authorization())
    const sent = text(hidden) + get('/last', close)
    const answers = await exchange(target, sent)
    const statuses = answers.map(({ status }) => status).join()
    const isHiddenAnswered = answers.some((answer) => answer.text.includes('Store '))
    if (isHiddenAnswered || answers.length === 0) wrong.push(`${name}: ${statuses}, hidden ${isHiddenAnswered}`)
    else if (malformed && (!mayBe[malformed].test(statuses) || answers.at(-1)?.headers['connection'] !== 'close'))
      wrong.push(`${name}: ${statuses}, and it is not HTTP`)
    // A body that is not read ends the connection; one that is read does not.
    else if (!malformed && !/^(200|4\d\d)(,404)?$/.test(statuses)) wrong.push(`${name}: ${statuses}`)
    for (const { headers } of answers) if (!headers['x-request-id']) wrong.push(`${name}: no request id`)
  })
  const paths = (await logged()).slice(from).map((line) => String(line['path']))
  const smuggled = paths.filter((path) => path.startsWith(`${prefix}/stores/`))
  told(`smuggling: ${payloads.length} payloads ${way}, ${smuggled.length} hidden requests were read`)
  assert.deepEqual({ wrong, smuggled }, { wrong: [], smuggled: [] })
}

test(`at least 200 payloads, each once`, () => {
  assert.ok(payloads.length >= 200)
  assert.equal(new Set(payloads.map(({ name }) => name)).size, payloads.length)
})

test('what is hidden is found when it is not hidden: the request after a right one is answered', async () => {
  for (const isTls of [true, false]) {
    const target = { port: isTls ? server.https : server.http, isTls }
    const answers = await exchange(target, get('/status') + get('/stores/1', authorization()) + get('/last', close))
    assert.deepEqual(
      answers.map(({ status, body }) => `${status} ${body.data?.name ?? ''}`),
      ['200 ', '200 Store 1', '404 '],
    )
  }
})

test('over TLS, a hidden request is never answered, and what is not HTTP ends the connection', () =>
  checkDirect({ port: server.https, isTls: true }, 'over TLS'))

test('on the plain port, a hidden request is never answered, and what is not HTTP ends the connection', () =>
  checkDirect({ port: server.http, isTls: false }, 'on the plain port'))

test('in clear on the TLS port, a hidden request is never answered, and every connection ends', () =>
  checkDirect({ port: server.https, isTls: false }, 'in clear on the TLS port'))

test('behind nginx, everybody reads the answer to their own request', { skip: nginxMissing() }, async () => {
  const nginx = await startNginx(server)
  try {
    const target = { port: nginx.port, isTls: true }
    const from = (await logged()).length
    const wrong: string[] = []
    await inParallel(payloads, 4, async ({ name, text }, at) => {
      // nginx parses some of these differently, and may take the hidden request for the sender's next one: the sender may have
      // that answer. But we must not read a request that nginx has not sent.
      await exchange(target, text(get('/nowhere/hidden', authorization())) + get('/nowhere/last', close)).catch(
        () => [],
      )
      const [victim, ...more] = await exchange(target, get(`/stores/${at + 1}`, authorization(), close))
      if (victim?.status !== 200 || victim.body.data.name !== `Store ${at + 1}` || more.length > 0)
        wrong.push(`after ${name}: ${victim?.status} ${victim?.text}`)
    })
    const ours = (await logged()).slice(from).filter((line) => line['request_id'] && line['event'] === 'request')
    const sent = new Map(nginx.requests().map(({ id, path }) => [id, path]))
    const behind = ours.filter((line) => line['path'] !== `${prefix}/status` || sent.has(String(line['request_id'])))
    const unasked = behind.filter(
      (line) => sent.get(String(line['request_id']))?.split('?')[0] !== line['path'] && line['hung_up'] !== true,
    )
    const connections = nginx.connections()
    told(
      `smuggling: ${payloads.length} payloads behind nginx, which sent ${sent.size} requests on ${connections} connections`,
    )
    assert.deepEqual({ wrong, unasked }, { wrong: [], unasked: [] })
    assert.ok(connections < sent.size * 0.75, 'nginx shares connections')
  } finally {
    await nginx.stop()
  }
})
