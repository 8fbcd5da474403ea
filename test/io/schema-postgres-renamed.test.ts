// `schema apply` on a PostgreSQL database in which a table was renamed and another put in its place: it took indexes and triggers along.
// And --rebuild, for what nobody can see.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { tallies } from '../../src/catalogue/tallies.ts'
import { findRelation } from '../../src/contract/relations.ts'
import { keptTallies } from '../../src/engine/postgres/tallies.ts'
import { connectPostgres, type PostgresConnection } from '../../src/postgres/connection.ts'
import { parsePostgresUrl, type PostgresUrl } from '../../src/settings/postgres-url.ts'
import { applySchema } from '../../src/tools/schema/apply.ts'
import { dropDatabases, makeDatabase } from '../support/database.ts'
import { assertExact } from '../support/tallied-invoices.ts'

after(dropDatabases)

async function onFresh(use: (owner: PostgresConnection, url: PostgresUrl) => Promise<void>): Promise<void> {
  const database = await makeDatabase()
  const parsed = parsePostgresUrl(database.at('public'), 'public', '/')
  assert('value' in parsed)
  await apply(parsed.value)
  const setUp = `SET search_path = public; SET datestyle = 'ISO, YMD'`
  const owner = await connectPostgres(parsed.value, { timeoutMs: 30_000, setUp })
  try {
    await use(owner, parsed.value)
  } finally {
    await owner.close()
  }
}

async function apply(url: PostgresUrl, rebuild = false): Promise<string[]> {
  const remarks: string[] = []
  await applySchema(
    { ...url, kind: 'postgres' },
    { onProgress: () => {}, remark: (text) => remarks.push(text), rebuild },
  )
  return remarks
}

const insert = (relation: string, first: number, last: number) =>
  `INSERT INTO ${relation} (id, kind, status, store_id, date, number)
   SELECT n, 1, 3, n % 3, timestamp '2026-01-01' + n * interval '1 hour', 'N' || n FROM generate_series(${first}, ${last}) n`

test('a renamed table: the relation that took its place has its own indexes and triggers, and nothing else counts', () =>
  onFresh(async (owner, url) => {
    await owner.script(`${insert('invoices', 1, 50)};
      BEGIN; ALTER TABLE invoices RENAME TO invoices_old; CREATE TABLE invoices (LIKE invoices_old INCLUDING DEFAULTS);
      ALTER TABLE invoices ADD PRIMARY KEY (id); INSERT INTO invoices SELECT * FROM invoices_old; COMMIT`)
    const remarks = await apply(url)
    const { indexes, search } = findRelation('invoices')
    assert.equal(remarks.length, 1)
    assert.match(
      remarks[0] ?? '',
      /names of ours belong to invoices_old: _of_\d+ was put after invoices_\w+(, invoices_\w+)+\.$/,
    )
    const valid = `SELECT count(*) FROM pg_index WHERE indrelid = $1::regclass AND indisvalid`
    for (const table of ['invoices', 'invoices_old'])
      assert.equal(Number((await owner.rows(valid, [table]))[0]?.[0]), indexes.length + search.length + 1, table)
    assert.equal((await keptTallies(owner)).size, tallies.length)
    await owner.script(
      `${insert('invoices_old', 100, 120)}; DELETE FROM invoices_old WHERE id < 10; TRUNCATE invoices_old`,
    )
    await owner.script(`${insert('invoices', 60, 70)}; DELETE FROM invoices WHERE id = 60`)
    assert.equal((await keptTallies(owner)).size, tallies.length)
    await assertExact(owner)
    assert.deepEqual(await apply(url), [])
  }))

test('--rebuild counts again and builds the search indexes anew, whatever they say', () =>
  onFresh(async (owner, url) => {
    await owner.script(`${insert('invoices', 1, 50)}; SELECT invoices_tally_fold();
      UPDATE invoices_tally SET n = n + 7 WHERE axis <> 'made'`)
    const fileOf = async () => (await owner.rows(`SELECT pg_relation_filenode('invoices_search_number')`))[0]?.[0]
    const before = await fileOf()
    await apply(url)
    assert.equal(await fileOf(), before)
    await assert.rejects(assertExact(owner))
    assert.deepEqual(await apply(url, true), [])
    await assertExact(owner)
    assert.notEqual(await fileOf(), before)
    assert.equal((await keptTallies(owner)).size, tallies.length)
  }))
