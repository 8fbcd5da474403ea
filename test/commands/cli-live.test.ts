// The command line beside a running service: what a command changed holds for the next request.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startServer, until, type NewKey, type Server } from '../support/process.ts'

let server: Server
before(async () => {
  server = await startServer({
    rows: {
      stores: [
        { id: 1, name: 'Main' },
        { id: 2, name: 'Other' },
      ],
      price_lists: [{ id: 3, name: 'Third' }],
      products: [{ id: 1, name: 'Nail', active: true, price: 10 }],
      product_prices: [{ product_id: 1, price_list_id: 3, price: 7 }],
    },
  })
})
after(() => server.remove())

const run = async (...words: string[]) => {
  const done = await server.run(...words)
  assert.deepEqual([done.status, done.stderr], [0, ''], words.join(' '))
  return done.stdout
}
const codeOf = async (path: string, token: string) => {
  const answer = await server.ask(path, { token })
  return answer.status === 200 ? 200 : `${answer.status} ${answer.body.error.code}`
}

test('keys create: the key signs in at once, with its name, permissions and rate', async () => {
  const made = await run('keys', 'create', '--json', '--name', 'Web shop', '--permissions', 'all', '--rate', '7')
  const signedIn = await server.signIn(JSON.parse(made) as NewKey)
  assert.equal(signedIn.status, 200)
  const answer = await server.ask('/ping', { token: String(signedIn.body.access_token) })
  assert.equal(answer.body.client, 'Web shop')
  assert.equal(answer.body.scopes.length, 15)
  assert.deepEqual([answer.headers['x-ratelimit-limit'], answer.headers['x-ratelimit-remaining']], ['7', '6'])
})

test('keys update: a live token is restricted from the next request on', async () => {
  const key = await server.makeKey()
  const token = await server.tokenOf(key)
  const update = (...words: string[]) => run('keys', 'update', key.client_id, ...words)
  assert.deepEqual([await codeOf('/stores', token), await codeOf('/products', token)], [200, 200])

  await update('--stores', '2')
  assert.deepEqual(
    (await server.ask('/stores', { token })).body.data.map(({ id }: { id: number }) => id),
    [2],
  )
  assert.equal(await codeOf('/stores/1', token), '404 not_found')
  await update('--stores', 'none')
  assert.equal((await server.ask('/stores', { token })).body.meta.total, 0)
  await update('--stores', 'all')
  assert.equal((await server.ask('/stores', { token })).body.meta.total, 2)

  await update('--price-list', '3')
  const { data } = (await server.ask('/products/1', { token })).body
  assert.deepEqual([data.price, 'price_lists' in data], [7, false])

  await update('--permissions', 'products:read')
  assert.deepEqual([await codeOf('/stores', token), await codeOf('/products', token)], ['403 insufficient_scope', 200])
  assert.deepEqual((await server.ask('/ping', { token })).body.scopes, ['products:read'])

  await update('--rate', '3')
  assert.equal((await server.ask('/products', { token })).headers['x-ratelimit-limit'], '3')
  await until('the new rate is exceeded', async () => (await codeOf('/products', token)) === '429 rate_limited')

  await update('--disable')
  assert.equal(await codeOf('/products', token), '401 invalid_token')
  assert.equal((await server.signIn(key)).body.error, 'invalid_client')
  await update('--enable', '--rate', '60')
  assert.equal((await server.signIn(key)).status, 200)
})

test('keys preview: what the key sees is what its requests get', async () => {
  const restricted = ['--permissions', 'products:read', '--price-list', '3']
  const key = JSON.parse(await run('keys', 'create', '--json', '--name', 'Shop', ...restricted)) as NewKey
  const { stdout, status } = await server.run('keys', 'preview', key.client_id, '--json')
  assert.equal(status, 0)
  const lines = stdout.trim().split('\n')
  const seen = lines.map((line) => JSON.parse(line) as { name: string; seen?: Record<string, unknown> })
  const own = seen.find(({ name }) => name === 'products')?.seen
  const token = await server.tokenOf(key)
  const [list, one] = [await server.ask('/products?per_page=3', { token }), await server.ask('/products/1', { token })]
  assert.equal(one.body.data.price, 7)
  assert.deepEqual(own, { total: 1, total_of_all: 1, records: list.body.data, whole: one.body.data })
  const text = (await server.run('keys', 'preview', key.client_id)).stdout
  assert.match(text, /^RESOURCE +RECORDS +HIDDEN FIELDS\nproducts +1 of 1 +cost,.*\ncustomers +no access\n/)
  const unknown = await server.run('keys', 'preview', 'svc_ak_none')
  assert.deepEqual([unknown.status, unknown.stdout], [2, ''])
})

test('keys regenerate: the old code and every live token end at once, the new code works', async () => {
  const key = await server.makeKey()
  const tokens = [await server.tokenOf(key), await server.tokenOf(key)]
  const next = JSON.parse(await run('keys', 'regenerate', key.client_id, '--json')) as NewKey
  assert.equal(next.client_id, key.client_id)
  for (const token of tokens) assert.equal(await codeOf('/ping', token), '401 invalid_token')
  assert.equal((await server.signIn(key)).body.error, 'invalid_client')
  assert.equal(await codeOf('/ping', await server.tokenOf(next)), 200)
})

test('keys revoke: code and tokens end at once, for good', async () => {
  const key = await server.makeKey()
  const token = await server.tokenOf(key)
  await run('keys', 'revoke', key.client_id)
  assert.equal(await codeOf('/ping', token), '401 invalid_token')
  assert.equal((await server.signIn(key)).body.error, 'invalid_client')
  const again = await server.run('keys', 'update', key.client_id, '--enable')
  assert.equal(again.status, 2)
  assert.equal(await codeOf('/ping', token), '401 invalid_token')
})

