// A POS database that changes under a running service in ways that no till would: another in its place, a page that is noise,
// a writer that shuts readers out, tables that are gone or different. What is answered is of the database that is there at that
// moment, or it is 503 with Retry-After; and all is well once the database is, without a restart.
// (io/recovery.slow.test.ts has files that go away as a whole.)
import assert from 'node:assert/strict'
import { closeSync, copyFileSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { openSqlite, type Sqlite } from '../../src/platform/sqlite.ts'
import { dropDatabases, makeDatabase, type Database } from '../support/database.ts'
import { howMuch, told } from '../support/how-much.ts'
import { makeCompanyAt } from '../support/own-company.ts'
import { makePos, type Rows } from '../support/pos.ts'
import { assertCommonHeaders, startServer, until, type Answer, type Server } from '../support/process.ts'
import { behindProxy, proxied, type Proxied } from '../support/proxied.ts'

const count = 400
const companyOf = (name: string): Rows => ({
  stores: [{ id: 1, name }],
  vendors: Array.from({ length: count }, (_, at) => ({ id: at + 1, name, active: true, website: 'w'.repeat(3000) })),
})

let server: Server
let via: Proxied
let token = ''
let pos = ''
const besides = ['-wal', '-shm']
const file = (name: string) => join(server.data, `${name}.db`)
before(async () => {
  server = await startServer({
    rows: companyOf('First'),
    settings: { ...behindProxy, VITRINE_STATEMENT_TIMEOUT_MS: '2000', VITRINE_READERS: '2' },
  })
  pos = join(server.data, 'pos.db')
  copyFileSync(pos, file('first'))
  makePos(file('second'), companyOf('Second'))
  via = proxied(server)
  token = await server.token()
})
after(async () => {
  via.close()
  await server.remove()
})

const ask = (target: string) => via.ask(target, { token })

function assertUnavailable({ status, headers, body, text }: Answer) {
  assert.deepEqual([status, body.error?.code], [503, 'temporarily_unavailable'], text.slice(0, 300))
  assert(Number(headers['retry-after']) >= 1)
  assertCommonHeaders(headers)
}

/** The one company that a list is of. */
function companyIn(answer: Answer): string {
  const names = new Set(answer.body.data.map(({ name }: { name: string }) => name))
  assert.equal(names.size, 1, `of several companies: ${[...names].join(', ')}`)
  assert(answer.body.meta.total === count || answer.body.meta.total === 1, answer.text.slice(-200))
  return String([...names][0])
}

const lists = [
  '/stores',
  '/vendors?per_page=100',
  '/vendors?per_page=100&page=4&sort=id',
  '/vendors?sort=-id&per_page=1',
]

/** Both readers, and the memory of whole answers, have seen this company. */
async function servesOnly(name: string) {
  await until(`${name} is served`, async () => {
    const answer = await ask('/stores')
    return answer.status === 200 && companyIn(answer) === name
  })
  for (const answer of await Promise.all([...lists, ...lists, ...lists].map(ask))) {
    assert.equal(answer.status, 200, answer.text)
    assert.equal(companyIn(answer), name)
  }
}

function putInPlace(name: string) {
  for (const suffix of besides) rmSync(pos + suffix, { force: true })
  copyFileSync(file(name), `${pos}.next`)
  renameSync(`${pos}.next`, pos)
}

const on = (act: (database: Sqlite) => void) => () => {
  const database = openSqlite(pos, { lockTimeoutMs: 10_000 })
  try {
    act(database)
  } finally {
    database.close()
  }
}
const script = (sql: string) => on((database) => database.exec(sql))

/** Asks all the time; every answer is of one company, and of the new one if it was asked for after the change. */
async function whileAsking(change: () => void, next: string): Promise<{ answers: number; refused: number }> {
  const stopped = new AbortController()
  let changingAt = Infinity
  let changedAt = Infinity
  let answers = 0
  let refused = 0
  const callers = Array.from({ length: 6 }, async (_, caller) => {
    for (let turn = caller; !stopped.signal.aborted; turn += 1) {
      const startedAt = performance.now()
      const answer = await ask(lists[turn % lists.length] ?? '')
      answers += 1
      if (answer.status !== 200) {
        assertUnavailable(answer)
        refused += 1
      } else if (startedAt > changedAt) assert.equal(companyIn(answer), next, 'a stale answer')
      // While a file is copied over another, either answer is right.
      else if (performance.now() < changingAt) companyIn(answer)
    }
  })
  const all = Promise.all(callers).finally(() => stopped.abort())
  all.catch(() => {})
  await until('it is asked', () => answers > 40)
  changingAt = performance.now()
  change()
  changedAt = performance.now()
  const before = answers
  await until('it is asked on', () => answers > before + 60 || stopped.signal.aborted)
  stopped.abort()
  await all
  return { answers, refused }
}

describe('another company in its place', () => {
  beforeEach(async () => {
    putInPlace('first')
    await servesOnly('First')
  })

  const ways: readonly { name: string; put: () => void }[] = [
    { name: 'renamed over it', put: () => putInPlace('second') },
    {
      name: 'copied over it, its log removed',
      put() {
        for (const suffix of besides) rmSync(pos + suffix, { force: true })
        copyFileSync(file('second'), pos)
      },
    },
    { name: 'copied over it', put: () => copyFileSync(file('second'), pos) },
  ]
  for (const { name, put } of ways)
    test(`${name} under load: every answer is of one company, and none is stale`, async () => {
      const turns = howMuch(3, 30)
      const sum = { answers: 0, refused: 0 }
      for (let turn = 0; turn < turns; turn += 1) {
        const { answers, refused } = await whileAsking(put, 'Second')
        sum.answers += answers
        sum.refused += refused
        await servesOnly('Second')
        putInPlace('first')
        await servesOnly('First')
      }
      told(`another company ${name}: ${turns} times, ${sum.answers} answers, ${sum.refused} refused, none stale`)
    })
})

test('a page that is noise: 503, or the answer as it was; and all is well once the file is', async () => {
  putInPlace('first')
  await servesOnly('First')
  const targets = [...lists, ...Array.from({ length: 8 }, (_, at) => `/vendors?per_page=50&sort=id&page=${at + 1}`)]
  const right = new Map<string, string>()
  for (const target of targets) right.set(target, (await ask(target)).text)
  const size = statSync(pos).size / 4096
  const pages = howMuch(12, Math.floor(size))
  let [refused, same] = [0, 0]
  for (let turn = 0; turn < pages; turn += 1) {
    const page = Math.floor((turn * size) / pages)
    const handle = openSync(pos, 'r+')
    writeSync(handle, Buffer.alloc(4096, 0xa5), 0, 4096, page * 4096)
    closeSync(handle)
    for (const target of targets) {
      const answer = await ask(target)
      if (answer.status === 200) {
        assert.equal(answer.text, right.get(target), `page ${page} is noise`)
        same += 1
      } else {
        assertUnavailable(answer)
        refused += 1
      }
    }
    putInPlace('first')
    await servesOnly('First')
  }
  assert(refused > 0, 'no page mattered')
  told(`a page of ${size} is noise: ${pages} of them, ${refused} answers refused, ${same} as they were`)
})

const shuttingOut: readonly { end: 'COMMIT' | 'ROLLBACK'; name: string }[] = [
  { end: 'COMMIT', name: 'Changed' },
  { end: 'ROLLBACK', name: 'First' },
]
for (const { end, name } of shuttingOut)
  test(`a writer that shuts readers out, and ends with ${end}: 503, and then what it left`, async () => {
    putInPlace('first')
    script('PRAGMA journal_mode = DELETE')()
    await servesOnly('First')
    const writer = openSqlite(pos, { lockTimeoutMs: 10_000 })
    writer.exec(`BEGIN EXCLUSIVE; UPDATE stores SET name = 'Changed'; UPDATE vendors SET name = 'Changed'`)
    for (const answer of await Promise.all([...lists, ...lists].map(ask))) assertUnavailable(answer)
    const waiting = lists.map(ask)
    writer.exec(end)
    writer.close()
    // Waiting requests also get the new data.
    for (const answer of await Promise.all(waiting)) {
      if (answer.status === 200) assert.equal(companyIn(answer), name)
      else assertUnavailable(answer)
    }
    await servesOnly(name)
  })

interface Change {
  readonly name: string
  readonly change: string
  readonly back: string
  /** The answer of /vendors meanwhile: refused, or a list with this total. */
  readonly meanwhile: 'refused' | number
}

const viewColumns = (from: string) =>
  ['id', 'active', 'name', ...vendorColumns].map((column) => (column === 'name' ? `'First' AS name` : column)).join() +
  ` FROM ${from}`
const vendorColumns =
  'code contact_first_name contact_last_name other_contact phone phone2 email website address city zip country currency created_at updated_at'.split(
    ' ',
  )

/** On both engines alike. */
const changes: readonly Change[] = [
  {
    name: 'a table renamed',
    change: 'ALTER TABLE vendors RENAME TO vendors_away',
    back: 'ALTER TABLE vendors_away RENAME TO vendors',
    meanwhile: 'refused',
  },
  {
    name: 'a column renamed',
    change: 'ALTER TABLE vendors RENAME COLUMN other_contact TO another',
    back: 'ALTER TABLE vendors RENAME COLUMN another TO other_contact',
    meanwhile: count,
  },
  {
    name: 'a column dropped',
    change: 'ALTER TABLE vendors DROP COLUMN country',
    back: 'ALTER TABLE vendors ADD COLUMN country TEXT',
    meanwhile: count,
  },
  {
    name: 'a column added',
    change: 'ALTER TABLE vendors ADD COLUMN nickname TEXT',
    back: 'ALTER TABLE vendors DROP COLUMN nickname',
    meanwhile: count,
  },
  {
    name: 'a table in whose place is a view of a part of it',
    change: `ALTER TABLE vendors RENAME TO vendors_away; CREATE VIEW vendors AS SELECT ${viewColumns('vendors_away')} WHERE id > 100`,
    back: 'DROP VIEW vendors; ALTER TABLE vendors_away RENAME TO vendors',
    meanwhile: count - 100,
  },
]

interface Place {
  readonly ask: (target: string) => Promise<Answer>
  readonly run: (sql: string) => void | Promise<void>
}

const vendorTargets = [
  '/vendors?per_page=100',
  '/vendors?per_page=100&page=4&sort=id',
  '/vendors/200',
  '/vendors?search=First',
]

async function endureChange({ name, change, back, meanwhile }: Change, { ask: askThere, run }: Place) {
  const askAll = () => Promise.all([...vendorTargets, ...vendorTargets].map(askThere))
  const assertTotal = (answers: readonly Answer[], total: number) => {
    for (const { status, body, text } of answers) {
      assert.equal(status, 200, `${name}: ${text}`)
      if (body.meta) assert.equal(body.meta.total, total, name)
    }
  }
  assertTotal(await askAll(), count)
  await run(change)
  // From the next request on.
  const answers = await askAll()
  if (meanwhile === 'refused') answers.forEach(assertUnavailable)
  else assertTotal(answers, meanwhile)
  assert.equal((await askThere('/stores')).status, 200, 'the others are served')
  await run(back)
  await until(`${name}: all is well`, async () => (await askThere('/vendors/200')).status === 200)
  assertTotal(await askAll(), count)
}

describe('a schema that is changed', () => {
  before(async () => {
    putInPlace('first')
    await servesOnly('First')
  })
  for (const each of changes)
    test(`${each.name} (SQLite): from the next request on, and back again`, () =>
      endureChange(each, { ask, run: (sql) => script(sql)() }))
})

describe('the same on PostgreSQL, and rights', () => {
  let other: Server
  let there: Proxied
  let database: Database
  let bearer = ''
  before(async () => {
    database = await makeDatabase()
    const role = await database.makeRole()
    await makeCompanyAt(database.at('pos'), companyOf('First'))
    await database.query(`SET search_path = pos; GRANT USAGE ON SCHEMA pos TO ${role.name};
      GRANT SELECT ON ALL TABLES IN SCHEMA pos TO ${role.name};
      ALTER DEFAULT PRIVILEGES IN SCHEMA pos GRANT SELECT ON TABLES TO ${role.name}`)
    other = await startServer({
      prepare: () => {},
      settings: {
        ...behindProxy,
        VITRINE_DATABASE_URL: database.at('pos', role),
        VITRINE_STATE_URL: 'sqlite:state.db',
        VITRINE_STATEMENT_TIMEOUT_MS: '10000',
        VITRINE_READERS: '2',
      },
    })
    there = proxied(other)
    bearer = await other.token()
  })
  after(async () => {
    there?.close()
    await other?.remove()
    await dropDatabases()
  })
  const place = (): Place => ({
    ask: (target) => there.ask(target, { token: bearer }),
    run: async (sql) => void (await database.query(sql)),
  })
  for (const each of changes)
    test(`${each.name} (PostgreSQL): from the next request on, and back again`, () => endureChange(each, place()))

  test('rights that are taken away: 503, and served again once they are given back', async () => {
    const [{ name } = { name: '' }] = await database.query(
      `SELECT grantee AS name FROM information_schema.table_privileges WHERE table_name = 'vendors' AND grantee LIKE 'role%'`,
    )
    await endureChange(
      {
        name: 'rights on a table',
        change: `REVOKE SELECT ON pos.vendors FROM ${name}`,
        back: `GRANT SELECT ON pos.vendors TO ${name}`,
        meanwhile: 'refused',
      },
      place(),
    )
  })

  test('a table that is locked for good: 503 in time, the others are served, and so is it once it is free', async () => {
    const { ask: askThere, run } = place()
    // New requests: a remembered answer would be right, and would not wait for the lock.
    const targets = ['/vendors?per_page=37', '/vendors?per_page=38&sort=-id', '/vendors/201', '/vendors?search=Fir']
    await run('BEGIN; LOCK TABLE pos.vendors')
    const [stores, ...answers] = await Promise.all(['/stores', ...targets].map(askThere))
    await run('ROLLBACK')
    answers.forEach(assertUnavailable)
    assert.equal(stores?.status, 200)
    for (const target of targets)
      await until(`${target} is served`, async () => (await askThere(target)).status === 200)
  })
})
