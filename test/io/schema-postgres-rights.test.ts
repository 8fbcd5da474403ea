// `schema apply` by a role that may not do everything: it asks for no right it does not need, and what it lacks is a
// sentence that says what helps.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { tallies } from '../../src/catalogue/tallies.ts'
import { relations } from '../../src/contract/relations.ts'
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
const searchIndexes = async (database: Database, schema: string) =>
  (await database.query(`SELECT FROM pg_indexes WHERE schemaname = $1 AND indexdef LIKE '%gin_trgm_ops%'`, [schema]))
    .length
// Of the relations, and of the words in their tallies.
const wantedSearchIndexes = relations.flatMap(({ search }) => search).length + tallies.length

describe('schema apply and pg_trgm', { concurrency: 2 }, () => {
  test('the extension is used where it is, in whichever schema, by a role that could not make it', async () => {
    const database = await makeDatabase()
    const role = await database.makeRole()
    await database.query(
      `CREATE SCHEMA "Their extensions"; CREATE EXTENSION pg_trgm SCHEMA "Their extensions";
       GRANT USAGE ON SCHEMA "Their extensions" TO ${role.name}; CREATE SCHEMA pos AUTHORIZATION ${role.name}`,
    )
    const done = await apply(database.at('pos', role))
    assert.deepEqual([done.status, done.stderr], [0, ''])
    assert.equal(await searchIndexes(database, 'pos'), wantedSearchIndexes)
    const [extension] = await database.query(
      `SELECT nspname FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'pg_trgm'`,
    )
    assert.equal(extension?.['nspname'], 'Their extensions')
  })

  test('not there, and without the right to make it: said; once it is there, the same command goes on', async () => {
    const database = await makeDatabase()
    const role = await database.makeRole()
    await database.query(`CREATE SCHEMA pos AUTHORIZATION ${role.name}`)
    const before = await apply(database.at('pos', role))
    assertRefused(before, new RegExp(`extension.*CREATE EXTENSION pg_trgm.*"${role.name}"`))
    await database.query('CREATE EXTENSION pg_trgm')
    assert.equal((await apply(database.at('pos', role))).status, 0)
    assert.equal(await searchIndexes(database, 'pos'), wantedSearchIndexes)
  })

  test('in a schema that the role may not use: said', async () => {
    const database = await makeDatabase()
    const role = await database.makeRole()
    await database.query(
      `CREATE SCHEMA hidden; CREATE EXTENSION pg_trgm SCHEMA hidden; CREATE SCHEMA pos AUTHORIZATION ${role.name}`,
    )
    assertRefused(await apply(database.at('pos', role)), /hidden|gin_trgm_ops/)
  })
})

describe('schema apply without rights', { concurrency: 2 }, () => {
  test("a search index of an older make that is another role's stays as it is: said, and all else is made", async () => {
    const database = await makeDatabase()
    const role = await database.makeRole()
    await database.query(`CREATE EXTENSION pg_trgm; CREATE SCHEMA pos AUTHORIZATION ${role.name}`)
    assert.equal((await apply(database.at('pos', role))).status, 0)
    for (const index of ['invoices_tally_words_by_words', 'vendors_search_name'])
      await database.query(`ALTER INDEX pos.${index} RESET (gin_pending_list_limit)`)
    await database.query(
      `ALTER TABLE pos.invoices_tally_words OWNER TO postgres; GRANT ALL ON pos.invoices_tally_words TO ${role.name}`,
    )
    const { status, stderr } = await runOn(database.at('pos', role), 'schema', 'apply')
    assert.equal(status, 0, stderr)
    assert.match(stderr, /\(must be owner of index invoices_tally_words_by_words\): invoices_tally_words_by_words\./)
    assert.deepEqual(
      await database.query(
        `SELECT relname FROM pg_class JOIN pg_am a ON a.oid = relam AND amname = 'gin' WHERE reloptions IS NULL`,
      ),
      [{ relname: 'invoices_tally_words_by_words' }],
    )
  })

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
    await database.query('DROP INDEX vendors_by_name')
    await database.query(`GRANT CREATE ON SCHEMA public TO ${role.name}`)
    assertRefused(await apply(database.at('public', role)), /must be owner of table vendors/)
    assert.deepEqual(await database.query(`SELECT to_regclass('vendors_by_name') AS index`), [{ index: null }])
  })

  test('in a database that is not in UTF-8: said, and nothing is made', async () => {
    const database = await makeDatabase({ encoding: 'SQL_ASCII' })
    assertRefused(await apply(database.url), /SQL_ASCII: it must be UTF8/)
    assert.equal(await made(database, 'public'), 0)
  })

  test('a role that sees little of other sessions is still told that it waits, and for which process', async () => {
    const database = await makeDatabase()
    const role = await database.makeRole()
    await database.query(`CREATE EXTENSION pg_trgm; CREATE SCHEMA pos AUTHORIZATION ${role.name}`)
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
