// Statements that take longer than VITRINE_STATEMENT_TIMEOUT_MS: answered with 503 in time, really stopped, and without
// a trace in the process.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { permissions } from '../../src/catalogue/permissions.ts'
import { findResource } from '../../src/catalogue/resources/index.ts'
import { startEngine } from '../../src/engine/open.ts'
import { createLog } from '../../src/platform/log.ts'
import { planList } from '../../src/query/plan-list.ts'
import { tableStatements } from '../../src/sql/schema.ts'
import { sqliteSchema } from '../../src/sql/sqlite-schema.ts'
import { openSqlite } from '../../src/platform/sqlite.ts'
import { makePos } from '../support/pos.ts'
import {
  assertCommonHeaders,
  meanwhile,
  startServer,
  temporaryFolder,
  until,
  type Answer,
  type Server,
} from '../support/process.ts'
import { makeSlowPos } from '../support/slow-pos.ts'

const timeoutMs = 120
const slowTarget = '/customers?search=zz'
// Busy cores may add to it; what is not stopped takes a quarter of an hour.
const mostMs = 15_000
const noProc = existsSync('/proc/self/stat') ? false : 'there is no /proc here'

let server: Server
let token = ''
before(async () => {
  const relations =
    'customers vendors transfers departments invoice_lines payment_applications product_prices product_stock'
  const others = {
    stores: [{ id: 1, name: 'Main' }],
    price_lists: [{ id: 1, name: 'First' }],
    products: [{ id: 1, name: 'Nail', active: true, department_id: 5 }],
    invoices: [{ id: 1, kind: 1, status: 3, number: 'A' }],
    payments: [{ id: 1, status: 3, number: 'P' }],
  }
  server = await startServer({
    prepare: (folder) => makeSlowPos(folder, { rows: 1_000_000_000, relations: relations.split(' '), others }),
    settings: { VITRINE_STATEMENT_TIMEOUT_MS: String(timeoutMs), VITRINE_READERS: '2' },
  })
  token = await server.token()
})
after(() => server.remove())

async function timed(target: string): Promise<{ answer: Answer; ms: number }> {
  const startedAt = performance.now()
  const answer = await server.ask(target, { token })
  return { answer, ms: performance.now() - startedAt }
}

function assertStopped({ answer, ms }: { answer: Answer; ms: number }) {
  assert.deepEqual([answer.status, answer.body?.error?.code], [503, 'temporarily_unavailable'], answer.text)
  assert.ok(Number(answer.headers['retry-after']) >= 1)
  assertCommonHeaders(answer.headers)
  assert.ok(ms >= timeoutMs - 5 && ms < mostMs, `${ms} ms`)
}

