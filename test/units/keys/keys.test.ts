// Typed values → keys, or all faults at once and nothing changed.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { permissions } from '../../../src/catalogue/permissions.ts'
import { manualClock } from '../../../src/platform/clock.ts'
import type { InputFault } from '../../../src/keys/faults.ts'
import { createKey, regenerateKey, revokeKey, updateKey, type KeyInput } from '../../../src/keys/keys.ts'
import { openSqliteState } from '../../../src/state/sqlite/state.ts'
import type { State } from '../../../src/state/state.ts'

const clock = manualClock(1_700_000_000_000)
let folder = ''
let state: State
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'vitrine-keys-'))
  state = openSqliteState({ path: join(folder, 'state.db'), clock })
})
after(async () => {
  await state.close()
  rmSync(folder, { recursive: true })
})

async function make(input: KeyInput = {}) {
  const made = await createKey(state, { name: 'Shop', permissions: 'all', ...input })
  if ('faults' in made) assert.fail(made.faults.map(({ sentence }) => sentence).join(' '))
  return made
}

async function faultsOf(made: Promise<object>): Promise<readonly string[]> {
  const result = await made
  return 'faults' in result
    ? (result.faults as InputFault[]).map(({ sentence }) => sentence)
    : assert.fail('it was made')
}

test('keys: a name and permissions are enough: every store, every price list, 60 requests a minute', async () => {
  const { key, securityCode } = await make({ permissions: 'vendors:read' })
  const { accessKey, ...rest } = key
  assert.match(accessKey, /^svc_ak_/)
  assert.match(securityCode, /^svc_sk_/)
  assert.deepEqual(rest, {
    name: 'Shop',
    permissions: ['vendors:read'],
    stores: null,
    priceList: null,
    rate: 60,
    isDisabled: false,
    expires: null,
    addresses: null,
    oldCodeUntil: null,
    createdAt: clock.now(),
    revokedAt: null,
  })
  assert.deepEqual(await state.findKey(accessKey), key)
})

const readings: readonly { name: string; input: KeyInput; expected: object }[] = [
  { name: 'permissions all', input: { permissions: 'all' }, expected: { permissions: [...permissions] } },
  {
    name: 'permissions in any order, with blanks, twice',
    input: { permissions: 'costs:read, products:read ,costs:read' },
    expected: { permissions: ['products:read', 'costs:read'] },
  },
  { name: 'stores in any order, with blanks, twice', input: { stores: '10, 2,10' }, expected: { stores: [2, 10] } },
  { name: 'no store', input: { stores: 'none' }, expected: { stores: [] } },
  { name: 'all stores', input: { stores: 'all' }, expected: { stores: null } },
  { name: 'a price list', input: { priceList: '3' }, expected: { priceList: 3 } },
  { name: 'all price lists', input: { priceList: 'all' }, expected: { priceList: null } },
  { name: 'the least rate', input: { rate: '1' }, expected: { rate: 1 } },
  { name: 'the most', input: { rate: '1000000' }, expected: { rate: 1_000_000 } },
  { name: 'a name with blanks around it', input: { name: '  Kafe Ti Moun ' }, expected: { name: 'Kafe Ti Moun' } },
  { name: 'a name of 100 characters', input: { name: 'é'.repeat(100) }, expected: { name: 'é'.repeat(100) } },
]

for (const { name, input, expected } of readings) {
  test(`keys: ${name}`, async () => {
    const { key } = await make(input)
    assert.deepEqual({ ...key, ...expected }, key)
    const updated = await updateKey(state, (await make()).key.accessKey, input)
    assert.ok('key' in updated)
    assert.deepEqual({ ...updated.key, ...expected }, updated.key)
  })
}

const refused: readonly [name: keyof KeyInput, text: string][] = [
  ['name', ''],
  ['name', '   '],
  ['name', 'x'.repeat(101)],
  ['name', 'two\nlines'],
  ['name', 'a\u0000b'],
  ['permissions', ''],
  ['permissions', 'products'],
  ['permissions', 'Products:read'],
  ['permissions', 'products:read,'],
  ['permissions', 'products:read vendors:read'],
  ['permissions', 'all,products:read'],
  ['stores', ''],
  ['stores', '0'],
  ['stores', '-1'],
  ['stores', '1.5'],
  ['stores', '1,,2'],
  ['stores', '1;2'],
  ['stores', 'none,1'],
  ['stores', '01'],
  ['priceList', ''],
  ['priceList', '0'],
  ['priceList', '-1'],
  ['priceList', '1,2'],
  ['priceList', 'none'],
  ['rate', ''],
  ['rate', '0'],
  ['rate', '-5'],
  ['rate', '60.5'],
  ['rate', '1000001'],
  ['rate', 'fast'],
]

