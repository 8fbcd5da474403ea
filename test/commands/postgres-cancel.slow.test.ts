// Statements whose answer is no longer wanted: after the statement timeout, or when the caller hangs up, they are cancelled
// on the server, and no other statement is.
import assert from 'node:assert/strict'
import { Agent } from 'node:https'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { permissions } from '../../src/catalogue/permissions.ts'
import { findResource } from '../../src/catalogue/resources/index.ts'
import { startEngine } from '../../src/engine/open.ts'
import { createLog } from '../../src/platform/log.ts'
import { planList } from '../../src/query/plan-list.ts'
import { parsePostgresUrl } from '../../src/platform/postgres/url.ts'
import { atOnce } from '../support/grants.ts'
import { connectHttp2, overHttp1, overSession, overStream, streamOf } from '../support/hang-up.ts'
import {
  asleep,
  atWork,
  makeCompanyAt,
  makeReader,
  queryOf,
  runningOf,
  scriptOn,
  slowDown,
  urlWith,
} from '../support/own-company.ts'
import { dropSchemas, makeSchema } from '../support/postgres.ts'
import { assertCommonHeaders, startServer, until, type Server } from '../support/process.ts'
import { startProxy, type Proxy } from '../support/silent-proxy.ts'

const readers = 4
const timeoutMs = 700
// What is not stopped takes ten minutes; busy cores may add seconds.
const mostMs = 8000

