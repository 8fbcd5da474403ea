// What must not stop the service: a till that locks the POS file, and a reader of the log that has stopped reading.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openSqlite } from '../../src/platform/sqlite.ts'
import { makePos } from '../support/pos.ts'
import { startServer, until, type Server } from '../support/process.ts'

const servers: Server[] = []
const start = async (...options: Parameters<typeof startServer>) => {
  const server = await startServer(...options)
  servers.push(server)
  return server
}
after(() => Promise.all(servers.map((server) => server.remove())))

const withoutLog = (path: string) => {
  const database = openSqlite(path)
  database.exec('PRAGMA journal_mode = DELETE')
  return database
}

// Less than three waits of SQLite's usual five seconds; the test itself waits for nothing.
const longestLockMs = 12_000

test('while a till locks the POS file, all that does not need it is answered', async () => {
  const server = await start({
    prepare(folder) {
      makePos(join(folder, 'pos.db'), { stores: [{ id: 1, name: 'Main' }] })
      withoutLog(join(folder, 'pos.db')).close()
    },
  })
  const token = await server.token()
  const list = () => server.ask('/stores', { token })
  // Now the answer is remembered.
  for (let time = 0; time < 3; time += 1) assert.equal((await list()).status, 200)

  const till = withoutLog(join(server.data, 'pos.db'))
  till.exec('BEGIN EXCLUSIVE')
  const timer = setTimeout(() => till.close(), longestLockMs)
  const lists: ReturnType<typeof list>[] = []
  for (let time = 0; time < 3; time += 1) {
    lists.push(list())
    assert.equal((await server.ask('/status')).status, 200)
    assert.equal((await server.ask('/ping', { token })).status, 200)
  }
  assert(till.isOpen, 'the listener waited for the lock')
  clearTimeout(timer)
  till.exec('ROLLBACK')
  till.close()
  // A reader waits for the lock, but not for long.
  for (const { status, text } of await Promise.all(lists)) assert(status === 200 || status === 503, text)
  const { status, body } = await until('the list is answered', async () => {
    const answer = await list()
    return answer.status === 200 ? answer : undefined
  })
  assert.deepEqual([status, body.meta.total], [200, 1])
})

test('a reader of the log that stops costs no more than a megabyte, learns what it missed, and keeps no stop', async () => {
  const server = await start({ settings: { VITRINE_ANONYMOUS_RATE: '1000000' } })
  const { stdout } = server.child
  stdout.pause()
  const path = `/${'a'.repeat(14_000)}`
  const flood = () => Promise.all(Array.from({ length: 200 }, () => server.ask(path, { isPlain: true })))
  for (const { status } of await flood()) assert.equal(status, 403)
  assert.equal((await server.ask('/status')).status, 200)
  stdout.resume()
  const line = await until('the loss is told', async () => {
    await server.ask('/status', { isPlain: true })
    return server.logged().find(({ event }) => event === 'log_lines_dropped')
  })
  const seen = server.logged().filter((each) => String(each['path']).endsWith(path))
  assert(seen.length < 200 && seen.length + Number(line['lines']) >= 200, 'every line is there or counted')

  stdout.pause()
  await flood()
  server.child.kill('SIGTERM')
  const [status] = (await once(server.child, 'exit')) as [number | null]
  assert.equal(status, 0)
  stdout.resume()
})
