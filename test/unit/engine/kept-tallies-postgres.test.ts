// Which tallies a PostgreSQL database is trusted to keep: only those that nothing can have been written past. `schema apply`
// makes the others right again, and a service that runs takes them up.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { nameOf, tallies } from '../../../src/catalogue/tallies.ts'
import { createPostgresEngine } from '../../../src/engine/postgres/engine.ts'
import { findTallies } from '../../../src/engine/postgres/tallies.ts'
import { createLog } from '../../../src/log.ts'
import { connectPostgres, type PostgresConnection } from '../../../src/postgres/connection.ts'
import type { PostgresUrl } from '../../../src/settings/postgres-url.ts'
import { postgresSchema } from '../../../src/sql/postgres-schema.ts'
import { schemaStatements } from '../../../src/sql/schema.ts'
import { applySchema } from '../../../src/tools/schema/apply.ts'
import { makePostgresPos, urlOf } from '../../support/place-postgres.ts'
import { newSchema } from '../../support/postgres.ts'
import { until } from '../../support/process.ts'

const all = tallies.map(nameOf).toSorted()
let url: PostgresUrl
let owner: PostgresConnection
before(async () => {
  url = await urlOf(newSchema('kept'))
  owner = await connectPostgres(url, { timeoutMs: 30_000, setUp: `SET search_path = ${url.schema}, public` })
  await makePostgresPos(owner, url.schema, {}, schemaStatements(postgresSchema))
})
after(async () => {
  await owner.script(`DROP SCHEMA ${url.schema} CASCADE`)
  await owner.close()
})

const kept = async () => [...(await findTallies(owner)).kept].toSorted()
const apply = () => applySchema({ ...url, kind: 'postgres' }, { onProgress: () => {}, remark: () => {} })
const insert = (id: number) => `INSERT INTO invoices (id, kind, status, date) VALUES (${id}, 1, 3, '2026-03-01')`
const recreate = `CREATE TRIGGER invoices_tally AFTER INSERT OR UPDATE OR DELETE ON invoices FOR EACH ROW
  EXECUTE FUNCTION invoices_tally_count(); ALTER TABLE invoices ENABLE ALWAYS TRIGGER invoices_tally`

test('a new schema keeps them all', async () => assert.deepEqual(await kept(), all))

// What happens behind the triggers' back leaves them as they were to look at.
for (const [name, sql] of [
  [
    'its trigger is dropped, rows go, and it is made again',
    `DROP TRIGGER invoices_tally ON invoices; DELETE FROM invoices; ${recreate}`,
  ],
  ['a column is written anew', `ALTER TABLE invoices ALTER COLUMN date TYPE timestamp USING date + interval '60 days'`],
  [
    'the table is made anew under its name',
    'CREATE TABLE anew (LIKE invoices INCLUDING ALL); DROP TABLE invoices; ALTER TABLE anew RENAME TO invoices',
  ],
  ['the whole table is written anew', 'VACUUM FULL invoices'],
] as const)
  test(`${name}: the tally is not kept until schema apply has counted again`, async () => {
    await owner.script(insert(1))
    for (const statement of name.startsWith('the whole') ? [sql] : [`BEGIN; ${sql}; COMMIT`])
      await owner.script(statement)
    const found = await findTallies(owner)
    assert.deepEqual(
      [...found.kept].toSorted(),
      all.filter((each) => each !== 'invoices'),
    )
    if (!name.includes('under its name')) assert.deepEqual(found.stale, ['invoices'])
    await apply()
    assert.deepEqual(await kept(), all)
    await owner.script('DELETE FROM invoices')
  })

test('what leaves the rows as they are leaves the tally kept', async () => {
  for (const sql of [
    'VACUUM invoices',
    'ANALYZE invoices',
    'CREATE INDEX own ON invoices (number)',
    'DROP INDEX own',
    'REINDEX TABLE invoices',
  ])
    await owner.script(sql)
  assert.deepEqual(await kept(), all)
})

test('a service that runs tells of one it cannot use, and takes it up once it has been counted again', async (context) => {
  await owner.script('VACUUM FULL vendors')
  context.mock.timers.enable({ apis: ['setInterval'] })
  const events: string[] = []
  const log = createLog('info', (line) => {
    const { event, tallies: named } = JSON.parse(line) as { event: string; tallies?: string }
    if (event.startsWith('tallies')) events.push([event, named].join(' ').trim())
  })
  const engine = createPostgresEngine({ url, readers: 1, statementTimeoutMs: 30_000, log })
  try {
    await until('it is told', () => events.length === 1)
    context.mock.timers.tick(30_000)
    await apply()
    context.mock.timers.tick(30_000)
    await until('it is taken up', () => events.length === 2)
    assert.deepEqual(events, ['tallies_not_used vendors', 'tallies_used_again'])
  } finally {
    await engine.close()
  }
})
