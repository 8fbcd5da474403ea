// The files of a state are exchanged under a running service: another file in its place, one copied over it, its log removed. It answers
// 503 from then on, says why in one sentence, and ends with status 1, so that a supervisor starts it again. It lets no revoked token
// through, and writes nothing into the other file.
import assert from 'node:assert/strict'
import {
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { openSqlite } from '../../src/platform/sqlite.ts'
import { runVitrine, startServer, type Answer, type NewKey, type Server } from '../support/process.ts'
import { behindProxy, proxied, type Proxied } from '../support/proxied.ts'

let server: Server
let via: Proxied
let key: NewKey
let path = ''

async function start(folder?: string) {
  const rows = { stores: [{ id: 1, name: 'Main' }] }
  const settings = { ...behindProxy, VITRINE_READERS: '1' }
  server = await startServer({ rows, settings, ...(folder === undefined ? {} : { folder }) })
  via = proxied(server)
}
before(async () => {
  await start()
  key = await server.makeKey('--rate', '1000000')
  path = join(server.data, 'state.db')
})
after(async () => {
  via.close()
  await server.remove()
})

const withSqlite = <Result>(use: (database: ReturnType<typeof openSqlite>) => Result, file = path): Result => {
  const database = openSqlite(file, { lockTimeoutMs: 10_000 })
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

interface Case {
  readonly name: string
  readonly harm: () => void
  // What is there afterwards. 'nothing': no service starts until a backup is put in its place.
  readonly leaves: 'the state' | 'the backup' | 'nothing'
}

const cases: readonly Case[] = [
  { name: 'another file is moved in its place', harm: moveOver, leaves: 'the backup' },
  {
    name: 'another file is moved in its place, and the log removed',
    harm: () => (moveOver(), remove('-wal', '-shm')),
    leaves: 'the backup',
  },
  { name: 'another file is copied over it', harm: copyOver, leaves: 'the backup' },
  { name: 'its log is removed', harm: () => remove('-wal'), leaves: 'the state' },
  { name: 'the index of its log is removed', harm: () => remove('-shm'), leaves: 'the state' },
  { name: 'it is deleted', harm: () => remove(''), leaves: 'nothing' },
  { name: 'it is emptied', harm: () => truncateSync(path), leaves: 'nothing' },
  { name: 'it is cut off', harm: () => truncateSync(path, 8192), leaves: 'nothing' },
  {
    name: 'it is overwritten with noise in its place',
    harm: () => writeFileSync(path, Buffer.alloc(statSync(path).size, 0xa5)),
    leaves: 'nothing',
  },
]

const tokenOf = async (credentials: NewKey) => String((await via.signIn(credentials)).body.access_token)

// Undefined: the listener is closed, or ended the connection.
const statusOf = (answer: Promise<Answer>): Promise<number | undefined> =>
  answer.then(
    ({ status }) => status,
    () => undefined,
  )

/** Asks until the process has ended; every answer is 503. */
async function assertEnds(tokens: readonly string[]): Promise<void> {
  const { child } = server
  const seen: (number | undefined)[] = []
  do
    seen.push(
      ...(await Promise.all([
        ...tokens.map((token) => statusOf(via.ask('/stores', { token }))),
        statusOf(via.ask('/stores')),
        statusOf(via.signIn(key)),
      ])),
    )
  while (child.exitCode === null && child.signalCode === null)
  assert.ok(seen.includes(503))
  assert.deepEqual(
    [...new Set(seen)].filter((status) => status !== 503 && status !== undefined),
    [],
  )
  const { status, signal } = await server.ended
  assert.deepEqual([status, signal], [1, null], server.stderr())
  const told = server.logged().filter(({ event }) => event === 'state_exchanged' || event === 'state_lost')
  assert.equal(told.length, 1, JSON.stringify(told))
  assert.match(
    String(told[0]?.['problem']),
    /^The state database \S+ was exchanged, or its log was removed, while the service had it open\. .* To put back a backup: stop the service, put the file in its place, remove \S+-wal and \S+-shm, and start it\.$/,
  )
}

async function startAgain(): Promise<void> {
  via.close()
  await start(server.data)
}

describe('a state under a running service', () => {
  for (const { name, harm, leaves } of cases)
    test(`${name}: 503, one sentence, status 1, and all is well after the next start`, async () => {
      const doomed = await server.makeKey('--rate', '1000000')
      const [token, lost] = [await tokenOf(key), await tokenOf(doomed)]
      rmSync(backup(), { force: true })
      withSqlite((database) => database.exec(`VACUUM INTO '${backup()}'`))
      // In the backup, its key is not revoked.
      assert.equal((await server.run('keys', 'revoke', doomed.client_id)).status, 0)
      assert.equal((await via.ask('/stores', { token: lost })).status, 401)
      for (let turn = 0; turn < 20; turn += 1) assert.equal((await via.signIn(key)).status, 200)

      harm()
      await assertEnds([token, lost])
      if (leaves === 'the backup')
        assert.ok(readFileSync(path).equals(readFileSync(backup())), 'it is as it was put there')
      if (leaves === 'nothing') {
        const { status, stderr } = await runVitrine(['serve', '--json'], server.settings, server.data)
        assert.equal(status, 2)
        assert.ok(stderr.includes(path), stderr)
        remove('-wal', '-shm')
        copyOver()
      }
      await startAgain()
      assert.equal((await via.ask('/stores', { token: await tokenOf(key) })).status, 200)
      assert.ok(isWhole())
      if (leaves === 'the state') assert.equal((await via.ask('/stores', { token: lost })).status, 401)
      else await server.run('keys', 'revoke', doomed.client_id)
      assert.equal((await via.signIn(doomed)).status, 401)
    })

  test('copied over by one in which a key was revoked: its token is refused from the next request on', async () => {
    const doomed = await server.makeKey()
    const token = await tokenOf(doomed)
    rmSync(backup(), { force: true })
    withSqlite((database) => database.exec(`VACUUM INTO '${backup()}'`))
    withSqlite(
      (database) => database.prepare('UPDATE keys SET revoked_at = 1 WHERE access_key = ?').run(doomed.client_id),
      backup(),
    )
    assert.equal((await via.ask('/ping', { token })).status, 200)
    copyOver()
    await assertEnds([token])
    await startAgain()
    assert.equal((await via.ask('/ping', { token })).status, 401)
  })

  test('what SQLite itself does to the file is no exchange: while others write and empty the log, nobody is refused', async () => {
    const token = await tokenOf(key)
    const statuses = new Set<number | undefined>()
    const done = new AbortController()
    const calls = (async () => {
      while (!done.signal.aborted) for (const status of await askAll(token)) statuses.add(status)
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

const askAll = (token: string) =>
  Promise.all([via.ask('/stores', { token }), via.signIn(key), via.ask('/stores')].map(statusOf))
