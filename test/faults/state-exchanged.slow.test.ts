// The files of a state are exchanged under a running service: another file in its place, one copied over it, its log removed.
// Meanwhile 503; then it comes back without a restart, the file is whole, and a key that is revoked is never served.
import assert from 'node:assert/strict'
import { chmodSync, copyFileSync, existsSync, linkSync, renameSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { openSqlite } from '../../src/platform/sqlite.ts'
import { startServer, until, type Answer, type NewKey, type Server } from '../support/process.ts'
import { behindProxy, proxied, type Proxied } from '../support/proxied.ts'

let server: Server
let via: Proxied
let key: NewKey
let path = ''
before(async () => {
  server = await startServer({
    rows: { stores: [{ id: 1, name: 'Main' }] },
    settings: { ...behindProxy, VITRINE_READERS: '1' },
  })
  via = proxied(server)
  key = await server.makeKey('--rate', '1000000')
  path = join(server.data, 'state.db')
})
after(async () => {
  via.close()
  await server.remove()
})

const withSqlite = <Result>(use: (database: ReturnType<typeof openSqlite>) => Result): Result => {
  const database = openSqlite(path, { lockTimeoutMs: 10_000 })
  try {
    return use(database)
  } finally {
    database.close()
  }
}

const isWhole = () =>
  withSqlite((database) => Object.values(database.prepare('PRAGMA integrity_check').get() ?? {})[0] === 'ok')

const remove = (...suffixes: string[]) => suffixes.forEach((suffix) => rmSync(path + suffix, { force: true }))
const backup = () => `${path}.backup`
const copyOver = () => copyFileSync(backup(), path)
const moveOver = () => {
  copyFileSync(backup(), `${path}.next`)
  renameSync(`${path}.next`, path)
}

const cases: readonly { name: string; harm: () => void; mend?: () => void }[] = [
  { name: 'another file is moved in its place', harm: moveOver },
  { name: 'another file is moved in its place, and the log removed', harm: () => (moveOver(), remove('-wal', '-shm')) },
  { name: 'the log is removed, and another file moved in its place', harm: () => (remove('-wal', '-shm'), moveOver()) },
  { name: 'another file is copied over it', harm: copyOver },
  { name: 'another file is copied over it, and the log removed', harm: () => (copyOver(), remove('-wal', '-shm')) },
  { name: 'the log is removed, and another file copied over it', harm: () => (remove('-wal', '-shm'), copyOver()) },
  { name: 'its log is removed', harm: () => remove('-wal') },
  { name: 'the index of its log is removed', harm: () => remove('-shm') },
  { name: 'its log and the index are removed', harm: () => remove('-wal', '-shm') },
  { name: 'it is emptied, and copied over', harm: () => truncateSync(path), mend: copyOver },
  { name: 'it is cut off, and copied over', harm: () => truncateSync(path, 8192), mend: copyOver },
  { name: 'it is cut off, and another moved in its place', harm: () => truncateSync(path, 8192), mend: moveOver },
  { name: 'it is deleted, and moved back from a backup', harm: () => remove(''), mend: moveOver },
  { name: 'it is deleted, and copied back from a backup', harm: () => remove(''), mend: copyOver },
  { name: 'all is deleted, and copied back from a backup', harm: () => remove('', '-wal', '-shm'), mend: copyOver },
]

const tokenOf = async (credentials: NewKey) => String((await via.signIn(credentials)).body.access_token)

const askAll = (token: string): Promise<Answer[]> =>
  Promise.all([via.ask('/stores', { token }), via.signIn(key), via.ask('/stores')])

describe('a state under a running service', () => {
  for (const { name, harm, mend } of cases)
    test(`${name}: it comes back by itself, and a revocation holds`, async () => {
      const doomed = await server.makeKey('--rate', '1000000')
      // A token is in the log, and so is what comes after the backup.
      const token = await tokenOf(key)
      rmSync(backup(), { force: true })
      withSqlite((database) => database.exec(`VACUUM INTO '${backup()}'`))
      for (let turn = 0; turn < 20; turn += 1) assert.equal((await via.signIn(key)).status, 200)

      harm()
      if (mend) {
        await until('it fails closed', async () => (await askAll(token)).every(({ status }) => status === 503))
        mend()
      }
      await until('it is back', async () => {
        const [data, signedIn, anonymous] = await askAll(token)
        for (const answer of [data, signedIn, anonymous])
          assert.ok([200, 401, 503].includes(answer?.status ?? 0), answer?.text)
        return signedIn?.status === 200 && anonymous?.status === 401
      })
      assert.equal((await via.ask('/stores', { token: await tokenOf(key) })).status, 200)
      assert.ok(isWhole())

      const last = await tokenOf(doomed)
      assert.equal((await via.ask('/stores', { token: last })).status, 200)
      const { status, stderr } = await server.run('keys', 'revoke', doomed.client_id)
      assert.deepEqual([status, stderr], [0, ''])
      for (let turn = 0; turn < 5; turn += 1) assert.equal((await via.ask('/stores', { token: last })).status, 401)
      assert.equal((await via.signIn(doomed)).status, 401)
      assert.ok(isWhole())
    })

  test('a key that was revoked stays so when the log is removed', async () => {
    const doomed = await server.makeKey('--rate', '1000000')
    const token = await tokenOf(doomed)
    for (let turn = 0; turn < 20; turn += 1) await via.signIn(key)
    assert.equal((await server.run('keys', 'revoke', doomed.client_id)).status, 0)
    remove('-wal', '-shm')
    for (let turn = 0; turn < 20; turn += 1) {
      const answers = await Promise.all([via.ask('/stores', { token }), via.signIn(doomed)])
      for (const answer of answers) assert.ok([401, 503].includes(answer.status), answer.text)
    }
    await until('it is back', async () => (await via.signIn(key)).status === 200)
    assert.equal((await via.signIn(doomed)).status, 401)
  })

  test('the log says in a sentence what happened, and what to do if it does not come back', async () => {
    remove('-wal', '-shm')
    await until('it is back', async () => (await via.signIn(key)).status === 200)
    const lost = await until('it is logged', () => server.logged().find(({ event }) => event === 'state_lost'))
    assert.match(JSON.stringify(lost), /was replaced, or its log was removed, while the service had it open/)
    assert.match(JSON.stringify(lost), /stop the service, put a backup in its place, remove \S+-wal and \S+-shm/)
  })

  test('a change of its mode, or a link to it, is no exchange: nobody is refused, and a token goes on', async () => {
    const token = await tokenOf(key)
    const link = `${path}.link`
    for (const touch of [() => chmodSync(path, 0o640), () => linkSync(path, link), () => chmodSync(path, 0o600)]) {
      touch()
      for (let turn = 0; turn < 10; turn += 1) {
        const [data, signedIn, anonymous] = await askAll(token)
        assert.deepEqual([data?.status, signedIn?.status, anonymous?.status], [200, 200, 401])
      }
    }
    rmSync(link)
  })

  test('what SQLite itself does to the file is no exchange: while others write and empty the log, nobody is refused', async () => {
    const token = await tokenOf(key)
    const statuses = new Set<number>()
    const done = new AbortController()
    const calls = (async () => {
      while (!done.signal.aborted) for (const { status } of await askAll(token)) statuses.add(status)
    })()
    for (let turn = 0; turn < 3; turn += 1) {
      assert.equal((await server.run('keys', 'update', key.client_id, '--name', `Turn ${turn}`)).status, 0)
      for (const mode of ['PASSIVE', 'FULL', 'RESTART', 'TRUNCATE'])
        withSqlite((database) => database.exec(`PRAGMA wal_checkpoint(${mode})`))
    }
    done.abort()
    await calls
    assert.deepEqual(statuses, new Set([200, 401]))
  })

  test('a service that has stopped leaves everything in the one file', async () => {
    const { status } = await server.stop()
    assert.equal(status, 0)
    assert.ok(existsSync(path) && !existsSync(`${path}-wal`))
    assert.ok(isWhole())
  })
})
