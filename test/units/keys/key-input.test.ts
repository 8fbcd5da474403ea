// Values of a key as typed: addresses in canonical form, every fault at once with a guess, presets, and the overlap of two codes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { presets } from '../../../src/catalogue/permissions.ts'
import { manualClock } from '../../../src/platform/clock.ts'
import { createKey, inputFaults, updateKey } from '../../../src/keys/keys.ts'
import { finishRotation, oldCodeUntil, overlapFaults, rotateKey } from '../../../src/keys/rotation.ts'
import { openSqliteState } from '../../../src/state/sqlite/state.ts'

const begin = Date.UTC(2026, 9, 1, 12)
const day = { timeZone: 'America/Port-au-Prince', now: begin }

async function openKey() {
  const clock = manualClock(begin)
  const state = openSqliteState({ path: null, clock })
  const made = await createKey(state, { name: 'Shop', permissions: 'all' })
  assert('key' in made)
  return { state, clock, accessKey: made.key.accessKey }
}

test('addresses are kept in canonical form, each once, in the order given', async () => {
  const { state, accessKey } = await openKey()
  const addresses = '203.0.113.7, 2001:DB8:0::/32 ,::ffff:203.0.113.7\n198.51.100.0/24;203.0.113.7/32'
  const changed = await updateKey(state, accessKey, { addresses })
  assert('key' in changed)
  assert.deepEqual(changed.key.addresses, ['203.0.113.7', '2001:db8::/32', '198.51.100.0/24'])
  const back = await updateKey(state, accessKey, { addresses: 'all', expires: { text: 'never', ...day } })
  assert('key' in back)
  assert.deepEqual([back.key.addresses, back.key.expires], [null, null])
})

test('all faults of addresses and a day are reported at once, with a guess', () => {
  const faults = inputFaults({
    addresses: '10.1.2.3/8,shop.example,10.0.0.0/33,2001:db8::1/64,192.0.2.1',
    expires: { text: '2026-09-30', ...day },
    rate: '0',
  })
  assert.deepEqual(faults, [
    'The rate "0" is not a whole number of requests a minute from 1 to 1000000.',
    '2026-09-30 has passed: choose today or a later day.',
    '10.1.2.3/8 is not the beginning of a range: give 10.0.0.0/8 for the whole range, or 10.1.2.3 for this address alone.',
    '"shop.example" is neither an IPv4 nor an IPv6 address or range. Addresses are such as 203.0.113.7 or 198.51.100.0/24, or all.',
    'The number after the slash in "10.0.0.0/33" must be from 0 to 32.',
    '2001:db8::1/64 is not the beginning of a range: give 2001:db8::/64 for the whole range, or 2001:db8::1 for this address alone.',
  ])
  assert.match(inputFaults({ addresses: ' , ' })[0] ?? '', /Addresses are such as/)
  const many = Array.from({ length: 51 }, (_, at) => `192.0.2.${at}`).join(',')
  assert.deepEqual(inputFaults({ addresses: many }), ['A key can have at most 50 addresses and ranges.'])
})

const good = ['1m', '30m', '24h', '7d', '30d', '720h', '43200m']
const bad = ['', '0m', '59s', '24', '1.5h', '-1h', '31d', '43201m', '1y', '24 h', '999999d', 'h']

for (const text of good) test(`an overlap of ${text} will do`, () => assert.deepEqual(overlapFaults(text), []))
for (const text of bad)
  test(`an overlap of "${text}" is refused, and the sentence says what is allowed`, () =>
    assert.match(overlapFaults(text)[0]?.sentence ?? '', /is not a time from 1m to 30d, such as 30m, 24h or 7d\.$/))

test('a rotation lasts a day by default; the refusal of a second one says until when, and how to end the first', async () => {
  const { state, clock, accessKey } = await openKey()
  const rotated = await rotateKey(state, accessKey)
  assert('key' in rotated)
  assert.equal(oldCodeUntil(rotated.key, begin), begin + 86_400_000)
  const again = await rotateKey(state, accessKey, '1h')
  assert('faults' in again)
  assert.deepEqual(
    again.faults.map(({ sentence }) => sentence),
    [
      `The key ${accessKey} has two security codes already: the old one works until 2026-10-02T12:00:00.000Z. "vitrine keys rotate ${accessKey} --finish" ends it now.`,
    ],
  )
  clock.advance(86_400_000)
  assert.equal(oldCodeUntil(rotated.key, clock.now()), null)
  const over = await finishRotation(state, accessKey)
  assert('faults' in over)
  assert.match(over.faults[0]?.sentence ?? '', /has one security code: no rotation is under way/)
  for (const run of [rotateKey, finishRotation] as const) {
    const unknown = await run(state, 'svc_ak_none')
    assert('faults' in unknown)
    assert.match(unknown.faults[0]?.sentence ?? '', /There is no key svc_ak_none/)
  }
})

test('the presets of a key: what each program usually needs', () => {
  const accountant = `customers:read vendors:read invoices:read credit-memos:read payments:read purchase-orders:read
    receivings:read adjustments:read reference:read costs:read customers:financial`
  const dashboard = 'quotes:read sales-orders:read invoices:read credit-memos:read reference:read'
  assert.deepEqual(Object.fromEntries(presets.map(({ id, permissions }) => [id, permissions])), {
    web_shop: ['products:read', 'reference:read'],
    accountant: accountant.split(/\s+/),
    dashboard: dashboard.split(' '),
  })
})
