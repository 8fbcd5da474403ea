// Watching the service: metrics on the console's listener, use and acts by the command line. All of a real process.
import assert from 'node:assert/strict'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { systemClock } from '../../src/platform/clock.ts'
import { openSqliteState } from '../../src/state/sqlite/state.ts'
import { makeKey } from '../support/run-command.ts'
import { makePos } from '../support/pos.ts'
import { startServer, until, type NewKey, type Server } from '../support/process.ts'
import { exchange } from '../support/raw.ts'

const rows = {
  stores: [
    { id: 1, name: 'Main' },
    { id: 2, name: 'Other' },
  ],
}
// In ten days.
const ending = new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 10)
let keyThatEnds: NewKey
let server: Server
let key: NewKey
let token: string
before(async () => {
  server = await startServer({
    settings: { VITRINE_ANONYMOUS_RATE: '5' },
    // A key that is there before the service starts.
    async prepare(folder) {
      makePos(join(folder, 'pos.db'), rows)
      const words = ['--name', 'Ending', '--permissions', 'all', '--expires', ending]
      keyThatEnds = await makeKey(words, { VITRINE_DATA_DIR: folder, VITRINE_TIME_ZONE: 'UTC' }, folder)
    },
  })
  key = await server.makeKey('--rate', '40')
  token = await server.tokenOf(key)
})
after(() => server.remove())

// Name and labels → value.
async function metrics(): Promise<Map<string, number>> {
  const { text } = await server.askConsole('/metrics')
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  )
}

