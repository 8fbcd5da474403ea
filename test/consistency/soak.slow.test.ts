// Minutes of full load with every kind of request, sign-ins and errors among them, while a till writes: nothing fails, and memory,
// open files and threads stay where they are. Only with VITRINE_TEST_LONG=1; VITRINE_TEST_SOAK_MINUTES says how long.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { findResource, resources } from '../../src/catalogue/resources/index.ts'
import { inTransaction, openSqlite } from '../../src/platform/sqlite.ts'
import { company } from '../support/fixture.ts'
import { isLong, seedOfRun, told } from '../support/how-much.ts'
import { makePos } from '../support/pos.ts'
import { startServer } from '../support/process.ts'
import { figuresOf, median, noProc, type Figures } from '../support/process-figures.ts'
import { behindProxy, newAddress, proxied } from '../support/proxied.ts'

const minutes = Number(process.env['VITRINE_TEST_SOAK_MINUTES'] ?? 10)
const callers = 8
const documents = 30_000
const skip = isLong ? noProc : 'only with VITRINE_TEST_LONG=1'

function makeCompany(folder: string) {
  const path = join(folder, 'pos.db')
  makePos(path, company)
  const database = openSqlite(path)
  database.exec(`PRAGMA synchronous = OFF;
    WITH RECURSIVE numbers (n) AS (SELECT 1000 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${documents + 999})
    INSERT INTO invoices (id, kind, number, store_id, date, customer_id, customer_name, status, total, currency, updated_at)
    SELECT n, 1, 'N' || n, n % 3 + 1, '2024-01-01T08:00:00', n % 40, 'Customer ' || (n * 7919 % 1000), 4, n / 7.0, 'USD',
      strftime('%Y-%m-%dT%H:%M:%S', 1700000000 + n * 60, 'unixepoch') FROM numbers`)
  database.close()
}

/** A sale is made, one is changed, and an old one goes, in one transaction. */
function startTill(path: string) {
  const database = openSqlite(path, { lockTimeoutMs: 10_000 })
  const over = new AbortController()
  let sales = 0
  const work = (async () => {
    while (!over.signal.aborted) {
      const id = 1_000_000 + sales
      inTransaction(database, 'BEGIN IMMEDIATE', () =>
        database.exec(`INSERT INTO invoices (id, kind, number, store_id, date, status, total, currency, updated_at)
            VALUES (${id}, 1, 'S${id}', 1, '2026-01-01T10:00:00', 4, 10, 'USD', '2026-01-01T10:00:00');
          INSERT INTO invoice_lines (id, invoice_id, name, quantity) VALUES (${id}, ${id}, 'Nail', 2);
          UPDATE products SET updated_at = '2026-01-01T10:00:${String(sales % 60).padStart(2, '0')}' WHERE id = 1;
          DELETE FROM invoice_lines WHERE id = ${id - 500}; DELETE FROM invoices WHERE id = ${id - 500}`),
      )
      sales += 1
      await wait(40)
    }
    database.close()
  })()
  return {
    sales: () => sales,
    async stop() {
      over.abort()
      await work
    },
  }
}

const of = (part: readonly Figures[], what: keyof Figures) => median(part.map((each) => each[what]))

