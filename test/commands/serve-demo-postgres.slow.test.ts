// `serve --demo` on PostgreSQL: the first start makes the company and its keys, no other start makes anything, and keys are
// never made for data that is not the demo company's.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { dropDatabases, makeDatabase, runOn, type Database } from '../support/database.ts'
import { cleanEnvironment, freePorts, repository, startProcess, temporaryFolder, until } from '../support/process.ts'
import type { Ended, Started } from '../support/process.ts'

const root = temporaryFolder()
const started: Started[] = []
after(async () => {
  for (const { child, ended } of started) {
    child.kill('SIGKILL')
    await ended
  }
  rmSync(root, { recursive: true })
})
after(dropDatabases)

function start(database: Database, data = database.url): Started {
  const env = cleanEnvironment({
    ...freePorts,
    VITRINE_DATA_DIR: join(root, database.name),
    VITRINE_DATABASE_URL: data,
    VITRINE_STATE_URL: database.at('vitrine'),
  })
  const program = join(repository, 'bin', 'vitrine.mjs')
  const service = startProcess(process.execPath, [program, 'serve', '--demo', '--json'], { env })
  started.push(service)
  return service
}

/** Until it listens; what it said to people, and how it ended. */
async function startAndStop(database: Database): Promise<Ended> {
  const { child, ended, stdout, stderr } = start(database)
  await until('the service listens', () => {
    if (child.exitCode !== null) assert.fail(stderr())
    return stdout().includes('"listening"') && /Vitrine is listening/.test(stderr())
  })
  child.kill('SIGTERM')
  return ended
}

const keysOf = (database: Database) =>
  database.query('SELECT access_key, name, code_hash FROM vitrine.keys ORDER BY name')
const companyOf = (database: Database) =>
  database.query(`SELECT oid, relfilenode FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY oid`)
/** By the transactions that wrote them. */
const rowsOf = (database: Database) => database.query('SELECT xmin::text, count(*) FROM invoices GROUP BY 1')
const shownCodes = ({ stderr, stdout }: Ended) => [...(stderr + stdout).matchAll(/svc_sk_\w+/g)].map(([code]) => code)

describe('serve --demo on PostgreSQL', { concurrency: 2 }, () => {
  test('the first start makes company and keys and shows their codes; the second changes nothing and shows none', async () => {
    const database = await makeDatabase()
    const first = await startAndStop(database)
    assert.equal(first.status, 0, first.stderr)
    const [keys, company, rows] = [await keysOf(database), await companyOf(database), await rowsOf(database)]
    assert.equal(keys.length, 5)
    assert.equal(new Set(shownCodes(first)).size, 5)
    for (const { access_key } of keys) assert.ok(first.stderr.includes(String(access_key)))
    const [row] = await database.query('SELECT count(*)::int AS count FROM invoices')
    assert.ok(Number(row?.['count']) > 1000)

    const second = await startAndStop(database)
    assert.equal(second.status, 0, second.stderr)
    assert.deepEqual(shownCodes(second), [])
    assert.doesNotMatch(second.stderr, /\d+ % \(/)
    assert.deepEqual([await keysOf(database), await companyOf(database)], [keys, company])
    assert.deepEqual(await rowsOf(database), rows)
  })

  test("on a company's own data it makes no key, says so, and touches nothing", async () => {
    const database = await makeDatabase()
    assert.equal((await runOn(database.url, 'schema', 'apply')).status, 0)
    await database.query(`INSERT INTO stores (id, name) VALUES (1, 'Theirs')`)
    const company = await companyOf(database)
    const only = await startAndStop(database)
    assert.equal(only.status, 0, only.stderr)
    assert.deepEqual([await keysOf(database), shownCodes(only)], [[], []])
    assert.match(only.stderr, /is not the demo company: no demo keys were made\./)
    assert.deepEqual(await companyOf(database), company)
    assert.deepEqual(await database.query('SELECT id, name FROM stores'), [{ id: '1', name: 'Theirs' }])
  })

  test('where the demo company was made by the command, keys are made for it, also for a role that only reads', async () => {
    const database = await makeDatabase()
    const reader = await database.makeRole()
    assert.equal((await runOn(database.url, 'demo', '--scale', '0.01')).status, 0)
    await database.query(`GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${reader.name}`)
    const service = start(database, database.at('public', reader))
    await until('keys are shown', () => {
      if (service.child.exitCode !== null) assert.fail(service.stderr())
      return shownCodes({ stdout: service.stdout(), stderr: service.stderr(), status: null, signal: null }).length >= 5
    })
    assert.equal((await keysOf(database)).length, 5)
    service.child.kill('SIGTERM')
    assert.equal((await service.ended).status, 0)
  })

  test('where the state cannot be kept, it says so before it makes the company', async () => {
    const database = await makeDatabase()
    await database.query('CREATE SCHEMA vitrine; CREATE TABLE vitrine.theirs (id int)')
    const { status, stderr, stdout } = await start(database).ended
    assert.deepEqual([status, stdout], [2, ''])
    assert.match(stderr, /^vitrine: .*schema vitrine .*holds tables that are not Vitrine's/)
    assert.deepEqual(await companyOf(database), [])
  })
})
