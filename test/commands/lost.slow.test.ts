// Files that are lost under a running service, or refuse writes: the log says so once, and once again when they are back, and so do
// the metrics, whether a request or a read of the metrics notices it.
import assert from 'node:assert/strict'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openSqlite } from '../../src/platform/sqlite.ts'
import { startServer, until, type NewKey, type Server } from '../support/process.ts'

let server: Server
let key: NewKey
let token = ''
before(async () => {
  server = await startServer({ rows: { stores: [{ id: 1, name: 'Main' }] }, settings: { VITRINE_READERS: '2' } })
  key = await server.makeKey()
  token = await server.tokenOf(key)
})
after(() => server.remove())

const path = (name: string) => join(server.data, name)
const told = (what: string) =>
  server
    .logged()
    .map(({ event }) => String(event))
    .filter((event) => event === `${what}_lost` || event === `${what}_back`)
async function metric(name: string): Promise<number> {
  const { text } = await server.askConsole('/metrics')
  return Number(new RegExp(`^vitrine_${name} (.+)$`, 'm').exec(text)?.[1])
}
const signIn = () => server.signIn(key)

test('the POS database: a request finds out that it is lost, the look at the metrics that it is back', async () => {
  assert.equal((await server.ask('/stores', { token })).status, 200)
  assert.equal(await metric('engine_up'), 1)
  renameSync(path('pos.db'), path('away.db'))
  for (let turn = 0; turn < 5; turn += 1)
    assert.equal((await server.ask(`/stores?page=${turn + 2}`, { token })).status, 503)
  assert.equal(await metric('engine_up'), 0)
  await until('the loss is told', () => told('database').length > 0)
  renameSync(path('away.db'), path('pos.db'))
  for (let turn = 0; turn < 3; turn += 1) assert.equal(await metric('engine_up'), 1)
  await until('it is told that it is back', () => told('database').length > 1)
  assert.deepEqual(told('database'), ['database_lost', 'database_back'])
})

test('the state: locked by a writer nobody signs in, and that is told, though tokens go on', async () => {
  assert.equal(await metric('state_up'), 1)
  const writer = openSqlite(path('state.db'))
  try {
    writer.exec('BEGIN IMMEDIATE')
    for (let turn = 0; turn < 2; turn += 1) assert.equal((await signIn()).status, 503)
    assert.equal((await server.ask('/stores', { token })).status, 200)
    assert.equal(await metric('state_up'), 0)
    writer.exec('ROLLBACK')
    // Without a sign-in or a request.
    assert.equal(await metric('state_up'), 1)
  } finally {
    writer.close()
  }
  await until('it is told that it is back', () => told('state').length > 1)
  assert.deepEqual(told('state'), ['state_lost', 'state_back'])
  assert.equal((await signIn()).status, 200)
  const usage = await server.run('usage', 'list', '--json', '--hours', '8784')
  assert(!usage.stdout.includes('"client_id":""'), usage.stdout)
})