// Hundredths of a second of processor time, of all threads.
function processorTime(): number {
  const fields = readFileSync(`/proc/${server.child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return Number(fields[11]) + Number(fields[12])
}

const idle = () =>
  until('the process is idle', async () => {
    const before = processorTime()
    await wait(200)
    return processorTime() - before <= 2
  })

// A stopped reader is replaced, which takes a moment: its successor may still be starting when it is asked.
const readersBack = () =>
  until('every reader works again', async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => server.ask('/stores', { token })))
    return answers.every(({ status }) => status === 200)
  })

const counts = () => {
  const folder = `/proc/${server.child.pid}`
  return { threads: readdirSync(join(folder, 'task')).length, files: readdirSync(join(folder, 'fd')).length }
}

const slow: readonly { name: string; target: string }[] = [
  { name: 'a search', target: slowTarget },
  { name: 'a list in its default order', target: '/vendors' },
  { name: 'a list in another order', target: '/transfers?sort=-updated_at,id' },
  { name: 'a page far behind', target: '/departments?page=10000&per_page=100' },
  { name: 'a record that is not there', target: '/vendors/1' },
  { name: 'the lines of a record', target: '/invoices/1' },
  { name: 'what a payment was applied to', target: '/payments/1' },
  { name: 'stock, prices and department of a product', target: '/products/1' },
  { name: 'stock, prices and departments in a list', target: '/products' },
]

for (const { name, target } of slow) {
  test(
    `deadline: ${name} that takes too long is answered with 503 in time, and really stopped`,
    { skip: noProc },
    async () => {
      await readersBack()
      assertStopped(await timed(target))
      await idle()
    },
  )
}

test('deadline: everything else is answered meanwhile', async () => {
  // With time enough for busy cores to answer the others.
  const settings = { VITRINE_STATEMENT_TIMEOUT_MS: '2000', VITRINE_READERS: '2' }
  const patient = await startServer({ folder: server.data, settings })
  const seen: number[] = []
  const late = await meanwhile(patient.ask(slowTarget, { token }), async () => {
    const answers = await Promise.all([
      patient.ask('/status'),
      patient.ask('/ping', { token }),
      patient.ask('/stores', { token }),
    ])
    seen.push(...answers.map(({ status }) => status))
    await wait(100)
  })
  await patient.stop()
  assert.equal(late.status, 503)
  assert.deepEqual([...new Set(seen)], [200])
})

test('deadline: stopped readers are replaced, both of them', async () => {
  await readersBack()
  const all = await Promise.all([timed(slowTarget), timed(slowTarget)])
  all.forEach(assertStopped)
  await readersBack()
})

test(
  'deadline: twenty statements that were stopped leave no thread and no descriptor behind',
  { skip: noProc },
  async () => {
    assertStopped(await timed(slowTarget))
    await readersBack()
    await idle()
    const before = counts()
    for (let count = 0; count < 10; count++) {
      await readersBack()
      const both = await Promise.all([timed(slowTarget), timed('/invoices/1')])
      both.forEach(assertStopped)
    }
    await until('everything is as before', () => {
      const now = counts()
      return now.threads <= before.threads && now.files <= before.files + 2
    })
    await readersBack()
    await idle()
  },
)

function makeLargePos(folder: string): void {
  const path = join(folder, 'pos.db')
  makePos(path, {}, tableStatements(sqliteSchema))
  const database = openSqlite(path)
  database.exec(`
    PRAGMA synchronous = OFF;
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 600000)
    INSERT INTO customers (id, name, company_name, email, active)
      SELECT n, 'Customer ' || n, n * 7919 || ' & Sons', n || '@example.org', 1 FROM numbers`)
  database.close()
}

describe('deadline: settings', () => {
  test('a search through a real table that is too large is stopped too, and found with more time', async () => {
    const settings = { VITRINE_READERS: '1' }
    const quick = await startServer({
      prepare: makeLargePos,
      settings: { ...settings, VITRINE_STATEMENT_TIMEOUT_MS: '100' },
    })
    const bearer = await quick.token()
    const stopped = await quick.ask('/customers?search=zz', { token: bearer })
    await quick.stop()
    const patient = await startServer({
      folder: quick.data,
      settings: { ...settings, VITRINE_STATEMENT_TIMEOUT_MS: '60000' },
    })
    const found = await patient.ask('/customers?search=zz', { token: bearer })
    await patient.remove()
    assert.deepEqual([stopped.status, found.status, found.body.meta?.total], [503, 200, 0])
  })

  test('a deadline shorter than a reader takes to start does not stop the service for good', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'pos.db')
    makePos(path, { stores: [{ id: 1, name: 'Main' }] })
    const log = createLog('silent', () => {})
    // Less than the settings allow.
    const engine = await startEngine({ kind: 'sqlite', path }, { readers: 1, statementTimeoutMs: 60, log })
    const stores = findResource('stores')
    assert(stores)
    const planned = planList(stores, '', { permissions, stores: null, priceList: null })
    assert('plan' in planned)
    try {
      // Repeated requests do not keep a reader from starting.
      await until('a list is answered', () => engine.list(planned.plan).catch(() => undefined))
    } finally {
      await engine.close()
      rmSync(folder, { recursive: true })
    }
  })
})
