// `schema apply` by a role that may not do everything: it asks for no right it does not need, and what it lacks is a
// sentence that says what helps.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { dropDatabases, makeDatabase, runOn, startOn, type Database } from '../support/database.ts'
import { until, type Ended } from '../support/process.ts'

after(dropDatabases)

const apply = (url: string) => runOn(url, 'schema', 'apply', '--json')

function assertRefused({ status, stdout, stderr }: Ended, says: RegExp): void {
  assert.deepEqual([status, stdout], [1, ''], stderr)
  assert.match(stderr, /^vitrine: \S.*[.]\n$/)
  assert.match(stderr, says)
  assert.doesNotMatch(stderr, /\.ts:|\bat \w+ \(|Error:|\bfailed:|undefined|\bnull\b/)
}

const made = async (database: Database, schema: string) =>
  (await database.query('SELECT tablename FROM pg_tables WHERE schemaname = $1', [schema])).length

describe('schema apply without rights', { concurrency: 2 }, () => {
  test('in a schema where the role may not make tables: said, and nothing is made', async () => {
    const database = await makeDatabase()
    const role = await database.makeRole()
    await database.query(`CREATE SCHEMA pos; GRANT USAGE ON SCHEMA pos TO ${role.name}`)
    const says = new RegExp(`schema pos.*GRANT .*CREATE ON SCHEMA "?pos"? TO "?${role.name}`)
    assertRefused(await apply(database.at('pos', role)), says)
    assert.equal(await made(database, 'pos'), 0)
  })

  test('where there is no schema and the role may not make one: said', async () => {
    const database = await makeDatabase()
    const role = await database.makeRole()
    const says = new RegExp(
      `database ${database.name}.*GRANT CREATE ON DATABASE "?${database.name}"? TO "?${role.name}`,
    )
    assertRefused(await apply(database.at('pos', role)), says)
  })

  test("on another role's tables: said, and they stay as they are", async () => {
    const database = await makeDatabase()
    const role = await database.makeRole()
    assert.equal((await apply(database.url)).status, 0)
    await database.query('DROP INDEX quote_lines_by_quote_id')
    await database.query(`GRANT CREATE ON SCHEMA public TO ${role.name}`)
    assertRefused(await apply(database.at('public', role)), /must be owner of table quote_lines/)
    assert.deepEqual(await database.query(`SELECT to_regclass('quote_lines_by_quote_id') AS index`), [{ index: null }])
  })

  test('who could read all relations can read those that are made, and the journal; who could not, cannot', async () => {
    const database = await makeDatabase()
    const roles = await Promise.all(Array.from({ length: 3 }, () => database.makeRole()))
    const [reader, group, other] = roles.map(({ name }) => name)
    assert.equal((await apply(database.url)).status, 0)
    await database.query(
      `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${reader}, ${group}; GRANT ${group} TO ${other}`,
    )
    await database.query(`REVOKE SELECT ON customers FROM ${group}`)
    await database.query('DROP TABLE adjustment_lines; DROP TABLE invoices')
    assert.equal((await apply(database.url)).status, 0)
    const may = async (role = '') =>
      database.query(
        `SELECT name FROM unnest(ARRAY['invoices', 'adjustment_lines', 'vitrine_journal']) name
         WHERE has_table_privilege($1, name, 'SELECT')`,
        [role],
      )
    assert.equal((await may(reader)).length, 3)
    assert.deepEqual(await may(other), [])
    await database.query('GRANT SELECT ON ALL TABLES IN SCHEMA public TO PUBLIC; DROP TABLE invoices')
    assert.equal((await apply(database.url)).status, 0)
    assert.equal((await may(other)).length, 3)
  })

  test('in a database that is not in UTF-8: said, and nothing is made', async () => {
    const database = await makeDatabase({ encoding: 'SQL_ASCII' })
    assertRefused(await apply(database.url), /SQL_ASCII: it must be UTF8/)
    assert.equal(await made(database, 'public'), 0)
  })

  test('a role that sees little of other sessions is still told that it waits, and for which process', async () => {
    const database = await makeDatabase()
    const role = await database.makeRole()
    await database.query(`CREATE SCHEMA pos AUTHORIZATION ${role.name}`)
    const report = await database.connect()
    await report.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    await report.query('SELECT 1')
    const { ended, stderr } = startOn(database.at('pos', role), 'schema', 'apply', '--json')
    const line = await until('it says what it waits for', () => /^.*wait.*\n/im.exec(stderr())?.[0])
    assert.match(line, new RegExp(`process ${report.pid}\\b`))
    assert.doesNotMatch(line, /\bnull\b|undefined|\?/)
    await report.end()
    const { status, stdout } = await ended
    assert.equal(status, 0, stderr())
    assert.match(stdout, /^\{.*\}\n$/)
  })
})