describe('metrics', () => {
  test('are in the format of Prometheus: each name with help and type, every line a name and a number', async () => {
    const { status, text, headers } = await server.askConsole('/metrics')
    assert.equal(status, 200)
    assert.equal(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8')
    assert(text.endsWith('\n'))
    const declared = new Map<string, string>()
    for (const line of text.trimEnd().split('\n')) {
      const type = /^# TYPE (\w+) (counter|gauge|histogram)$/.exec(line)
      if (type) declared.set(String(type[1]), String(type[2]))
      if (line === '' || line.startsWith('#')) continue
      assert.match(line, /^[a-z\d_]+(\{([a-z]+="[^"\n]*",?)+\})? (-?[0-9.e+-]+|Nan)$/)
      const name = /^\w+/.exec(line)?.[0] ?? ''
      assert(declared.has(name) || declared.get(name.replace(/_(bucket|sum|count)$/, '')) === 'histogram', line)
    }
    assert(declared.size > 15)
  })

  test('tell when a key ends by itself, and of no other key; the log tells of it, too', async () => {
    const found = [...(await metrics())].filter(([name]) => name.startsWith('vitrine_key_expiry_seconds'))
    const end = Date.parse(`${ending}T00:00:00Z`) / 1000 + 86_400
    assert.deepEqual(found, [[`vitrine_key_expiry_seconds{key="${keyThatEnds.client_id}"}`, end]])
    const line = await until('the key is told of', () =>
      server.logged().find(({ event }) => event === 'key_expires_soon'),
    )
    assert.equal(server.logged().filter(({ event }) => event === 'key_expires_soon').length, 1)
    assert.deepEqual(
      [line['level'], line['key'], line['name'], line['expires']],
      ['warn', keyThatEnds.client_id, 'Ending', ending],
    )
  })

  test('count answers by route, status and key, records, and windows that were full', async () => {
    const before = await metrics()
    for (const [path, expected] of [
      ['/stores', 200],
      ['/stores', 200],
      ['/stores/1', 200],
      ['/stores/9', 404],
      ['/stores?x=1', 400],
      ['/nowhere', 404],
    ] as const)
      assert.equal((await server.ask(path, { token })).status, expected)
    let anonymous = 0
    for (let turn = 0; turn < 8; turn += 1) if ((await server.ask('/ping')).status === 429) anonymous += 1
    const now = await metrics()
    const more = (name: string) => (now.get(name) ?? 0) - (before.get(name) ?? 0)
    const of = (route: string, status: number, who = key.client_id) =>
      `vitrine_requests_total{route="${route}",status="${status}",key="${who}"}`
    assert.deepEqual(
      [of('/stores', 200), of('/stores/{id}', 200), of('/stores/{id}', 404), of('/stores', 400), of('(none)', 404)].map(
        more,
      ),
      [2, 1, 1, 1, 1],
    )
    assert.equal(more(`vitrine_records_total{key="${key.client_id}"}`), 5)
    assert(anonymous > 0)
    assert.equal(more('vitrine_windows_refused_total{window="anonymous"}'), anonymous)
    assert.equal(more('vitrine_request_seconds_count{route="/stores"}'), 3)
    assert.equal(more('vitrine_request_seconds_bucket{le="+Inf",route="/stores"}'), 3)
  })

  test('count what no route has seen, by its code', async () => {
    const name = 'vitrine_unparsed_requests_total{code="header_too_large"}'
    const before = (await metrics()).get(name) ?? 0
    const { status } = await server.ask('/ping', { headers: { 'X-Long': 'x'.repeat(20_000) } })
    assert.deepEqual([status, ((await metrics()).get(name) ?? 0) - before], [431, 1])
  })

  test('tell of readers, engine, state, blocks, certificate, memory and files', async () => {
    const now = await metrics()
    assert.deepEqual(
      'engine_up state_up list_columns{collection="invoices"} reader_queue blocks statements_stopped_total'
        .split(' ')
        .map((name) => now.get(`vitrine_${name}`)),
      [1, 1, 1, 0, 0, 0],
    )
    assert((now.get('vitrine_certificate_expiry_seconds') ?? 0) > Date.now() / 1000)
    assert((now.get('process_resident_memory_bytes') ?? 0) > 1e7)
    assert((now.get('process_open_fds') ?? 0) > 5)
    assert(now.has('vitrine_listener_delay_seconds{quantile="0.99"}'))
  })

  test('tell of no columns where there is no memory for any, and lists are answered all the same', async (context) => {
    const without = await startServer({ rows, settings: { VITRINE_INDEX_MEMORY_MB: '0' } })
    context.after(() => without.remove())
    const { body } = await without.ask('/stores', { token: await without.token() })
    assert.equal(body.meta.total, 2)
    assert.doesNotMatch((await without.askConsole('/metrics')).text, /^vitrine_list_columns/m)
  })

  test('hold nothing secret, and are not on the public listener', async () => {
    const { text } = await server.askConsole('/metrics')
    assert(
      !text.includes(token) &&
        !text.includes(key.client_secret) &&
        !text.includes('svc_at_') &&
        !text.includes('svc_sk_'),
    )
    assert.equal((await server.askConsole('/api/v1/status')).status, 404)
    assert.equal((await server.askConsole('/metrics', { method: 'POST' })).status, 405)
    // Targets that are no addresses end nothing.
    for (const path of ['//', '//:0/', '/\\\\', '/%', '/api/keys/%00'])
      assert.ok([401, 404].includes((await server.askConsole(path)).status), path)
    assert.equal((await server.ask('/metrics')).status, 404)
  })
})

test('with a token of their own they are for whoever sends it, under the names the console was given', async () => {
  const secret = 'a-token-of-some-length'
  const other = await startServer({
    settings: { VITRINE_METRICS_TOKEN: secret, VITRINE_CONSOLE_NAMES: 'office.example' },
  })
  try {
    const look = (headers: Record<string, string>) => other.askConsole('/metrics', { headers })
    assert.equal((await look({})).status, 401)
    assert.equal((await look({ Authorization: `Bearer ${secret}` })).status, 200)
    // By hand: a client that checks the certificate does not get as far as that.
    for (const [host, status] of [
      ['office.example', 401],
      ['evil.example', 421],
    ] as const) {
      const asked = `GET /metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
      const [answer] = await exchange({ port: other.console, isTls: true }, asked)
      assert.equal(answer?.status, status)
    }
    const { stdout } = await other.run('config')
    assert.match(stdout, /VITRINE_METRICS_TOKEN +\*\*\* +environment/)
    assert(!`${stdout}${other.stdout()}${other.stderr()}`.includes(secret))
  } finally {
    await other.remove()
  }
})

test('a window of a key and a block are counted, and a block is written down', async () => {
  const small = await server.makeKey('--rate', '2')
  const held = await server.tokenOf(small)
  const statuses: number[] = []
  for (let turn = 0; turn < 4; turn += 1) statuses.push((await server.ask('/ping', { token: held })).status)
  assert.deepEqual(statuses, [200, 200, 429, 429])
  const wrong = { ...small, client_secret: 'svc_sk_wrong' }
  for (let turn = 0; turn < 7; turn += 1) await server.signIn(wrong, { localAddress: '127.0.5.1' })
  const now = await metrics()
  assert.equal(now.get('vitrine_windows_refused_total{window="key"}'), 2)
  assert.equal(now.get('vitrine_blocked_requests_total'), 2)
  assert.equal(now.get('vitrine_blocks'), 1)
  const { stdout } = await server.run('audit', 'list', '--json', '--about', '127.0.5.1')
  const [entry] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .map(({ details, ...rest }) => ({ ...rest, ...(details as Record<string, unknown>) }))
  assert.deepEqual(
    [entry?.['act'], entry?.['by'], entry?.['client_id']],
    ['caller blocked', 'the service', small.client_id],
  )
})

test('the command line writes down who did what, and shows it to people', async () => {
  const made = await server.makeKey()
  await server.run('keys', 'update', made.client_id, '--stores', '1', '--disable')
  await server.run('keys', 'regenerate', made.client_id)
  await server.run('keys', 'revoke', made.client_id)
  const { stdout } = await server.run('audit', 'list', '--json', '--about', made.client_id)
  const entries = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { act: string; by: string; at: string })
  assert.deepEqual(
    entries.map(({ act }) => act),
    ['key revoked', 'code regenerated', 'key changed', 'key created'],
  )
  const who = `${userInfo().username}, command line`
  for (const { by, at } of entries) {
    assert.equal(by, who)
    assert(Math.abs(Date.parse(at) - Date.now()) < 60_000)
  }
  assert(!stdout.includes('svc_sk_'))
  const people = await server.run('audit', 'list', '--about', made.client_id)
  assert.match(people.stdout, /key changed .*stores all → 1; disabled false → true/)
  const wrong = await server.run('audit', 'list', '--last', '0')
  assert.deepEqual([wrong.status, wrong.stdout], [2, ''])
})

test('use is handed over when the service stops, and listed by key', async () => {
  const own = await startServer({ rows: { stores: [{ id: 1 }, { id: 2 }, { id: 3 }] } })
  try {
    const made = await own.makeKey()
    const held = await own.tokenOf(made)
    for (const path of ['/stores', '/stores/1', '/stores/7', '/stores?sort=x', '/ping', '/nowhere'])
      await own.ask(path, { token: held })
    await own.stop()
    const { stdout } = await own.run('usage', 'list', '--json', '--hours', '2')
    const [use, ...others] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    assert.deepEqual(others, [])
    assert.deepEqual(
      { ...use, hour: '' },
      {
        hour: '',
        client_id: made.client_id,
        requests: 6,
        records: 4,
        refusals: 3,
        causes: { rate_limited: 0, not_allowed: 0, bad_request: 1, not_found: 2, server_error: 0 },
      },
    )
    const state = openSqliteState({ path: join(own.data, 'state.db'), clock: systemClock })
    const resources = await state.sumUsage(['resource'], { from: 0, to: Date.now() })
    await state.close()
    assert.deepEqual(
      resources.map(({ resource, requests, refusals }) => [resource, requests, refusals.not_found]),
      [
        ['other', 2, 1],
        ['stores', 4, 1],
      ],
    )
    const people = await own.run('usage', 'list', '--key', made.client_id)
    assert.match(
      people.stdout,
      /^HOUR +ACCESS KEY +REQUESTS +RECORDS +REFUSALS +CAUSES\n.* 6 +4 +3 +bad_request 1, not_found 2\n$/,
    )
    assert.match((await own.run('usage', 'list', '--key', 'svc_ak_none')).stderr, /No key was used/)
  } finally {
    await own.remove()
  }
})

test('a running service hands use over by itself', async () => {
  await server.ask('/ping', { token })
  await until('the use is there', async () =>
    (await server.run('usage', 'list', '--json')).stdout.includes(key.client_id),
  )
})
