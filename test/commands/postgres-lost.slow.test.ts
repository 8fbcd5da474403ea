// PostgreSQL servers that are killed, shut down or frozen under load: nothing but 200 and 503 is seen, nothing takes
// longer than the deadline, /status answers all the time, and all is well again within seconds, without a restart.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { loadRoutes, startLoad, statusOf, type LoadRoute, type Seen } from '../support/load.ts'
import { makeCompanyAt, urlWith } from '../support/own-company.ts'
import { dropSchemas, makeSchema, startPostgres, type PostgresServer, type Schema } from '../support/postgres.ts'
import {
  assertCommonHeaders,
  freePorts,
  runVitrine,
  startServer,
  temporaryFolder,
  until,
  type NewKey,
  type Server,
  type Settings,
} from '../support/process.ts'

const statementTimeoutMs = 1000
// A request asks the state (2 s for a connection, 2 s for its work), then waits for a reader and reads (the statement
// timeout for either).
const stateMs = 4000
const busyMs = 2000
const recoveryMs = 5000
const mostMs = (route: LoadRoute) => {
  if (route === '/status') return busyMs
  return stateMs + (isData(route) ? 2 * statementTimeoutMs : 0) + busyMs
}

const isData = (route: LoadRoute) => route === '/stores?sort=-name' || route === '/products/1'
const dataRoutes = loadRoutes.filter(isData)
const stateRoutes = loadRoutes.filter((route) => route !== '/status')

const rows = {
  stores: Array.from({ length: 50 }, (_, at) => ({ id: at + 1, name: `Store ${at}` })),
  products: [{ id: 1, name: 'Nail', active: true }],
}

interface Service {
  readonly server: Server
  readonly key: NewKey
  readonly token: string
}

/** A service, and what it loses with a server. */
interface Subject {
  readonly name: string
  readonly service: () => Service
  readonly refuses: readonly LoadRoute[]
  readonly loses: readonly ('database' | 'state')[]
}

// These are lost; a server that all tests share has the rest.
let first: PostgresServer
let second: PostgresServer
let whole: Service
let dataLess: Service
let stateLess: Service

async function serve(data: string, state: string): Promise<Service> {
  const server = await startServer({
    prepare: () => {},
    settings: {
      VITRINE_DATABASE_URL: data,
      VITRINE_STATE_URL: state,
      VITRINE_STATEMENT_TIMEOUT_MS: String(statementTimeoutMs),
      VITRINE_READERS: '2',
      VITRINE_ANONYMOUS_RATE: '1000000',
    },
  })
  const key = await server.makeKey('--rate', '1000000')
  const token = await server.tokenOf(key)
  // On a busy machine, its readers may take longer to start than a request may wait.
  await until('it serves', async () => (await server.ask('/stores', { token })).status === 200)
  return { server, key, token }
}

const posOf = ({ url }: { url: string }) => urlWith(url, { schema: 'pos' })
const stateOf = ({ url }: { url: string }) => urlWith(url, { schema: 'state' })

before(async () => {
  ;[first, second] = await Promise.all([startPostgres(), startPostgres()])
  const [pos, state]: Schema[] = await Promise.all([makeSchema('pos'), makeSchema('state')])
  assert.ok(pos && state)
  await pos.query(`DROP SCHEMA ${pos.name}`)
  await Promise.all([makeCompanyAt(posOf(first), rows), makeCompanyAt(pos.url, rows)])
  ;[whole, dataLess, stateLess] = await Promise.all([
    serve(posOf(first), stateOf(first)),
    serve(posOf(first), state.url),
    serve(pos.url, stateOf(second)),
  ])
})
after(async () => {
  await Promise.all([whole, dataLess, stateLess].map((service) => service?.server.remove()))
  await Promise.all([first?.remove(), second?.remove(), dropSchemas()])
})

interface Outage {
  readonly name: string
  readonly lose: (server: PostgresServer) => Promise<void> | void
  readonly regain: (server: PostgresServer) => Promise<void> | void
}

/** When it was lost, known to be lost, given back, and back. */
interface Times {
  readonly lostAt: number
  readonly knownAt: number
  readonly givenAt: number
  readonly backAt: number
}

const kill: Outage = { name: 'killed', lose: (server) => server.kill(), regain: (server) => server.start() }
const stop: Outage = { name: 'shut down', lose: (server) => server.stop('fast'), regain: (server) => server.start() }
const freeze: Outage = {
  name: 'frozen',
  lose: (server) => server.pause(),
  regain: (server) => server.resume(),
}

// Asked for again and again, of a long log.
const outageEvents = ({ server }: Service) =>
  [...server.stdout().matchAll(/"event":"((database|state)_(lost|back))"/g)].map(([, event = '']) => event)

