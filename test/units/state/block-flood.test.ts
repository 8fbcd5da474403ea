// A flood of failed token requests from many addresses, in both stores: the audit names the first blocks of an hour and counts the
// others in one entry, entries of administrators stay, and the number of series of failures is bounded.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, mock, test } from 'node:test'
import { manualClock } from '../../../src/platform/clock.ts'
import { hashSecret } from '../../../src/auth/secrets.ts'
import { openSqlite } from '../../../src/platform/sqlite.ts'
import { mayCountAddress, moreBlocked } from '../../../src/state/audit.ts'
import { limits } from '../../../src/state/limits.ts'
import { openStore } from '../../../src/state/sqlite/store.ts'
import type { State } from '../../../src/state/state.ts'
import { openBoth } from '../../support/both-states.ts'
import { attemptOf, makeStatePlace, type StatePlace } from '../../support/postgres-state.ts'
import { until } from '../../support/process.ts'

// At the beginning of an hour.
const begin = Date.UTC(2026, 9, 1, 12)
const hourMs = 3_600_000
const named = 20
let place: StatePlace
before(async () => {
  place = await makeStatePlace()
})
after(() => place.remove())

const key = {
  accessKey: 'svc_ak_one',
  name: 'Shop',
  permissions: ['vendors:read'] as const,
  stores: null,
  priceList: null,
  rate: 60,
}
const wrong = (accessKey: string, address: string) => attemptOf({ accessKey, securityCode: 'svc_sk_wrong' }, address)
const acts = async (state: State) =>
  (await state.listAudit({ limit: 200 })).map(({ at, act, by, subject, details }) => ({
    at,
    act,
    by,
    subject,
    details,
  }))

test('blocks beyond a bound are counted in one entry an hour, with their addresses; acts of administrators stay', async () => {
  const { both, clock, close } = await openBoth(place, begin)
  await both((state) => state.createKey(key, hashSecret('svc_sk_one'), 'ada'))
  const fail = (accessKey: string, address: string) => both((state) => state.requestToken(wrong(accessKey, address)))
  for (let from = 1; from <= 60; from += 1)
    for (let turn = 0; turn < 5; turn += 1) await fail(key.accessKey, `2001:db8:0:${from}::/64`)
  // One of those that were only counted is blocked once more, for the address as a whole.
  clock.advance(60_000)
  for (let turn = 0; turn < 8; turn += 1) await fail(`svc_ak_${turn}`, '2001:db8:0:60::/64')
  clock.advance(60_000)
  for (let turn = 8; turn < 16; turn += 1) await fail(`svc_ak_${turn}`, '2001:db8:0:60::/64')
  const entries = await both(acts)
  assert.equal(entries.length, 1 + named + 1)
  assert.deepEqual([entries.at(-1)?.act, entries.at(-1)?.by], ['key created', 'ada'])
  assert.deepEqual(
    entries.slice(1, -1).map(({ act, subject }) => [act, subject]),
    Array.from({ length: named }, (_, at) => ['caller blocked', `2001:db8:0:${named - at}::/64`]),
  )
  const { at, ...summary } = entries[0] ?? { at: 0 }
  assert.equal(at, begin)
  assert.deepEqual(summary, {
    act: 'more callers blocked',
    by: 'the service',
    subject: '',
    details: { blocks: 41, addresses: 40 },
  })

  // The next hour starts again at zero.
  clock.advance(hourMs)
  for (let turn = 0; turn < 5; turn += 1) await fail(key.accessKey, '2001:db8:1:1::/64')
  const [latest] = await both(acts)
  assert.deepEqual([latest?.act, latest?.subject], ['caller blocked', '2001:db8:1:1::/64'])
  await close()
})

