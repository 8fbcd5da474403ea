// `vitrine serve` as a process: the line it opens with, and its log. (serve-end.slow.test.ts: how it ends.)
import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { schemaStatements } from '../../src/sql/schema.ts'
import { sqliteSchema } from '../../src/sql/sqlite-schema.ts'
import { lackingSchema } from '../support/lacking.ts'
import { makePos } from '../support/pos.ts'
import { startServer, until, type Answer, type Server } from '../support/process.ts'

const servers: Server[] = []
const start = async (...options: Parameters<typeof startServer>) => {
  const server = await startServer(...options)
  servers.push(server)
  return server
}
after(() => Promise.all(servers.map((server) => server.remove())))

test('serve --json: the first line tells the ports, and they answer; a column that the database lacks is named', async () => {
  const schema = lackingSchema(sqliteSchema, { invoices: ['po_number'] })
  const server = await start({ prepare: (folder) => makePos(join(folder, 'pos.db'), {}, schemaStatements(schema)) })
  const first = server.stdout().split('\n')[0] ?? ''
  assert.match(first, /^\{"event":"listening","https":\d+,"http":\d+,"console":(\d+|null)\}$/)
  const { https, http } = JSON.parse(first) as Record<string, number>
  assert.equal(new Set([https, http]).size, 2)
  assert.equal((await server.ask('/status')).status, 200)
  assert.equal((await server.ask('/status', { isPlain: true })).status, 403)
  assert.doesNotMatch(server.stderr(), /error|exception|\.ts:/i)
  const missing = await until('the log names the column', () =>
    server.logged().find(({ event }) => event === 'columns_missing'),
  )
  assert.deepEqual(missing['columns'], ['invoices.po_number'])
  const named = /lacks columns, which read as null:\n {2}invoices\.po_number,\n/
  await until('stderr names the column', () => named.exec(server.stderr()))
})

test('serve: one JSON line a request with its id, its key and its answer, and nothing secret', async () => {
  const server = await start({ rows: { stores: [{ id: 1, name: 'Main' }] } })
  const key = await server.makeKey()
  const token = await server.tokenOf(key)
  const basic = Buffer.from(`${key.client_id}:svc_sk_theWrongCode`).toString('base64')
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const asked: readonly [path: string, answer: Answer, expected: Record<string, unknown>][] = [
    ['/stores', await server.ask('/stores?search=Josephine', { token }), { status: 200, key: key.client_id }],
    ['/stores/2', await server.ask('/stores/2', { token }), { status: 404, key: key.client_id, code: 'not_found' }],
    ['/stores', await server.ask('/stores?colour=Josephine', { token }), { status: 400, key: key.client_id }],
    ['/ping', await server.ask('/ping', { token: 'svc_at_theWrongToken' }), { status: 401, key: null }],
    ['/status', await server.ask('/status?client_secret=svc_sk_inTheUrl'), { status: 200, key: null }],
    [
      '/auth/token',
      await server.ask('/auth/token?client_secret=svc_sk_inTheUrl', {
        method: 'POST',
        headers: { ...form, Authorization: `Basic ${basic}` },
        body: 'grant_type=client_credentials&client_secret=svc_sk_theWrongCode',
      }),
      { status: 401, code: 'invalid_client' },
    ],
  ]
  for (const [path, answer, expected] of asked) {
    const line = await server.lineOf(answer)
    for (const [name, value] of Object.entries({ ...expected, path: `/api/v1${path}`, address: '127.0.0.1' }))
      assert.deepEqual(line[name], value, `${path} ${name}`)
    assert.match(String(line['time']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.equal(typeof line['ms'], 'number')
  }
  const ids = server.logged().flatMap((line) => line['request_id'] ?? [])
  assert.equal(new Set(ids).size, ids.length)
  const secrets = [key.client_secret, token, 'theWrongCode', 'theWrongToken', 'inTheUrl', 'Josephine', basic, 'Basic ']
  for (const secret of secrets) assert.ok(!server.stdout().includes(secret), secret)
})

test('serve: VITRINE_CURRENCIES are the values of the currency filter', async () => {
  const server = await start({ settings: { VITRINE_CURRENCIES: 'EUR,GBP' } })
  const token = await server.token()
  assert.equal((await server.ask('/invoices?currency=GBP', { token })).status, 200)
  const { status, text } = await server.ask('/invoices?currency=USD', { token })
  assert.equal(status, 400)
  assert.match(text, /EUR, GBP/)
})

const remedies = ({ logged }: Server) =>
  logged().flatMap(({ event, remedy }) => (event === 'console_without_password' ? [remedy] : []))

test('serve: without a terminal, a link for the first account is in a file that the log names, until there is one', async () => {
  const first = await start()
  await until('it is told', () => remedies(first).length > 0)
  const file = join(first.data, 'console-link.txt')
  assert.deepEqual(remedies(first), [`Open the link in ${file} within a day, or run "vitrine admin password".`])
  const [, port, link] = /^https:\/\/127\.0\.0\.1:(\d+)\/#link=([\w-]+)\n$/.exec(readFileSync(file, 'utf8')) ?? []
  assert.equal(Number(port), first.console)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.ok(!first.stdout().includes(link ?? ''))
  const made = await first.askConsole('/api/password', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ link, name: 'Marie', password: 'correct horse battery' }),
  })
  assert.equal(made.status, 200, made.text)
  await first.stop()
  const second = await start({ folder: first.data })
  await until('what comes after it is told', () => second.stdout().includes('self_signed_certificate'))
  assert.deepEqual(remedies(second), [])
  assert.equal(existsSync(file), false)
})

test('serve: a log level keeps what is less severe out of the log', async () => {
  const server = await start({ settings: { VITRINE_LOG_LEVEL: 'error' } })
  await server.ask('/status')
  await server.ask('/nowhere')
  const { stdout } = await server.stop()
  assert.equal(stdout, `${server.listening}\n`)
})
