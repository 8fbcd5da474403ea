// The state's file: created if missing, kept if it is ours, refused and left unchanged if not.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { permissions } from '../../../src/catalogue/access.ts'
import { manualClock } from '../../../src/platform/clock.ts'
import { OperatorError } from '../../../src/errors.ts'
import { createKey } from '../../../src/keys/keys.ts'
import { openSqlite } from '../../../src/platform/sqlite.ts'
import { openSqliteState, startSqliteState } from '../../../src/state/sqlite/state.ts'
import { keptUsage } from '../../support/both-states.ts'
import { makePos } from '../../support/pos.ts'
import { attemptOf } from '../../support/postgres-state.ts'

const clock = manualClock(1_700_000_000_000)
let folder = ''
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'vitrine-state-'))
})
after(() => rmSync(folder, { recursive: true }))

const open = (path: string) => openSqliteState({ path, clock })
const start = (path: string) => startSqliteState({ path, clock, timeoutMs: 30_000 })

function change(path: string, statements: string) {
  const database = openSqlite(path)
  database.exec(statements)
  database.close()
}

test('state file: it is made, its folder too, with a subscription and no key', async () => {
  const path = join(folder, 'deep', 'er', 'state.db')
  const state = open(path)
  assert.deepEqual([await state.isEnabled(), await state.listKeys()], [true, []])
  await state.close()
})

test('state file: an empty file is a new one', async () => {
  const path = join(folder, 'empty.db')
  writeFileSync(path, '')
  const state = open(path)
  assert.equal(await state.isEnabled(), true)
  await state.close()
})

test('state file: its contents are there when it is opened again, in this thread or another', async () => {
  const path = join(folder, 'kept.db')
  const first = open(path)
  await createKey(first, { name: 'Kept', permissions: 'all' })
  await first.setEnabled(false)
  const keys = await first.listKeys()
  await first.close()
  for (const opened of [open, start, open]) {
    const again = opened(path)
    assert.deepEqual([await again.isEnabled(), await again.listKeys()], [false, keys])
    await again.close()
  }
})

// Columns that the fourth version added to the table of keys.
const withoutTerms = ['old_code_hash', 'old_code_until', 'expires_on', 'expires_at', 'addresses'].map(
  (column) => `ALTER TABLE keys DROP COLUMN ${column}`,
)

const withoutTokenKey = 'ALTER TABLE company DROP COLUMN token_key'

// The tables of the fifth version that the sixth and the seventh replaced.
const earlierUsage = [
  'DROP TABLE usage',
  'CREATE TABLE usage (hour INTEGER NOT NULL, access_key TEXT NOT NULL, requests INTEGER NOT NULL, records INTEGER NOT NULL, refusals INTEGER NOT NULL, PRIMARY KEY (hour, access_key)) STRICT, WITHOUT ROWID',
]
const withSharedPassword = [
  ...earlierUsage,
  'DROP TABLE accounts',
  'DROP TABLE sessions',
  'CREATE TABLE password (only INTEGER PRIMARY KEY CHECK (only = 1), salt BLOB NOT NULL, hash BLOB NOT NULL) STRICT',
  'CREATE TABLE sessions (hash BLOB PRIMARY KEY, by TEXT NOT NULL, started_at INTEGER NOT NULL, expires_at INTEGER NOT NULL) STRICT, WITHOUT ROWID',
]

test('state file: the password that all administrators shared becomes the account "administrator", and its sessions end', async () => {
  const path = join(folder, 'shared.db')
  await open(path).close()
  const [salt, hash, session] = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte))
  assert(salt && hash && session)
  change(path, [...withSharedPassword, 'PRAGMA user_version = 5'].join('; '))
  const database = openSqlite(path)
  database.prepare('INSERT INTO password VALUES (1, ?, ?)').run(salt, hash)
  database.prepare('INSERT INTO sessions VALUES (?, ?, ?, ?)').run(session, 'Marie, console', clock.now(), 9e15)
  database.close()
  const again = open(path)
  const [account, ...others] = await again.listAccounts()
  assert.deepEqual(
    [account?.name, account?.role, account?.lastSignInAt, others],
    ['administrator', 'administrator', null, []],
  )
  assert.ok(Math.abs((account?.createdAt ?? 0) - Date.now()) < 60_000)
  assert.deepEqual(await again.findSalt('administrator'), salt)
  assert.equal(await again.findSession(session), null)
  const origin = { address: '127.0.0.1', account: 'Administrator', browser: null }
  assert.equal((await again.signIn(origin, { passwordHash: hash, sessionHash: session })).is, 'granted')
  assert.equal((await again.findSession(session))?.by, 'administrator, console')
  await again.close()
})

test('state file: usage of the previous version is kept: its resources and causes are not known', async () => {
  const path = join(folder, 'usage.db')
  await open(path).close()
  const rows = "INSERT INTO usage VALUES (0, 'a', 7, 70, 2), (0, 'b', 1, 0, 0)"
  change(path, [...earlierUsage, rows, 'PRAGMA user_version = 6'].join('; '))
  const again = open(path)
  assert.deepEqual(await again.sumUsage(['accessKey', 'resource'], { from: 0, to: 1 }), keptUsage)
  await again.close()
})