test('blocks at several instances at once, on PostgreSQL: not one entry too many, and every block counted', async () => {
  const clock = manualClock(begin + 10 * hourMs)
  const states = [place.open(clock), place.open(clock), place.open(clock)]
  const addresses = Array.from({ length: 90 }, (_, at) => `10.7.${at}.1`)
  const accessKey = 'svc_ak_unknown'
  await Promise.all(
    addresses.map(async (address, at) => {
      for (let turn = 0; turn < 5; turn += 1) await states[(at + turn) % 3]?.requestToken(wrong(accessKey, address))
    }),
  )
  const entries = (await states[0]?.listAudit({ limit: 200, from: clock.now() })) ?? []
  const own = entries.filter(({ act }) => act === 'caller blocked')
  const summaries = entries.filter(({ act }) => act === 'more callers blocked')
  assert.equal(new Set(own.map(({ subject }) => subject)).size, named)
  assert.deepEqual(
    [own.length, summaries.map(({ details }) => details)],
    [named, [{ blocks: addresses.length - named, addresses: addresses.length - named }]],
  )
})

test('distinct addresses are counted up to a limit, and the entry says when there are more', () => {
  const almost = { entries: named, summary: { id: 1, blocks: 20_000, addresses: limits.mostSummarised - 1 } }
  assert.ok(mayCountAddress(almost))
  assert.deepEqual(moreBlocked(almost, true).details, { blocks: 20_001, addresses: limits.mostSummarised })
  const full = { entries: named, summary: { id: 1, blocks: 20_001, addresses: limits.mostSummarised } }
  assert.ok(!mayCountAddress(full))
  assert.deepEqual(moreBlocked(full, false).details, {
    blocks: 20_002,
    addresses: limits.mostSummarised,
    more_addresses: true,
  })
})

const beyond = 300
const now = begin + 20 * hourMs
// Later ones are younger; every tenth has a block; the first is the console's.
const fill = (series: string, blob: string) => `
  INSERT INTO failures (address, key_hash, started_at, count, blocked_until)
  SELECT CASE WHEN at = 1 THEN 'console 10.0.0.1' ELSE 'flood ' || at END, ${blob}, ${now - 100_000} + at, 5,
    CASE WHEN at % 10 = 0 THEN ${now + 60_000} END
  FROM ${series}`
const kept = `SELECT count(*), sum(CASE WHEN blocked_until IS NULL THEN 0 ELSE 1 END), min(started_at) - ${now - 100_000}
  FROM failures WHERE blocked_until IS NOT NULL OR address LIKE 'flood %'`
const all = limits.mostSeries + 1 + beyond
const blocking = Math.floor(all / 10)

test('of too many series of failures, those without a block are deleted first, then the oldest: in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-'))
  const path = join(folder, 'state.db')
  const store = openStore(path, 5000)
  const other = openSqlite(path)
  try {
    const numbers = `(WITH RECURSIVE n (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM n WHERE at < ${all}) SELECT at FROM n)`
    other.exec(fill(numbers, `x'00'`))
    store.sweep(now)
    assert.deepEqual(Object.values(other.prepare(kept).get() ?? {}), [limits.mostSeries, blocking, 10])
    assert.ok(other.prepare(`SELECT 1 FROM failures WHERE address = 'console 10.0.0.1'`).get())
  } finally {
    other.close()
    store.close()
    rmSync(folder, { recursive: true })
  }
})

test('of too many series of failures, those without a block are deleted first, then the oldest: on PostgreSQL', async () => {
  await place.rows('DELETE FROM failures')
  await place.rows(fill(`generate_series(1, ${all}) AS at`, `'\\x00'`))
  mock.timers.enable({ apis: ['setInterval'] })
  try {
    place.open(manualClock(now), 1)
    mock.timers.tick(60_000)
  } finally {
    mock.timers.reset()
  }
  await until('it is swept', async () => (await place.rows('SELECT FROM failures')).length <= all - beyond)
  assert.deepEqual((await place.rows(kept))[0]?.map(Number), [limits.mostSeries, blocking, 10])
  assert.equal((await place.rows(`SELECT FROM failures WHERE address = 'console 10.0.0.1'`)).length, 1)
})
