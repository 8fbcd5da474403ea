// Request smuggling behind nginx, which shares connections to the service among its callers: each caller reads the answer to its own
// request, and the service reads no request that nginx has not sent.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { told } from '../support/how-much.ts'
import { nginxMissing, startNginx } from '../support/nginx.ts'
import { startServer } from '../support/process.ts'
import { exchange } from '../support/raw.ts'
import { anonymousRate, close, get } from './harness.ts'
import { smuggling } from './smuggling.ts'

test('behind nginx every caller reads the answer to its own request', { skip: nginxMissing() }, async () => {
  const server = await startServer({
    rows: { stores: Array.from({ length: 500 }, (_, id) => ({ id, name: `Store ${id}` })) },
    settings: { VITRINE_ANONYMOUS_RATE: String(anonymousRate), VITRINE_TRUST_PROXY: '127.0.0.1' },
  })
  const nginx = await startNginx(server)
  /** The lines of the log, all of them. */
  const logged = async () => {
    await server.lineOf(await server.ask('/status'))
    return server.logged()
  }
  try {
    const authorization = `Authorization: Bearer ${await server.token()}\r\n`
    const before = (await logged()).length
    const target = { port: nginx.port, isTls: true }
    const payloads = smuggling(() => get('/nowhere/hidden', authorization))
    const wrong: string[] = []
    const left = payloads.entries()
    const work = async () => {
      for (const [at, { name, send }] of left) {
        // nginx parses some of these differently, and may take the hidden request for the sender's next one: the sender may have
        // that answer.
        await exchange(target, send).catch(() => [])
        const [victim, ...more] = await exchange(target, get(`/stores/${at}`, authorization, close))
        if (victim?.status !== 200 || victim.body.data.name !== `Store ${at}` || more.length > 0)
          wrong.push(`after ${name}: ${victim?.status} ${victim?.text}`)
      }
    }
    await Promise.all([1, 2, 3, 4].map(work))
    const sent = new Map(nginx.requests().map(({ id, path }) => [id, path.split('?')[0]]))
    const unasked = (await logged()).slice(before, -1).filter((line) => {
      const isRequest = line['event'] === 'request' && line['hung_up'] !== true
      return isRequest && sent.get(String(line['request_id'])) !== line['path']
    })
    const connections = nginx.connections()
    told(
      `smuggling: ${payloads.length} payloads behind nginx, which sent ${sent.size} requests on ${connections} connections`,
    )
    assert.deepEqual({ wrong, unasked }, { wrong: [], unasked: [] })
    assert.ok(connections < sent.size * 0.75, 'nginx shares connections')
  } finally {
    await nginx.stop()
    await server.remove()
  }
})