test('state file: one of the previous version keeps its keys, codes, tokens and usage, and gets the new columns', async () => {
  const path = join(folder, 'before.db')
  const first = open(path)
  const made = await createKey(first, { name: 'Before', permissions: 'vendors:read' })
  assert('key' in made)
  const { accessKey } = made.key
  const attempt = attemptOf({ accessKey, securityCode: made.securityCode }, '10.0.0.1')
  assert.equal((await first.requestToken(attempt)).is, 'granted')
  await first.addUsage([], [{ accessKey, permission: '', at: 3_600_000, address: null }])
  await first.close()
  change(
    path,
    [
      ...withoutTerms,
      withoutTokenKey,
      ...withSharedPassword,
      'DROP TABLE blocked_addresses',
      'ALTER TABLE permission_use DROP COLUMN address',
      'PRAGMA user_version = 3',
    ].join('; '),
  )
  const again = open(path)
  assert.deepEqual(await again.listKeys(), [made.key])
  assert.deepEqual(await again.listLastUse('keys', null), [{ accessKey, permission: '', at: 3_600_000, address: null }])
  assert.equal((await again.admit(attempt.tokenHash)).admitted?.caller.accessKey, accessKey)
  const next = attemptOf({ accessKey, securityCode: made.securityCode }, '10.0.0.1')
  assert.equal((await again.requestToken(next)).is, 'granted')
  await again.rotateKey(accessKey, next.tokenHash, 60_000)
  await again.updateKey(accessKey, { addresses: ['10.0.0.0/8'], expires: { day: '2030-01-01', at: 1_900_000_000_000 } })
  const [key] = await again.listKeys()
  assert.deepEqual(
    [key?.oldCodeUntil, key?.addresses, key?.expires?.day],
    [clock.now() + 60_000, ['10.0.0.0/8'], '2030-01-01'],
  )
  await again.close()
})

test('state file: one of an older version gets the missing tables and keeps its contents', async () => {
  const path = join(folder, 'older.db')
  const first = open(path)
  await createKey(first, { name: 'Older', permissions: 'all' })
  const keys = await first.listKeys()
  await first.close()
  const added = ['audit', 'blocked_addresses', 'usage', 'accounts', 'password_links', 'sessions', 'permission_use']
  const dropped = added.map((table) => `DROP TABLE ${table}`)
  change(path, [...withoutTerms, withoutTokenKey, ...dropped, 'PRAGMA user_version = 1'].join('; '))
  const again = open(path)
  assert.deepEqual(await again.listKeys(), keys)
  assert.equal((await again.tokenKey()).length, 32)
  assert.equal((await again.listLastUse('permissions', null)).length, permissions.length)
  await again.revokeKey(keys[0]?.accessKey ?? '', 'ada')
  const usage = { hour: 0, accessKey: 'a', resource: 'other', outcome: 'answered', requests: 1, records: 2 } as const
  await again.addUsage([usage])
  const acts = (await again.listAudit({ limit: 9 })).map(({ act, by }) => [act, by])
  assert.deepEqual([acts, (await again.sumUsage(['hour'], { from: 0, to: 1 })).length], [[['key revoked', 'ada']], 1])
  await again.close()
})

const foreign: readonly { name: string; make: (path: string) => void; says: RegExp }[] = [
  {
    name: 'another SQLite database',
    make: (path) => change(path, 'CREATE TABLE keys (access_key TEXT)'),
    says: /is not a state database of Vitrine/,
  },
  {
    name: 'another SQLite database with a high version',
    make: (path) => change(path, 'CREATE TABLE t (a); PRAGMA user_version = 900'),
    says: /is not a state database of Vitrine/,
  },
  {
    name: 'another SQLite database with an application id',
    make: (path) => change(path, 'CREATE TABLE t (a); PRAGMA application_id = 42; PRAGMA user_version = 1'),
    says: /is not a state database of Vitrine/,
  },
  { name: 'the POS database', make: (path) => makePos(path, {}), says: /is not a state database of Vitrine/ },
  {
    name: 'a state of a newer version',
    make: (path) => {
      void open(path).close()
      change(path, 'PRAGMA journal_mode = DELETE; PRAGMA user_version = 1000')
    },
    says: /newer version/,
  },
  { name: 'a text', make: (path) => writeFileSync(path, 'no database\n'.repeat(100)), says: /./ },
]

for (const { name, make, says } of foreign) {
  test(`state file: ${name} is refused in a sentence that names it, and left as it was`, () => {
    const path = join(folder, `${name.replaceAll(' ', '-')}.db`)
    make(path)
    const bytes = readFileSync(path)
    for (const opened of [open, start]) {
      assert.throws(
        () => opened(path),
        (error) => error instanceof OperatorError && error.message.includes(path) && says.test(error.message),
      )
    }
    assert.ok(readFileSync(path).equals(bytes), 'the bytes are the same')
  })
}

test('state file: a folder in its place is refused in a sentence that names it', () => {
  const path = join(folder, 'folder.db')
  mkdirSync(path)
  for (const opened of [open, start])
    assert.throws(
      () => opened(path),
      (error) => error instanceof OperatorError && error.message.includes(path),
    )
})
