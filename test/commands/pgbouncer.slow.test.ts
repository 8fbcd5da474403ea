// Behind PgBouncer in session mode: lists are found in columns, show the tills' last write, and still work after PgBouncer was restarted.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startEngine } from '../../src/engine/open.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { createLog } from '../../src/platform/log.ts'
import { manualClock } from '../../src/platform/clock.ts'
import { asker, planOf } from '../../src/query/plan-named.ts'
import { parsePostgresUrl } from '../../src/platform/postgres/url.ts'
import { postgresSchema } from '../../src/sql/postgres-schema.ts'
import { schemaStatements } from '../../src/sql/schema.ts'
import { filledRow } from '../support/fixture.ts'
import { connectTo, scriptOn, urlWith } from '../support/own-company.ts'
import { pgbouncerMissing, startPgbouncer, type Pgbouncer } from '../support/pgbouncer.ts'
import { makePostgresPos } from '../support/place-postgres.ts'
import { startPostgres, type PostgresServer } from '../support/postgres.ts'
import { until } from '../support/process.ts'
import { untilLoaded } from '../support/until-loaded.ts'

const skip = pgbouncerMissing()
let server: PostgresServer
let bouncer: Pgbouncer
let engine: Engine
const pos = () => urlWith(server.url, { schema: 'pos' })
const logged: Record<string, unknown>[] = []
const loads = () => logged.filter(({ event }) => event === 'lists_by_columns').length

before(async () => {
  if (skip) return
  server = await startPostgres()
  const tills = await connectTo(pos())
  const customers = Array.from({ length: 50 }, (_, at) => filledRow('customers', at + 1, { name: `Name ${at}` }))
  await makePostgresPos(tills, 'pos', { customers }, schemaStatements(postgresSchema))
  await tills.close()
  bouncer = await startPgbouncer(server)
  const parsed = parsePostgresUrl(urlWith(bouncer.url, { schema: 'pos' }), 'public', '/')
  assert('value' in parsed)
  const log = createLog('info', (line) => logged.push(JSON.parse(line) as Record<string, unknown>), manualClock(0))
  engine = await startEngine(parsed.value, { readers: 2, statementTimeoutMs: 5000, log })
})
after(async () => {
  await engine?.close()
  await bouncer?.stop()
  await server?.remove()
})

let written = 0
/** A new customer, found by what was just written. */
async function isSeen(): Promise<boolean> {
  written += 1
  await scriptOn(pos(), `UPDATE customers SET name = 'Written ${written}' WHERE id = 7`)
  const { total, body } = await engine.list(planOf('customers', `search=Written%20${written}&sort=-name`), asker)
  return total === 1 && Buffer.from(body).includes(`"Written ${written}"`)
}

test('lists are found in columns, with what was written last', { skip }, async () => {
  await untilLoaded(engine)
  for (let turn = 0; turn < 20; turn += 1) assert(await isSeen())
  assert.equal(engine.load().lists.find(({ collection }) => collection === 'customers')?.way, 'columns')
})

test('PgBouncer started again: the columns are loaded anew, and lists go on', { skip }, async () => {
  const before = loads()
  await bouncer.stop()
  await assert.rejects(engine.list(planOf('customers', ''), asker))
  await bouncer.start()
  await until('lists are answered', () => isSeen().catch(() => false))
  await until('columns are loaded anew', () => loads() > before)
  await untilLoaded(engine)
  for (let turn = 0; turn < 20; turn += 1) assert(await isSeen())
})