test('company disable: 503 api_not_enabled on every route but /status, until company enable', async () => {
  const key = await server.makeKey()
  const token = await server.tokenOf(key)
  try {
    await run('company', 'disable')
    for (const path of ['/stores', '/stores/1', '/ping', '/resources']) {
      const answer = await server.ask(path, { token })
      assert.deepEqual([answer.status, answer.body.error.code], [503, 'api_not_enabled'], path)
      assert.ok(Number(answer.headers['retry-after']) >= 1)
    }
    const signIn = await server.signIn(key)
    assert.deepEqual([signIn.status, signIn.body.error], [503, 'api_not_enabled'])
    assert.ok(Number(signIn.headers['retry-after']) >= 1)
    await until('/status tells it', async () => (await server.ask('/status')).body.enabled === false)
  } finally {
    await run('company', 'enable')
  }
  assert.equal(await codeOf('/stores', token), 200)
  assert.equal((await server.signIn(key)).status, 200)
  await until('/status tells it', async () => (await server.ask('/status')).body.enabled === true)
})

test('blocks clear: a blocked caller may try again at once', async () => {
  const key = await server.makeKey()
  const from = { localAddress: '127.0.2.1' }
  const wrong = { ...key, client_secret: 'svc_sk_wrong' }
  for (let count = 0; count < 5; count++) assert.equal((await server.signIn(wrong, from)).status, 401)
  const blocked = await server.signIn(key, from)
  assert.deepEqual([blocked.status, blocked.body.error], [429, 'too_many_attempts'])

  const shown = (await run('blocks', 'list', '--json')).trimEnd().split('\n')
  const mine = shown
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ address }) => address === '127.0.2.1')
  assert.equal(mine.length, 1)
  assert.equal(mine[0]?.['client_id'], key.client_id)
  const until = Date.parse(String(mine[0]?.['until'])) - Date.now()
  assert.ok(until > 13 * 60_000 && until <= 15 * 60_000, String(until))
  assert.match(await run('blocks', 'list'), /127\.0\.2\.1/)

  await run('blocks', 'clear', '127.0.2.1')
  assert.equal((await server.signIn(key, from)).status, 200)
  assert.equal(await run('blocks', 'list', '--json'), '')
})

test('keys rotate: a client that goes on signing in and asking, first on the old code, then on the new, never fails', async () => {
  const key = await server.makeKey('--rate', '1000000')
  const seen: string[] = []
  let [code, turns] = [key.client_secret, 0]
  const over = new AbortController()
  const client = (async () => {
    while (!over.signal.aborted) {
      const localAddress = `127.6.${(turns += 1) >> 8}.${turns & 255}`
      const signedIn = await server.signIn({ ...key, client_secret: code }, { localAddress })
      const token = String(signedIn.body.access_token)
      seen.push(`${signedIn.status} ${(await server.ask('/products', { token })).status}`)
    }
  })()
  const turnsLater = (count: number) => {
    const from = turns
    return until(`${count} more turns`, () => turns >= from + count)
  }
  await turnsLater(3)
  const rotated = JSON.parse(await run('keys', 'rotate', key.client_id, '--overlap', '1h', '--json')) as NewKey
  await turnsLater(3)
  code = rotated.client_secret
  await turnsLater(3)
  await run('keys', 'rotate', key.client_id, '--finish')
  await turnsLater(3)
  over.abort()
  await client
  assert.deepEqual([...new Set(seen)], ['200 200'])
  assert.equal((await server.signIn(key)).body.error, 'invalid_client')
})

test('keys update --addresses: elsewhere the key and its live token are refused at once', async () => {
  const key = await server.makeKey()
  const token = await server.tokenOf(key)
  const from = (localAddress: string) => server.ask('/products', { token, localAddress })
  await run('keys', 'update', key.client_id, '--addresses', '127.0.8.0/24')
  assert.deepEqual([(await from('127.0.8.5')).status, (await from('127.0.9.5')).status], [200, 401])
  const sign = async (localAddress: string) => (await server.signIn(key, { localAddress })).status
  assert.deepEqual([await sign('127.0.8.6'), await sign('127.0.9.6')], [200, 401])
})

test('keys list and keys show: when a key was last used, to the minute, and from where', async () => {
  const key = await server.makeKey()
  const begun = Date.now()
  const token = await server.tokenOf(key)
  await server.ask('/products', { token, localAddress: '127.0.8.9' })
  const shown = await until('the use is handed over', async () => {
    const now = JSON.parse(await run('keys', 'show', key.client_id, '--json')) as Record<string, unknown>
    return now['last_used'] === null ? undefined : now
  })
  const at = Date.parse(String(shown['last_used']))
  assert.ok(at % 60_000 === 0 && at > begun - 60_000 && at <= Date.now(), String(shown['last_used']))
  assert.equal(shown['last_address'], '127.0.8.9')
  const minute = `${String(shown['last_used']).slice(0, 16)}Z`
  assert.match(await run('keys', 'list'), new RegExp(`${key.client_id} .* ${minute} +127\\.0\\.8\\.9 `))
})

test('demo and schema apply beside a running service: it serves the new company without a restart', async () => {
  const token = await server.token()
  assert.equal((await server.ask('/products', { token })).body.meta.total, 1)
  await run('schema', 'apply', '--json')
  assert.equal((await server.ask('/products', { token })).body.meta.total, 1)
  await run('demo', '--scale', '0.01', '--force', '--json')
  await until(
    'the demo company is served',
    async () => (await server.ask('/products', { token })).body.meta.total > 100,
  )
})