async function endure(postgres: PostgresServer, { lose, regain }: Outage, subjects: readonly Subject[]) {
  const loads = subjects.map(({ service, ...subject }) => {
    const { server, key, token } = service()
    return {
      ...subject,
      ...startLoad(server, key, token),
      log: () => outageEvents(service()),
      output: () => server.stdout() + server.stderr(),
      before: outageEvents(service()).length,
    }
  })
  try {
    await until('all is served', () => loads.every(({ hasSeen }) => hasSeen(loadRoutes, 200, 0)))
    const lostAt = performance.now()
    await lose(postgres)
    await until('it is known to be lost', () =>
      loads.every(({ loses, log, before }) => loses.every((what) => log().slice(before).includes(`${what}_lost`))),
    )
    const knownAt = performance.now()
    await until('it is refused', () => loads.every(({ hasSeen, refuses }) => hasSeen(refuses, 503, knownAt)))
    const givenAt = performance.now()
    await regain(postgres)
    const times: Times = { lostAt, knownAt, givenAt, backAt: performance.now() }
    await until('all is served again', () => loads.every(({ hasSeen }) => hasSeen(loadRoutes, 200, times.backAt)))
    // Occasional refusals after the recovery would show now.
    const wellAt = performance.now()
    await until('all is served on', () =>
      loads.every(({ seen }) => seen.filter(({ startedAt }) => startedAt > wellAt).length > 40),
    )
    return { loads, times }
  } catch (error) {
    await Promise.resolve(regain(postgres)).catch(() => {})
    throw error
  } finally {
    await Promise.all(loads.map((load) => load.stop()))
  }
}

function assertEndured(seen: readonly Seen[], refuses: readonly LoadRoute[], times: Times) {
  const texts = new Map<LoadRoute, string>()
  for (const each of seen) {
    const { route, startedAt, endedAt, answer } = each
    assert.ok(endedAt - startedAt < mostMs(route), `${route} took ${endedAt - startedAt} ms`)
    assert.ok(!(answer instanceof Error), `${route}: ${statusOf(each)}`)
    assertCommonHeaders(answer.headers)
    if (answer.status === 200) {
      const isKnown = refuses.includes(route) && startedAt > times.knownAt && endedAt < times.givenAt
      assert.ok(!isKnown, `${route} was let through`)
      if (isData(route)) assert.equal(answer.text, texts.get(route) ?? texts.set(route, answer.text).get(route))
      continue
    }
    assert.equal(answer.status, 503, `${route}: ${answer.text}`)
    assert.ok(refuses.includes(route), `${route}: ${answer.text}`)
    assert.match(String(answer.headers['retry-after']), /^[1-9]$/)
    assert.equal(route === '/auth/token' ? answer.body.error : answer.body.error.code, 'temporarily_unavailable')
    assert.ok(endedAt > times.lostAt, `${route}: 503 before anything was lost`)
    const lateMs = startedAt - times.backAt
    assert.ok(lateMs < recoveryMs, `${route}: 503 to a request that came ${lateMs} ms after the return`)
  }
}

function lossesOf(name: string, postgres: () => PostgresServer, subjects: readonly Subject[]) {
  for (const { name: how, times: often, ...outage } of [
    { ...kill, times: 3 },
    { ...stop, times: 1 },
    { ...freeze, times: 1 },
  ])
    test(`${name} ${how}${often > 1 ? ` ${often} times` : ''}: 200 and 503 in time, and all is well within five seconds`, async () => {
      for (let count = 0; count < often; count += 1) {
        const { loads, times } = await endure(postgres(), { name: how, ...outage }, subjects)
        for (const { name: service, seen, refuses, loses, log, before, output } of loads) {
          assertEndured(seen, refuses, times)
          assert.ok(!output().includes(new URL(postgres().url).password), 'a password is in the log')
          // Once an outage, not once a request.
          const told = log().slice(before).toSorted()
          assert.deepEqual(
            told,
            loses.flatMap((what) => [`${what}_back`, `${what}_lost`]),
            service,
          )
        }
      }
    })
}

async function assertRefused(words: readonly string[], settings: Settings, names: readonly string[], exit: number) {
  const folder = temporaryFolder()
  const { status, stdout, stderr } = await runVitrine(words, { VITRINE_DATA_DIR: folder, ...freePorts, ...settings })
  rmSync(folder, { recursive: true })
  const sentences = names.map(
    (name) => `vitrine: PostgreSQL at 127.0.0.1:${first.port} (${name}) cannot be used: nothing listens there.\n`,
  )
  assert.deepEqual([stderr, stdout, status], [sentences.join(''), '', exit])
}

describe('PostgreSQL lost', { concurrency: true }, () => {
  describe('the server of the data', { concurrency: 1 }, () => {
    lossesOf("the server of data and state, and of another service's data", () => first, [
      { name: 'data and state', service: () => whole, refuses: stateRoutes, loses: ['database', 'state'] },
      { name: 'data', service: () => dataLess, refuses: dataRoutes, loses: ['database'] },
    ])

    test('a start while it is down: a sentence for each setting that names it, and no success', async () => {
      await first.kill()
      try {
        const settings = { VITRINE_DATABASE_URL: posOf(first), VITRINE_STATE_URL: stateOf(first) }
        const names = ['VITRINE_DATABASE_URL', 'VITRINE_STATE_URL']
        await Promise.all([
          assertRefused(['serve'], settings, names, 2),
          assertRefused(['keys', 'list'], settings, names.slice(1), 1),
        ])
      } finally {
        await first.start()
      }
    })
  })
  describe('the server of the state', { concurrency: 1 }, () => {
    lossesOf('the server of the state alone', () => second, [
      { name: 'state', service: () => stateLess, refuses: stateRoutes, loses: ['state'] },
    ])
  })
})
