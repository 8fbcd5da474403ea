// The state's file: created if missing, kept if it is ours, refused and left unchanged if not. How a later version will migrate it.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { manualClock } from '../../../src/platform/clock.ts'
import { OperatorError } from '../../../src/errors.ts'
import { createKey } from '../../../src/keys/keys.ts'
import { openSqlite } from '../../../src/platform/sqlite.ts'
import { migrate, migrations } from '../../../src/state/sqlite/schema.ts'
import { openSqliteState, startSqliteState } from '../../../src/state/sqlite/state.ts'
import { makePos } from '../../support/pos.ts'

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

const makesTable = [...migrations, 'CREATE TABLE later (a INTEGER); INSERT INTO later VALUES (1)']

/** A state with a key, open to be migrated, and what is in it. */
async function stateToMigrate(name: string) {
  const path = join(folder, name)
  const state = open(path)
  await createKey(state, { name: 'Kept', permissions: 'all' })
  const keys = await state.listKeys()
  await state.close()
  const database = openSqlite(path, { lockTimeoutMs: 0 })
  return {
    path,
    database,
    version: () => database.prepare('PRAGMA user_version').get()?.['user_version'],
    hasTable: () => database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'later'").get() !== undefined,
    assertKept: async () => {
      const again = open(path)
      assert.deepEqual(await again.listKeys(), keys)
      await again.close()
    },
  }
}

test('state file: a later version migrates it once and keeps its contents; this one then refuses it', async () => {
  const { path, database, version, assertKept } = await stateToMigrate('later.db')
  for (const _ of [1, 2]) migrate(database, makesTable)
  assert.equal(version(), migrations.length + 1)
  assert.deepEqual({ ...database.prepare('SELECT count(*) AS rows FROM later').get() }, { rows: 1 })
  assert.throws(() => open(path), /^Error: The state database \S+ was made by a newer version of Vitrine\.$/)
  database.exec(`PRAGMA user_version = ${migrations.length}`)
  database.close()
  await assertKept()
})

test('state file: a migration that fails leaves it as it was, whatever came before it', async () => {
  const { database, version, hasTable, assertKept } = await stateToMigrate('failing.db')
  assert.throws(() => migrate(database, [...makesTable, 'CREATE TABLE keys (a INTEGER)']), /already exists/)
  assert.deepEqual([version(), hasTable()], [migrations.length, false])
  database.close()
  await assertKept()
})

test('state file: while one migrates it, another one waits', async () => {
  const { path, database } = await stateToMigrate('waiting.db')
  const other = openSqlite(path, { lockTimeoutMs: 0 })
  let refused = 0
  database.function('meanwhile', () => {
    assert.throws(() => migrate(other, makesTable), /locked/)
    return (refused += 1)
  })
  migrate(database, [...makesTable, 'SELECT meanwhile()'])
  assert.equal(refused, 1)
  database.close()
  other.close()
})

test('state file: of two that have found the old version, one migrates it, and the other finds it done', async () => {
  const { path, database, version } = await stateToMigrate('both.db')
  const other = openSqlite(path, { lockTimeoutMs: 0 })
  const run = other.exec.bind(other)
  other.exec = (statement) => {
    if (statement === 'BEGIN IMMEDIATE') migrate(database, makesTable)
    run(statement)
  }
  migrate(other, makesTable)
  assert.equal(version(), migrations.length + 1)
  database.close()
  other.close()
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
