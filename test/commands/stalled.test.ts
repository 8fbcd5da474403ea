// A till that locks the POS file must not stop the service.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openSqlite } from '../../src/platform/sqlite.ts'
import { makePos } from '../support/pos.ts'
import { startServer, until, type Server } from '../support/process.ts'

let server: Server
after(() => server.remove())

const withoutLog = (path: string) => {
  const database = openSqlite(path)
  database.exec('PRAGMA journal_mode = DELETE')
  return database
}

// Less than three waits of SQLite's usual five seconds; the test itself waits for nothing.
const longestLockMs = 12_000

test('while a till locks the POS file, all that does not need it is answered', async () => {
  server = await startServer({
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