// The same seed asks the same things in the same order, each caller for itself.
function randomFrom(seed: number) {
  let state = seed >>> 0
  return (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const names = resources.map(({ name }) => name)
const searched = names.filter((name) => (findResource(name)?.search ?? []).length > 0)

test(
  `soak: ${minutes} minutes of every kind of request`,
  { skip, timeout: (minutes + 5) * 60_000 },
  async (context) => {
    const server = await startServer({ prepare: makeCompany, settings: behindProxy })
    context.after(() => server.remove())
    const key = await server.makeKey('--rate', '1000000')
    const narrow = await server.makeKey('--rate', '1000000', '--stores', '1,2')
    const [token, other] = [await server.tokenOf(key), await server.tokenOf(narrow)]
    const via = proxied(server)
    const till = startTill(join(server.data, 'pos.db'))
    const over = new AbortController()
    const statuses = new Map<number, number>()
    const fives: string[] = []
    const slowest = { ms: 0, what: '' }
    let tokens = { token, other }

    const kinds: readonly (readonly [
      name: string,
      ask: (random: (below: number) => number) => ReturnType<typeof via.ask>,
    ])[] = [
      ['list', (random) => via.ask(`/${names[random(names.length)]}?page=${1 + random(4)}`, { token: tokens.token })],
      [
        'restricted list',
        (random) => via.ask(`/${names[random(names.length)]}?per_page=${1 + random(100)}`, { token: tokens.other }),
      ],
      ['detail', (random) => via.ask(`/${names[random(names.length)]}/${1 + random(60)}`, { token: tokens.token })],
      [
        'search',
        (random) =>
          via.ask(`/${searched[random(searched.length)]}?search=${['al', 'cust', 'beta', 'zz'][random(4)]}`, {
            token: tokens.token,
          }),
      ],
      ['search of many', (random) => via.ask(`/invoices?search=${100 + random(900)}`, { token: tokens.token })],
      [
        'deep page',
        (random) =>
          via.ask(
            `/invoices?per_page=100&page=${1 + random(310)}&sort=${['id', '-date', 'total', '-updated_at'][random(4)]}`,
            { token: tokens.token },
          ),
      ],
      [
        'filter',
        (random) =>
          via.ask(`/invoices?store_id=${1 + random(4)}&updated_since=2023-12-0${1 + random(9)}&status=all`, {
            token: tokens.token,
          }),
      ],
      [
        'faults',
        (random) => via.ask(`/products?page=0&per_page=${1000 + random(9)}&nonsense=1&sort=x`, { token: tokens.token }),
      ],
      [
        'wrong token',
        (random) =>
          via.ask('/stores', { token: `svc_at_${String(random(1e9)).padStart(52, 'x')}`, from: newAddress() }),
      ],
      ['nowhere', (random) => via.ask(`/nowhere${random(1000)}`, { token: tokens.token })],
      ['method', () => via.ask('/stores', { method: 'DELETE', token: tokens.token })],
      ['sign-in', () => via.signIn(key)],
      ['failed sign-in', () => via.signIn({ ...key, client_secret: 'svc_sk_wrong' })],
      ['status', () => via.ask('/status')],
      ['ping', () => via.ask('/ping', { token: tokens.token })],
      ['resources', () => via.ask('/resources', { token: tokens.other })],
      ['document', () => via.ask('/openapi.json', { token: tokens.other })],
      ['new connection', () => server.ask('/stores', { token: tokens.token })],
      [
        'plain and not trusted',
        () => server.ask('/stores', { isPlain: true, headers: { 'X-Forwarded-For': 'nonsense' } }),
      ],
    ]
    const asked = new Map(kinds.map(([name]) => [name, 0]))
    const call = async (seed: number) => {
      const random = randomFrom(seed)
      while (!over.signal.aborted) {
        const [name, ask] = kinds[random(kinds.length)] ?? assert.fail()
        const startedAt = performance.now()
        const { status, text } = await ask(random)
        const ms = performance.now() - startedAt
        if (ms > slowest.ms) Object.assign(slowest, { ms, what: name })
        asked.set(name, (asked.get(name) ?? 0) + 1)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (status >= 500) fives.push(`${name}: ${text.slice(0, 200)}`)
      }
    }
    const startedAt = performance.now()
    const work = Promise.all(Array.from({ length: callers }, (_, at) => call(seedOfRun + at)))
    work.catch(() => {})
    const figures: Figures[] = []
    const end = startedAt + minutes * 60_000
    let renewedAt = startedAt
    while (performance.now() < end) {
      figures.push(figuresOf(server.child.pid))
      await wait(500)
      // Before they run out.
      if (performance.now() - renewedAt < 300_000) continue
      renewedAt = performance.now()
      tokens = { token: await server.tokenOf(key), other: await server.tokenOf(narrow) }
    }
    over.abort()
    await work
    await till.stop()
    via.close()

    const third = Math.floor(figures.length / 3)
    const [first, second, last] = [0, 1, 2].map((at) => figures.slice(at * third, (at + 1) * third)) as [
      Figures[],
      Figures[],
      Figures[],
    ]
    const all = [...asked.values()].reduce((sum, count) => sum + count, 0)
    told(
      `soak (seed ${seedOfRun}): ${minutes} minutes, ${all} requests (${Math.round(all / (minutes * 60))} a second), ${till.sales()} sales; ` +
        `statuses ${[...statuses]
          .toSorted(([one], [two]) => one - two)
          .map(([status, count]) => `${status}: ${count}`)
          .join(', ')}; ` +
        `slowest ${Math.round(slowest.ms)} ms (${slowest.what})`,
    )
    for (const what of ['megabytes', 'files', 'threads'] as const)
      told(`  ${what} in the thirds: ${[first, second, last].map((part) => Math.round(of(part, what))).join(', ')}`)
    assert.deepEqual(fives.slice(0, 5), [], `${fives.length} of 5xx`)
    for (const [name, count] of asked) assert(count > 0, `${name} was never asked`)
    const grown = of(last, 'megabytes') - of(second, 'megabytes')
    assert(grown <= Math.max(20, of(second, 'megabytes') * 0.1), `${grown} MB more`)
    assert(of(last, 'files') <= of(second, 'files') + 5)
    assert(of(last, 'threads') <= of(second, 'threads'))
  },
)
