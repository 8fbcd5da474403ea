// How a text of two characters is looked for in PostgreSQL, of which no index knows: where its page is met along the list, nothing is
// sorted, and the server counts with as many processes as it has for that.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { permissions } from '../../../src/catalogue/access.ts'
import { findResource } from '../../../src/catalogue/resources/index.ts'
import { createAnswerer } from '../../../src/engine/answer.ts'
import { findTallies } from '../../../src/engine/postgres/tallies.ts'
import type { PostgresConnection } from '../../../src/postgres/connection.ts'
import { planList } from '../../../src/query/plan-list.ts'
import { postgres } from '../../../src/sql/postgres.ts'
import { postgresSchema } from '../../../src/sql/postgres-schema.ts'
import { schemaStatements } from '../../../src/sql/schema.ts'
import type { Statement } from '../../../src/sql/statement.ts'
import { connectTills, makePostgresPos, urlOf } from '../../support/place-postgres.ts'
import { newSchema } from '../../support/postgres.ts'

const records = 600
const dayOf = (id: number) => new Date(Date.UTC(2024, 0, 1 + id / 10)).toISOString().slice(0, 10)
// Ten a day. One in twenty holds 55, one in sixty 77, two of all 99.
const invoices = Array.from({ length: records }, (_, id) => ({
  id,
  kind: 1,
  status: 3,
  number: `A${id % 20 === 0 ? 55 : id % 60 === 1 ? 77 : id === 2 || id === 502 ? 99 : 'B'}A`,
  date: `${dayOf(id)} 10:00:00`,
}))
const schema = newSchema('short')
let connection: PostgresConnection

before(async () => {
  connection = await connectTills(await urlOf(schema))
  await makePostgresPos(connection, schema, { invoices }, schemaStatements(postgresSchema))
})
after(async () => {
  await connection.script(`DROP SCHEMA ${schema} CASCADE`)
  await connection.close()
})

// Total and ids, and which statements it took beside those that ask a tally.
async function ask(query: string) {
  const resource = findResource('invoices')
  assert(resource)
  const planned = planList(resource, `per_page=2&${query}`, { permissions, stores: null, priceList: null })
  assert('plan' in planned)
  const { kept } = await findTallies(connection)
  const statements: string[] = []
  const rows = ({ text, values }: Statement) => {
    const [, kind] = /^(WITH m|WITH k|SELECT \(SELECT count)/.exec(text) ?? []
    if (kind) statements.push({ 'WITH m': 'sorted', 'WITH k': 'met' }[kind] ?? 'counted')
    return connection.rows(text, values)
  }
  const answerer = createAnswerer(postgres(new Set(), kept), () => {}, 1000)
  const [list] = await answerer.answer([planned.plan], { rows, counts: rows })
  assert(list && 'body' in list)
  const { data } = JSON.parse(Buffer.from(list.body).toString()) as { data: { id: number }[] }
  return { total: list.total, ids: data.map(({ id }) => id), statements }
}

test('what many hold is met among the first', async () => {
  assert.deepEqual(await ask('search=55'), { total: 30, ids: [580, 560], statements: ['met', 'counted'] })
})

test('what fewer hold is met some further along', async () => {
  assert.deepEqual(await ask('search=77'), { total: 10, ids: [541, 481], statements: ['met', 'met', 'counted'] })
})

test('what next to none hold is found, counted and sorted at once', async () => {
  assert.deepEqual(await ask('search=99'), { total: 2, ids: [502, 2], statements: ['met', 'met', 'sorted'] })
})

test('so is what is asked for by days, or in the order of something else', async () => {
  assert.deepEqual(await ask('search=77&date_from=2024-01-02'), { total: 9, ids: [541, 481], statements: ['sorted'] })
  assert.deepEqual(await ask('search=99&sort=total'), { total: 2, ids: [2, 502], statements: ['sorted'] })
})

test('of three characters an index knows: nothing is looked for further along', async () => {
  assert.deepEqual(await ask('search=A77'), { total: 10, ids: [541, 481], statements: ['met', 'sorted'] })
})
