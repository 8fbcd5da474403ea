// Databases that go away, change or are locked under a running service: 503 with Retry-After meanwhile, nothing let
// through, and everything as before once they are back, without a restart.
import assert from 'node:assert/strict'
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { openSqlite } from '../../src/platform/sqlite.ts'
import { insertRows, makePos, type Rows } from '../support/pos.ts'
import {
  assertCommonHeaders,
  meanwhile,
  startServer,
  until,
  type Answer,
  type NewKey,
  type Server,
} from '../support/process.ts'

let server: Server
let key: NewKey
let token = ''
let pos = ''
const original = () => join(server.data, 'original.db')
before(async () => {
  server = await startServer({
    rows: companyOf('Main'),
    settings: { VITRINE_STATEMENT_TIMEOUT_MS: '2000', VITRINE_READERS: '2' },
  })
  pos = join(server.data, 'pos.db')
  copyFileSync(pos, original())
  key = await server.makeKey('--rate', '1000000')
  token = await server.tokenOf(key)
})
after(() => server.remove())

function companyOf(name: string): Rows {
  // More than a connection keeps in its memory, so that what is read later comes from the file.
  const vendors = Array.from({ length: 300 }, (_, at) => ({
    id: at + 1,
    name: `Vendor ${at}`,
    active: true,
    website: 'w'.repeat(40_000),
  }))
  return { stores: [{ id: 1, name }], vendors }
}

const namesOf = (answer: Answer) => answer.body.data.map(({ name }: { name: string }) => name)
const isServing = async (name: string) => {
  const answer = await server.ask('/stores', { token })
  return answer.status === 200 && namesOf(answer)[0] === name
}

function assertUnavailable(answer: Answer) {
  const code = typeof answer.body.error === 'string' ? answer.body.error : answer.body.error.code
  assert.deepEqual([answer.status, code], [503, 'temporarily_unavailable'])
  assert.ok(Number(answer.headers['retry-after']) >= 1)
  assertCommonHeaders(answer.headers)
}

function replaceBy(make: (path: string) => void) {
  const next = `${pos}.next`
  make(next)
  // As an orderly replacement does it: no log of the old file stays beside the new one.
  for (const suffix of ['-wal', '-shm']) rmSync(pos + suffix, { force: true })
  renameSync(next, pos)
  for (const suffix of ['-wal', '-shm']) if (existsSync(next + suffix)) renameSync(next + suffix, pos + suffix)
}

