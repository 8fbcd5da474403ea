// More transactions than a cursor holds: the oldest is named, in the log and by `check`, until it has ended. On a server of its own, because
// every transaction on a server counts.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { findRunning, holdOf, watchFeedHold } from '../../../src/engine/postgres/feed-hold.ts'
import { checkDatabase } from '../../../src/operate/check/check.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { createLog } from '../../../src/platform/log.ts'
import { PostgresFailure, type PostgresConnection } from '../../../src/platform/postgres/connection.ts'
import { parsePostgresUrl } from '../../../src/platform/postgres/url.ts'
import { postgresSchema } from '../../../src/sql/postgres-schema.ts'
import { schemaStatements } from '../../../src/sql/schema.ts'
import { connectTo, makeReader, urlWith } from '../../support/own-company.ts'
import { makePostgresPos } from '../../support/place-postgres.ts'
import { startPostgres, type PostgresServer } from '../../support/postgres.ts'

let server: PostgresServer
let till: PostgresConnection
let reader: PostgresConnection
let readerUrl = ''
before(async () => {
  server = await startPostgres({ settings: { max_prepared_transactions: '250' } })
  const url = urlWith(server.url, { schema: 'pos' })
  till = await connectTo(url)
  await makePostgresPos(till, 'pos', {}, schemaStatements(postgresSchema))
  readerUrl = await makeReader(url, 'vitrine_reader')
  await till.script('GRANT SELECT ON vitrine_journal TO vitrine_reader')
  reader = await connectTo(readerUrl)
})
after(async () => {
  await Promise.all([till, reader].map((each) => each?.close()))
  await server?.remove()
})

const numbers = Array.from({ length: 200 }, (_, at) => at)

test('the oldest is named once, with what a role without rights may see, and again when it is over', async () => {
  const logged: Record<string, unknown>[] = []
  const log = createLog('info', (line) => logged.push(JSON.parse(line) as Record<string, unknown>), systemClock)
  let nowMs = 0
  const watch = watchFeedHold(
    (text) => reader.rows(text),
    log,
    () => nowMs,
  )
  const lookLater = async (seconds: number) => {
    nowMs += 1000 * seconds
    await watch.look()
    return watch.hold()
  }
  await till.script(`SET application_name = 'Till 7'; BEGIN; SELECT pg_current_xact_id()`)
  assert.equal(await lookLater(0), null)
  // One is no matter, however old.
  assert.equal(await lookLater(600), null)
  const office = await connectTo(urlWith(server.url, { schema: 'pos' }))
  for (const at of numbers) await office.script(`BEGIN; SELECT pg_current_xact_id(); PREPARE TRANSACTION 'night ${at}'`)
  // A newer one that ends: what it changed is not told.
  await office.script('SELECT pg_current_xact_id()')
  assert.equal(await lookLater(0), null)
  assert.equal(await lookLater(59), null)
  const [row] = await till.rows('SELECT pg_backend_pid()')
  const holder = `session ${String(row?.[0])} of postgres (Till 7)`
  const remedy = `SELECT pg_terminate_backend(${String(row?.[0])})`
  assert.deepEqual(await lookLater(2), { holder, seconds: 61, remedy })
  assert.deepEqual(await lookLater(60), { holder, seconds: 121, remedy })

  const parsed = parsePostgresUrl(readerUrl, 'public', '/')
  assert('value' in parsed)
  const settings = { databaseUrl: parsed.value, timeZone: 'UTC', currencies: ['USD'], statementTimeoutMs: 30_000 }
  const { findings } = await checkDatabase({ settings, clock: systemClock, scope: 'quick' })
  const found = findings.find(({ code }) => code === 'feed_held_back')
  assert.match(found?.message ?? '', new RegExp(`${holder.replaceAll(/[()]/g, '.')}\\.$`))
  assert(found?.remedy?.includes(`: ${remedy}`))

  for (const at of numbers) await office.script(`ROLLBACK PREPARED 'night ${at}'`)
  await office.close()
  assert.equal(await lookLater(5), null)
  await till.script('COMMIT')
  const [held, over, ...others] = logged.map(({ event, holder: named, seconds, remedy: told }) => ({
    event,
    named,
    seconds,
    told,
  }))
  assert.deepEqual(held, { event: 'feed_held_back', named: holder, seconds: 61, told: remedy })
  assert.equal(over?.event, 'feed_held_back_over')
  assert.deepEqual(others, [])
})

test('only what changes wait for is named, with the statement that ends it, and the database where it does', async () => {
  await till.rows('CREATE DATABASE "Second Shop"')
  const elsewhere = new URL(server.url)
  elsewhere.pathname = '/Second%20Shop'
  const [office, late] = await Promise.all([
    connectTo(elsewhere.href),
    connectTo(urlWith(server.url, { schema: 'pos' })),
  ])
  // It has been open for the longest time, and takes a number when all others have one: nothing waits for it.
  await late.script('BEGIN; SELECT')
  for (const at of numbers) await office.script(`BEGIN; SELECT pg_current_xact_id(); PREPARE TRANSACTION 'it''s ${at}'`)
  await late.script('SELECT pg_current_xact_id()')
  await till.script('SELECT pg_current_xact_id()')
  const ask = (text: string) => till.rows(text)
  const lasting = (await findRunning(ask))?.map((each) => ({ ...each, seconds: 60 + 1e6 * (each.seconds ?? 0) }))
  const hold = holdOf(lasting ?? [])
  assert.equal(hold?.holder, `prepared transaction 'it''s 0' of postgres in database "Second Shop"`)
  assert.equal(hold.remedy, `ROLLBACK PREPARED 'it''s 0'`)
  await office.script(hold.remedy)
  assert(!(await findRunning(ask))?.some(({ holder }) => holder === hold.holder))
  const left = await office.rows('SELECT gid FROM pg_prepared_xacts')
  assert.equal(left.length, numbers.length - 1)
  for (const [gid] of left) await office.script(`ROLLBACK PREPARED '${String(gid).replace(`'`, `''`)}'`)
  await Promise.all([office.close(), late.close()])
})

test('a server that is only compatible, and does not know snapshots, has no feed to hold back', async () => {
  const refusal = new PostgresFailure(Object.assign(new Error('no such function'), { code: '42883' }))
  assert.equal(await findRunning(() => Promise.reject(refusal)), undefined)
})

const running = (seconds: number | null, holder: string) => ({ xid: holder, holder, seconds, remedy: `end ${holder}` })

test('of several the oldest counts, from a minute on', () => {
  const some = [running(10, 'one'), running(3700.5, `prepared transaction 'x'`), running(null, 'three')]
  assert.deepEqual(holdOf(some), {
    holder: `prepared transaction 'x'`,
    seconds: 3700,
    remedy: `end prepared transaction 'x'`,
  })
  assert.equal(holdOf([running(59.9, 'one'), running(null, 'three')]), undefined)
})