for (const [name, text] of refused) {
  test(`keys: ${name} ${JSON.stringify(text)} is refused in a sentence, and nothing is made or changed`, async () => {
    const { key } = await make({ stores: '1', priceList: '2', rate: '3' })
    const before = await state.listKeys()
    for (const result of [
      createKey(state, { name: 'Shop', permissions: 'all', [name]: text }),
      updateKey(state, key.accessKey, { name: 'Other', rate: '5', [name]: text }),
    ]) {
      const faults = await faultsOf(result)
      assert.equal(faults.length, 1, faults.join('\n'))
      assert.match(faults[0] ?? '', /^[A-Z].*[.?]$/s)
    }
    assert.deepEqual(await state.listKeys(), before)
  })
}

test('keys: all faults are reported together', async () => {
  const faults = await faultsOf(
    createKey(state, { permissions: 'product:read,nonsense', stores: 'x', priceList: 'y', rate: 'z' }),
  )
  assert.equal(faults.length, 6, faults.join('\n'))
  assert.ok(
    faults.some((fault) => fault.includes('products:read?')),
    'what was meant',
  )
  assert.equal((await faultsOf(createKey(state, {}))).length, 2)
})

test('keys: an update changes only the given values', async () => {
  const { key } = await make({ permissions: 'vendors:read', stores: '1,2', priceList: '3', rate: '9' })
  const steps: [Parameters<typeof updateKey>[2], object][] = [
    [{ name: 'Renamed' }, { name: 'Renamed' }],
    [{ permissions: 'all' }, { permissions: [...permissions] }],
    [{ stores: 'none' }, { stores: [] }],
    [{ stores: 'all' }, { stores: null }],
    [{ priceList: 'all' }, { priceList: null }],
    [{ rate: '10' }, { rate: 10 }],
    [{ disable: true }, { isDisabled: true }],
    [{ enable: true }, { isDisabled: false }],
  ]
  const expected = { ...key }
  for (const [input, changes] of steps) {
    Object.assign(expected, changes)
    assert.deepEqual(await updateKey(state, key.accessKey, input), { key: expected })
  }
  assert.equal((await faultsOf(updateKey(state, key.accessKey, {}))).length, 1)
})

test('keys: a new code differs, and the key stays the same', async () => {
  const { key, securityCode } = await make({ stores: '1' })
  const renewed = await regenerateKey(state, key.accessKey)
  assert.ok('securityCode' in renewed)
  assert.notEqual(renewed.securityCode, securityCode)
  assert.deepEqual(renewed.key, key)
})

test('keys: a revoked key stays listed with the time, and can neither change nor come back', async () => {
  const { key } = await make()
  clock.advance(5000)
  const revoked = await revokeKey(state, key.accessKey)
  assert.deepEqual(revoked, { key: { ...key, revokedAt: clock.now() } })
  clock.advance(5000)
  for (const again of [
    revokeKey(state, key.accessKey),
    regenerateKey(state, key.accessKey),
    updateKey(state, key.accessKey, { name: 'Back' }),
  ])
    assert.deepEqual(await faultsOf(again), [`The key ${key.accessKey} was revoked.`])
  assert.deepEqual(await state.findKey(key.accessKey), 'key' in revoked && revoked.key)
})

test('keys: for an unknown key, the nearest one is named', async () => {
  const { key } = await make()
  const typo = `${key.accessKey.slice(0, -1)}_`
  for (const result of [revokeKey(state, typo), regenerateKey(state, typo), updateKey(state, typo, { name: 'x' })]) {
    const [fault = ''] = await faultsOf(result)
    assert.ok(fault.includes(typo) && fault.includes(`${key.accessKey}?`), fault)
  }
  assert.match((await faultsOf(revokeKey(state, 'nothing like it')))[0] ?? '', /^There is no key nothing like it\./)
})