describe('recovery: the POS database', () => {
  // Every reader is at work on the original: it was seen by several requests at once.
  beforeEach(async () => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(pos + suffix, { force: true })
    copyFileSync(original(), pos)
    await until('the original is served', () => isServing('Main'))
    const answers = await Promise.all([1, 2, 3, 4].map(() => server.ask('/vendors', { token })))
    for (const { status } of answers) assert.equal(status, 200)
  })

  const outages: readonly { name: string; harm: () => void; mend: () => void }[] = [
    {
      name: 'moved away',
      harm: () => renameSync(pos, `${pos}.away`),
      mend: () => renameSync(`${pos}.away`, pos),
    },
    {
      name: 'deleted',
      harm: () => rmSync(pos),
      mend: () => copyFileSync(original(), pos),
    },
    {
      name: 'replaced by something that is no database',
      harm: () => replaceBy((path) => writeFileSync(path, 'This is a letter, not a database. '.repeat(1000))),
      mend: () => replaceBy((path) => copyFileSync(original(), path)),
    },
    {
      name: 'replaced by a database of another program',
      harm: () => replaceBy((path) => execute(path, 'CREATE TABLE songs (title TEXT)')),
      mend: () => replaceBy((path) => copyFileSync(original(), path)),
    },
    {
      name: 'replaced by an empty file',
      harm: () => replaceBy((path) => writeFileSync(path, '')),
      mend: () => replaceBy((path) => copyFileSync(original(), path)),
    },
    {
      name: 'overwritten with noise',
      harm: () => writeFileSync(pos, Buffer.alloc(readFileSync(pos).length, 0xa5)),
      mend: () => copyFileSync(original(), pos),
    },
    {
      name: 'cut off',
      harm: () => truncateSync(pos, 8192),
      mend: () => copyFileSync(original(), pos),
    },
  ]
  for (const { name, harm, mend } of outages) {
    test(`a database that is ${name}: 503 meanwhile, and served again without a restart`, async () => {
      harm()
      await until('it is noticed', async () => (await server.ask('/vendors?per_page=100', { token })).status !== 200)
      const answers = await Promise.all(
        ['/vendors?per_page=100&page=2', '/vendors?per_page=100&page=3', '/vendors?sort=-name'].map((target) =>
          server.ask(target, { token }),
        ),
      )
      answers.forEach(assertUnavailable)
      assert.equal((await server.ask('/status')).status, 200)
      assert.equal((await server.ask('/ping', { token })).status, 200)
      assert.equal((await server.signIn(key)).status, 200)
      mend()
      await until('it is served again', () => isServing('Main'))
      const list = await Promise.all([1, 2, 3, 4].map(() => server.ask('/vendors?per_page=100&page=2', { token })))
      assert.deepEqual(
        list.map((answer) => [answer.status, answer.body.meta?.total]),
        [1, 2, 3, 4].map(() => [200, 300]),
      )
    })
  }

  test('a database that is replaced by another: every reader serves the new one, at once and for good', async () => {
    replaceBy((path) => makePos(path, companyOf('Second')))
    const answers = await Promise.all(Array.from({ length: 8 }, () => server.ask('/stores', { token })))
    assert.deepEqual(
      answers.map((answer) => [answer.status, ...namesOf(answer)]),
      answers.map(() => [200, 'Second']),
    )
  })

  test('a writer at work does not hold up readers; what it commits is seen at once', async () => {
    const writer = openSqlite(pos)
    try {
      writer.exec('BEGIN IMMEDIATE')
      writer.exec(`UPDATE stores SET name = 'Changed'`)
      assert.ok(await isServing('Main'))
      writer.exec('COMMIT')
      assert.ok(await isServing('Changed'))
      insertRows(writer, { stores: [{ id: 2, name: 'New' }] })
      assert.deepEqual(namesOf(await server.ask('/stores', { token })), ['Changed', 'New'])
    } finally {
      writer.close()
    }
  })

  test('a database that is locked for good: 503, and served again once it is free', async () => {
    // Without a log beside the file, a writer shuts readers out.
    replaceBy((path) => {
      copyFileSync(original(), path)
      execute(path, 'PRAGMA journal_mode = DELETE')
    })
    const locker = openSqlite(pos, { lockTimeoutMs: 10_000 })
    try {
      locker.exec('BEGIN EXCLUSIVE')
      const late = await Promise.all([1, 2, 3].map(() => server.ask('/stores', { token })))
      late.forEach(assertUnavailable)
      assert.equal((await server.ask('/status')).status, 200)
    } finally {
      locker.close()
    }
    await until('it is served again', () => isServing('Main'))
  })
})

function execute(path: string, statements: string) {
  const database = openSqlite(path)
  database.exec(statements)
  database.close()
}

describe('recovery: the state', () => {
  test('a state that another process has locked: tokens go on, nobody signs in, all is well afterwards', async () => {
    const locker = openSqlite(join(server.data, 'state.db'), { lockTimeoutMs: 10_000 })
    try {
      locker.exec('BEGIN EXCLUSIVE')
      const times: number[] = []
      const asked = [server.signIn(key), server.signIn({ ...key, client_secret: 'svc_sk_wrong' })]
      const refused = await meanwhile(Promise.all(asked), async () => {
        const startedAt = performance.now()
        assert.equal((await server.ask('/status')).status, 200)
        times.push(performance.now() - startedAt)
      })
      refused.forEach(assertUnavailable)
      // It can still be read.
      for (const path of ['/stores', '/ping']) assert.equal((await server.ask(path, { token })).status, 200)
      // A request that waited for the state would take half a second or more. Busy cores delay some requests, not most.
      const middle = times.toSorted((one, other) => one - other)[times.length >> 1] ?? Infinity
      assert.ok(middle < 400, `/status took ${middle} ms`)
      for (const answer of [await server.ask('/stores'), await server.ask('/stores', { token: 'svc_at_wrong' })])
        assert.ok([401, 503].includes(answer.status))
    } finally {
      locker.exec('ROLLBACK')
      locker.close()
    }
    await until('requests are let in again', () => isServing('Main'))
    assert.equal((await server.signIn(key)).status, 200)
  })

  test('a state that is locked for a moment is waited for', async () => {
    const locker = openSqlite(join(server.data, 'state.db'), { lockTimeoutMs: 10_000 })
    locker.exec('BEGIN IMMEDIATE')
    const answer = server.ask('/ping', { token })
    await server.ask('/status')
    locker.exec('ROLLBACK')
    locker.close()
    assert.equal((await answer).status, 200)
  })
})
