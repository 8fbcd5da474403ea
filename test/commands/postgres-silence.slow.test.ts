// A network to PostgreSQL that falls silent instead of breaking: waiting requests get 503 in time, new connections are made
// as soon as it works again, and nothing waits forever, neither a request nor the end of the service.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { PostgresFailure } from '../../src/platform/postgres/connection.ts'
import { createPool } from '../../src/platform/postgres/pool.ts'
import { parsePostgresUrl } from '../../src/platform/postgres/url.ts'
import { makeCompanyAt, urlWith } from '../support/own-company.ts'
import { dropSchemas, makeSchema, sharedPostgresUrl } from '../support/postgres.ts'
import { startServer, until, type Server } from '../support/process.ts'
import { startProxy, type Proxy } from '../support/silent-proxy.ts'

const paths = ['/ping', '/stores']
// What a request may take (see postgres-lost.slow.test.ts), and a second more until a silent connection is given up.
const recoveryMs = 10_000

let proxy: Proxy
let server: Server
let token = ''
let data = ''
let state = ''
before(async () => {
  const shared = new URL(await sharedPostgresUrl())
  proxy = await startProxy({ host: shared.hostname, port: Number(shared.port || 5432) })
  const [pos, own] = await Promise.all([makeSchema('pos'), makeSchema('state')])
  await pos.query(`DROP SCHEMA ${pos.name}`)
  await makeCompanyAt(pos.url, { stores: [{ id: 1, name: 'Main' }] })
  data = urlWith(pos.url, { hostname: '127.0.0.1', port: String(proxy.port) })
  state = urlWith(own.url, { hostname: '127.0.0.1', port: String(proxy.port) })
  server = await startServer({ prepare: () => {}, settings: settings() })
  token = await server.token()
})
after(async () => {
  proxy?.cut()
  await server?.remove()
  await proxy?.close()
  await dropSchemas()
})

const settings = () => ({
  VITRINE_DATABASE_URL: data,
  VITRINE_STATE_URL: state,
  VITRINE_STATEMENT_TIMEOUT_MS: '1000',
  VITRINE_READERS: '2',
})

const askAll = () => Promise.all([...paths, ...paths].map((path) => server.ask(path, { token })))
const isWell = async () => (await askAll()).every(({ status }) => status === 200)

/** From now on until all is well, only 200 and 503 are seen. */
async function assertRecovery() {
  const startedAt = performance.now()
  const seen = new Set<number>()
  await until('all is well', async () => {
    const answers = await askAll()
    for (const { status } of answers) seen.add(status)
    return answers.every(({ status }) => status === 200)
  })
  const ms = performance.now() - startedAt
  assert.ok(ms < recoveryMs, `${ms} ms`)
  assert.deepEqual(
    [...seen].filter((status) => status !== 200 && status !== 503),
    [],
  )
}

const assertFailure = (error: unknown) => assert.ok(error instanceof PostgresFailure)

describe('a way that falls silent', { concurrency: true }, () => {
  describe('under a service', { concurrency: 1 }, () => {
    test('connections that fall silent are given up, and new ones are made', async () => {
      await until('all is well', isWell)
      proxy.silence()
      await assertRecovery()
    })

    test('a connection that falls silent before it is ready is given up, and new ones are made', async () => {
      await until('all is well', isWell)
      // How every session begins.
      proxy.silenceAt('SET search_path')
      proxy.cut()
      await until('nothing is served', async () => (await askAll()).every(({ status }) => status === 503))
      proxy.silenceAt(null)
      await assertRecovery()
    })

    test('a service that has silent connections ends all the same', async () => {
      const ending = await startServer({ prepare: () => {}, settings: settings() })
      proxy.silence()
      const startedAt = performance.now()
      const { status } = await ending.stop()
      const ms = performance.now() - startedAt
      await ending.remove()
      assert.equal(status, 0)
      assert.ok(ms < recoveryMs, `${ms} ms`)
    })
  })

  test('a server that takes connections and says nothing is known to be lost, however the attempts follow each other', async () => {
    const mute = createServer()
    await once(mute.listen(0, '127.0.0.1'), 'listening')
    const { port } = mute.address() as AddressInfo
    const parsed = parsePostgresUrl(`postgres://nobody:nothing@127.0.0.1:${port}/none`, 'public', '/')
    assert.ok('value' in parsed)
    let losses = 0
    const onLost = () => (losses += 1)
    const pool = createPool({
      url: parsed.value,
      size: 2,
      setUp: '',
      waitMs: 1000,
      workMs: 1000,
      onLost,
      onBack: () => {},
    })
    try {
      // An attempt lasts two seconds: with this, there is always another one on its way.
      await wait(1000)
      await until('it is known to be lost', async () => {
        await Promise.all([1, 2, 3].map(() => pool.use(async () => assert.fail('served')).catch(assertFailure)))
        return losses > 0
      })
      await Promise.all(
        [1, 2, 3].map(() =>
          assert.rejects(
            pool.use(async () => {}),
            PostgresFailure,
          ),
        ),
      )
      assert.equal(losses, 1)
    } finally {
      await pool.close()
      mute.close()
    }
  })
})