let admin = ''
let role = ''
let url = ''
let proxy: Proxy
// One with a deadline, and one on the same state with so long a one that nothing but a hang-up stops a statement.
let hurried: Server
let patient: Server
let token = ''
// A token of another key: one key alone never takes the last connection.
let second = ''
before(async () => {
  const schema = await makeSchema('pos')
  await schema.query(`DROP SCHEMA ${schema.name}`)
  admin = schema.url
  role = `reader_${schema.name}`
  await makeCompanyAt(admin, { stores: [{ id: 1, name: 'Main' }], invoices: [{ id: 1, kind: 1, status: 3 }] })
  await slowDown(admin, 'customers', asleep(600))
  await slowDown(admin, 'vendors', atWork)
  await slowDown(admin, 'invoice_lines', asleep(600))
  await slowDown(admin, 'departments', asleep(0.004))
  await slowDown(admin, 'transfers', asleep(1))
  url = await makeReader(admin, role)
  hurried = await startServer({ prepare: () => {}, settings: settings(timeoutMs) })
  // A long way: a hang-up comes at every moment between two statements, and many a request to cancel is late.
  const { hostname, port } = new URL(admin)
  proxy = await startProxy({ host: hostname, port: Number(port || 5432) }, { answersMs: 3, cancelsMs: 12 })
  const faraway = urlWith(url, { hostname: '127.0.0.1', port: String(proxy.port) })
  patient = await startServer({
    folder: hurried.data,
    settings: { ...settings(60_000), VITRINE_DATABASE_URL: faraway },
  })
  token = await hurried.token()
  second = await hurried.token()
})
after(async () => {
  await patient?.stop()
  await hurried?.remove()
  await proxy?.close()
  if (role) {
    // What ran on would hold its relations.
    await queryOf(admin, 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1', [role])
    await scriptOn(admin, `DROP OWNED BY ${role}; DROP ROLE ${role}`)
  }
  await dropSchemas()
})

const settings = (statementTimeoutMs: number) => ({
  VITRINE_DATABASE_URL: url,
  VITRINE_STATE_URL: 'sqlite:state.db',
  VITRINE_STATEMENT_TIMEOUT_MS: String(statementTimeoutMs),
  VITRINE_READERS: String(readers),
})

const running = (count: number) =>
  until(`${count} statements run`, async () => {
    // The look at a replica's lag is a statement, too.
    const found = (await runningOf(admin, role)).filter(([, query]) =>
      /customers|vendors|invoice_lines/.test(String(query)),
    )
    return found.length === count
  })

const timed = async <Value>(work: Promise<Value>) => {
  const startedAt = performance.now()
  const value = await work
  return { value, ms: performance.now() - startedAt }
}

describe('a statement that takes too long', { concurrency: 1 }, () => {
  for (const [name, target] of [
    ['that sleeps', '/customers'],
    ['that works', '/vendors'],
    ['for the lines of a record', '/invoices/1'],
  ] as const)
    test(`${name}: 503 after the timeout, and it is gone from the server`, async () => {
      const { value: answer, ms } = await timed(hurried.ask(target, { token }))
      assert.deepEqual([answer.status, answer.body.error?.code], [503, 'temporarily_unavailable'], answer.text)
      assert.match(String(answer.headers['retry-after']), /^[1-9]\d*$/)
      assertCommonHeaders(answer.headers)
      assert.ok(ms >= timeoutMs - 5 && ms < mostMs, `${ms} ms`)
      assert.equal((await hurried.lineOf(answer))['level'], 'error')
      const gone = await timed(running(0))
      assert.ok(gone.ms < mostMs, `it ran on for ${gone.ms} ms`)
      assert.equal((await hurried.ask('/stores', { token })).status, 200)
    })

  test('is stopped by the server when the service was killed', async () => {
    const killed = await startServer({ folder: hurried.data, settings: settings(2000) })
    const slow = killed.ask('/customers', { token }).catch((error: unknown) => error)
    await running(1)
    await killed.stop('SIGKILL')
    assert.ok((await slow) instanceof Error)
    const gone = await timed(running(0))
    assert.ok(gone.ms < mostMs, `it ran on for ${gone.ms} ms`)
  })
})

const target = () => ({ server: patient, token })
const linesOf = (path: string) =>
  patient.logged().filter((line) => line['event'] === 'request' && line['path'] === `/api/v1${path}`)

const listOf = (name: string) => {
  const resource = findResource(name)
  assert(resource)
  const planned = planList(resource, '', { permissions, stores: null, priceList: null })
  assert('plan' in planned)
  return planned.plan
}

describe('a caller that hangs up', { concurrency: 1 }, () => {
  for (const [name, ask] of [
    ['HTTP/1.1', overHttp1],
    ['a stream of HTTP/2', overStream],
    ['a whole connection of HTTP/2', overSession],
  ] as const)
    test(`${name}: its statement is stopped at once, and that is no error`, async () => {
      const before = linesOf('/customers').length
      const hangUp = ask(target(), '/customers')
      await running(1)
      hangUp()
      const gone = await timed(running(0))
      assert.ok(gone.ms < mostMs, `it ran on for ${gone.ms} ms`)
      const line = await until('it is logged', () => linesOf('/customers')[before])
      assert.deepEqual([line['level'], line['hung_up']], ['info', true])
      assert.ok(!patient.stdout().includes('statement_stopped'))
      assert.equal((await patient.ask('/stores', { token })).status, 200)
    })

  test('while it waits for a connection: it is dropped, and those it waited for go on', async () => {
    const busy = Array.from({ length: readers }, (_, at) =>
      overHttp1(at === 0 ? { ...target(), token: second } : target(), `/customers?page=${1 + at}`),
    )
    await running(readers)
    const hangUp = overHttp1(target(), '/departments')
    // It has been let in and waits: nothing tells of that from outside but the time.
    await wait(200)
    hangUp()
    const line = await until('it is logged', () => linesOf('/departments')[0])
    assert.deepEqual([line['level'], line['hung_up']], ['info', true])
    await running(readers)
    for (const each of busy) each()
    await running(0)
    assert.equal((await patient.ask('/stores', { token })).status, 200)
  })

  test('before its turn comes: it is never begun', async () => {
    const parsed = parsePostgresUrl(url, 'public', '/')
    assert('value' in parsed)
    const log = createLog('silent', () => {})
    const options = { readers: 1, statementTimeoutMs: 60_000, log, indexMemoryBytes: 0 }
    const engine = await startEngine(parsed.value, options)
    try {
      await engine.list(listOf('stores'))
      const hangUp = new AbortController()
      // Asked at once, they are handed over together.
      const [first, second] = [
        engine.list(listOf('transfers')),
        engine.list(listOf('customers'), { signal: hangUp.signal }).catch((error: unknown) => error),
      ]
      await wait(300)
      hangUp.abort()
      const { ms } = await timed(Promise.all([first, second]))
      assert.ok((await second) instanceof Error)
      assert.ok(ms < mostMs, `it took ${ms} ms`)
    } finally {
      await engine.close()
    }
  })

  test('at any moment: no other request is hit, and no session is left behind', async () => {
    const agent = new Agent({ keepAlive: true })
    const statuses = new Set<number>()
    let answers = 0
    const stopped = new AbortController()
    const callers = Array.from({ length: 3 }, async () => {
      while (!stopped.signal.aborted) {
        const { status } = await patient.ask('/departments', { token, agent })
        statuses.add(status)
        answers += 1
      }
    })
    const session = connectHttp2(target())
    await atOnce(4, async (caller) => {
      for (let count = 0; count < 50; count += 1) {
        const path = (caller + count) % 5 === 0 ? '/customers' : '/departments'
        const hangUp = count % 3 === 0 ? overHttp1(target(), path) : streamOf(session, target(), path)
        await wait((caller + count * 4) % 50)
        hangUp()
      }
    })
    session.close()
    await until('others were served', () => answers >= 200)
    stopped.abort()
    await Promise.all(callers)
    agent.destroy()
    const refused = patient
      .stdout()
      .split('\n')
      .filter((line) => line.includes('"status":503'))
    assert.deepEqual([...statuses], [200], refused.slice(-4).join('\n'))
    const gone = await timed(running(0))
    assert.ok(gone.ms < mostMs, `one ran on for ${gone.ms} ms`)
    await until('the sessions are those of the pools', async () => {
      const [row] = await queryOf(admin, 'SELECT count(*) FROM pg_stat_activity WHERE usename = $1', [role])
      // Two services, each with one more that checks for changes, and one that loads columns.
      return Number(row?.[0]) <= 2 * (readers + 2)
    })
  })
})
