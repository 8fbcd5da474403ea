// `vitrine check` and `vitrine serve --check-first` as processes: exit statuses, JSON, while tills write, and on PostgreSQL as a
// role that may do nothing but read.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { openSqlite } from '../../src/platform/sqlite.ts'
import { soundRows } from '../support/check-worlds.ts'
import { dropDatabases, makeDatabase, runOn } from '../support/database.ts'
import { makePos } from '../support/pos.ts'
import {
  cleanEnvironment,
  freePorts,
  program,
  runVitrine,
  startProcess,
  temporaryFolder,
  until,
} from '../support/process.ts'
import { startWriter } from '../support/writer.ts'

interface Told {
  readonly ok: boolean
  readonly database: string
  readonly findings: { severity: string; code: string; relation: string | null; message: string; remedy: string }[]
}

const folder = temporaryFolder()
const place = (name: string) => ({
  VITRINE_DATABASE_URL: `sqlite:${join(folder, name)}`,
  VITRINE_DATA_DIR: folder,
  // However busy the machine is.
  VITRINE_STATEMENT_TIMEOUT_MS: '60000',
})

before(() => {
  makePos(join(folder, 'sound.db'), soundRows)
  makePos(join(folder, 'twice.db'), soundRows)
  const sqlite = openSqlite(join(folder, 'twice.db'))
  // A start without a look into the data takes it.
  sqlite.exec(`ALTER TABLE stores RENAME TO own_stores;
    CREATE VIEW stores AS SELECT * FROM own_stores UNION ALL SELECT * FROM own_stores`)
  sqlite.close()
})
after(async () => {
  await dropDatabases()
  rmSync(folder, { recursive: true, force: true })
})

describe('check', () => {
  test('a database that can be served: exit status 0, and the last line says so', async () => {
    const { status, stdout } = await runVitrine(['check'], place('sound.db'))
    assert.equal(status, 0)
    assert.match(
      stdout.trimEnd().split('\n').at(-1) ?? '',
      /^The service can serve this database\. No warnings, \d+ notes\.$/,
    )
    assert.ok(!stdout.includes('\u001B'))
  })

  test('--json: one object on stdout, nothing on stderr; --quick leaves out what reads whole relations', async () => {
    const { status, stdout, stderr } = await runVitrine(['check', '--json', '--quick'], place('twice.db'))
    const told = JSON.parse(stdout) as Told
    assert.deepEqual([status, stderr, stdout.trimEnd().includes('\n')], [0, '', false])
    assert.equal(told.ok, true)
    assert.equal(told.database, join(folder, 'twice.db'))
    assert.ok(!told.findings.some(({ code }) => code === 'key_twice'))
    for (const { severity, message, remedy } of told.findings) {
      assert.match(severity, /^(fails|warns|notes)$/)
      assert.ok(message && remedy)
    }
  })

  test('a database that cannot be served: exit status 1, and what to do', async () => {
    const { status, stdout } = await runVitrine(['check', '--json'], place('twice.db'))
    const told = JSON.parse(stdout) as Told
    assert.deepEqual([status, told.ok], [1, false])
    assert.deepEqual(
      told.findings.filter(({ severity }) => severity === 'fails').map(({ code, relation }) => [code, relation]),
      [['key_twice', 'stores']],
    )
  })

  test('no file at all: a finding like any other', async () => {
    const { status, stdout } = await runVitrine(['check'], place('nowhere.db'))
    assert.equal(status, 1)
    assert.match(stdout, /\[cannot_open\]\n {4}There is no POS database at/)
    assert.match(stdout, /The service cannot serve this database\. 1 failure, no warnings\.\n$/)
  })

  test('wrong usage: everything at once, exit status 2', async () => {
    const { status, stdout, stderr } = await runVitrine(['check', '--timeout', '0', 'now'], place('sound.db'))
    assert.deepEqual([status, stdout], [2, ''])
    assert.match(stderr, /--timeout "0" is not a whole number from 1 to 3600/)
    assert.match(stderr, /"now" is too much/)
  })

  test('while tills write: nothing of theirs is held up or changed, and nothing fails', async () => {
    const path = join(folder, 'busy.db')
    makePos(path, soundRows)
    const writer = startWriter(path, ['UPDATE invoices SET amount_paid = coalesce(amount_paid, 0) + 1 WHERE id = 1'])
    const { status, stdout } = await runVitrine(['check', '--json'], place('busy.db'))
    await writer.stop()
    assert.equal(status, 0, stdout)
    const sqlite = openSqlite(path, { readOnly: true })
    assert.ok(Number(sqlite.prepare('SELECT amount_paid FROM invoices WHERE id = 1').get()?.['amount_paid']) > 1)
    sqlite.close()
  })

  test('PostgreSQL: nothing is said of a role that only reads, and the password never', async () => {
    const database = await makeDatabase()
    await runOn(database.at('pos'), 'schema', 'apply')
    const reader = await database.makeRole()
    await database.query(`GRANT USAGE ON SCHEMA pos TO ${reader.name}`)
    await database.query(`GRANT SELECT ON ALL TABLES IN SCHEMA pos TO ${reader.name}`)
    const { status, stdout, stderr } = await runOn(database.at('pos', reader), 'check', '--json', '--quick')
    assert.deepEqual([status, stderr], [0, ''])
    const { findings } = JSON.parse(stdout) as Told
    assert.deepEqual(
      findings.filter(({ severity }) => severity !== 'notes'),
      [],
    )
    const refused = await runOn(database.at('pos', { ...reader, password: 'another-secret' }), 'check')
    assert.equal(refused.status, 1)
    assert.match(refused.stdout, /\[cannot_open\][^]*password authentication\s+failed/)
    for (const text of [stdout, refused.stdout, refused.stderr])
      assert.ok(!/another-secret/.test(text) && !text.includes(reader.password))
  })
})

const settings = (name: string) => ({ ...place(name), ...freePorts })

describe('serve --check-first', () => {
  test('refuses to start on a database that the doctor fails: what, and what to do, and exit status 1', async () => {
    const { status, stdout, stderr } = await runVitrine(['serve', '--check-first'], settings('twice.db'))
    assert.deepEqual([status, stdout], [1, ''])
    assert.match(stderr, /^vitrine: stores\.id: 1 key occurs more than once\. .*join/m)
    assert.match(stderr, /^vitrine: The service cannot serve this database; "vitrine check" explains more\.$/m)
  })

  test('starts on one that it does not fail', async () => {
    const started = startProcess(process.execPath, [program, 'serve', '--json', '--check-first'], {
      cwd: folder,
      env: cleanEnvironment(settings('sound.db')),
    })
    try {
      await until('it listens', () => started.stdout().includes('"event":"listening"'), started.stderr)
    } finally {
      started.child.kill('SIGTERM')
    }
    assert.equal((await started.ended).status, 0)
  })
})
