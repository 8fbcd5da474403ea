// Both stores of the state give the same answers to the same calls at the same times, also for extreme names, stores, numbers and
// keys.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { hashSecret } from '../../../src/auth/secrets.ts'
import { permissions } from '../../../src/catalogue/permissions.ts'
import { inAnyOrder, openBoth } from '../../support/both-states.ts'
import { makeStatePlace, type StatePlace } from '../../support/postgres-state.ts'

const begin = 1_700_000_000_000
let place: StatePlace
before(async () => {
  place = await makeStatePlace()
})
after(() => place.remove())

const most = Number.MAX_SAFE_INTEGER
const names = [
  'Shop',
  `Ti Machann's "boutik" \\ 100% ; -- $1 ? :a`,
  'É\u0301clair Ωmega 😀 中文 עברית',
  ' \u00a0\u2028 ',
  '\ufeffmark \ufffd',
  'x'.repeat(100),
  '😀'.repeat(100),
]

test('keys with strange names, no store, many stores and large numbers are the same in both', async () => {
  const { both, close, clock } = await openBoth(place, begin)
  const lists = [null, [], [1], [1, 2, most], Array.from({ length: 2000 }, (_, at) => at + 1)]
  for (const [at, name] of names.entries()) {
    const accessKey = `svc_ak_${names.length - at}`
    const stores = lists[at % lists.length] ?? null
    const key = { accessKey, name, permissions: permissions.slice(at), stores, priceList: null, rate: 1_000_000 }
    const made = await both((state) => state.createKey({ ...key, priceList: at % 2 ? most : null }, hashSecret(name)))
    assert.deepEqual([made.name, made.createdAt], [name, clock.now()])
    if (at % 3 === 0) clock.advance(1)
    const found = await both((state) => state.findKey(accessKey))
    assert.deepEqual(found, made)
    const changes = {
      name: `${name.slice(0, 50)}'`,
      stores: lists[(at + 1) % 5] ?? null,
      priceList: most - at,
      rate: at + 1,
    }
    assert.deepEqual(await both((state) => state.updateKey(accessKey, changes)), { ...made, ...changes })
    const outdated = { name: changes.name, stores: changes.stores, rate: at }
    assert.equal(await both((state) => state.updateKey(accessKey, { rate: 9 }, 'Marie', outdated)), 'changed meanwhile')
    const { name: shownName, stores: shownStores, priceList } = changes
    const shown = { name: shownName, stores: shownStores, priceList, permissions: key.permissions }
    assert.deepEqual(await both((state) => state.updateKey(accessKey, changes, 'Marie', shown)), {
      ...made,
      ...changes,
    })
  }
  const listed = await both((state) => state.listKeys())
  assert.equal(listed.length, names.length)
  for (const unknown of ['', `'`, 'svc_ak_😀', 'SVC_AK_1', 'svc_ak_1 ', '%', '\ud800'])
    assert.equal(await both((state) => state.findKey(unknown)), null)
  await close()
})

test('a caller gets the access of its key and the window of its rate from both stores', async () => {
  const { both, close } = await openBoth(place, begin)
  for (const [at, name] of names.entries()) {
    const key = {
      accessKey: `svc_ak_${at}`,
      name,
      permissions: ['costs:read', 'products:read'] as const,
      rate: 1_000_000 - at,
    }
    const [code, token] = [hashSecret(`code ${at}`), hashSecret(`token ${at}`)]
    await both((state) => state.createKey({ ...key, stores: at % 2 ? [most, 1] : [], priceList: most }, code))
    const attempt = {
      address: '2001:db8::/64',
      accessKey: key.accessKey,
      codeHash: code,
      isReadable: true,
      tokenHash: token,
    }
    const outcome = await both((state) => state.requestToken({ ...attempt, scope: ['costs:read'] }))
    assert.equal(outcome.is, 'granted')
    const { admitted } = await both((state) => state.admit(token))
    assert.deepEqual(
      [admitted?.caller.name, admitted?.caller.priceList, admitted?.window.limit],
      [name, most, key.rate],
    )
  }
  await close()
})

test('unknown keys of any letters are refused, counted and blocked in the same way', async () => {
  const { both, close, clock } = await openBoth(place, begin)
  const sent = [
    null,
    '',
    '\0',
    'svc_ak_\0x',
    `' OR 1=1 --`,
    '\\',
    '😀',
    '\ud800',
    '\u00e9',
    'e\u0301',
    'k'.repeat(100_000),
  ]
  for (const [at, accessKey] of sent.entries()) {
    const attempt = { accessKey, isReadable: true, scope: null, tokenHash: hashSecret('t') }
    for (const codeHash of [hashSecret('x'), null, hashSecret('y'), hashSecret(''), null, hashSecret('z')])
      await both((state) => state.requestToken({ ...attempt, address: `10.0.0.${at % 3}`, codeHash }))
    clock.advance(30_000)
    await both((state) => state.tokenWindow(`10.0.0.${at % 3}`))
  }
  const blocks = await both(async (state) => inAnyOrder(await state.listBlocks()))
  assert.ok(blocks.length > 5)
  for (const address of ['10.0.0.0', '10.0.0.1', '10.0.0.9', `'`]) await both((state) => state.clearBlocks(address))
  await close()
})

test('blocks are listed with their address, their key where it is one of ours, and their end; cleared for one address', async () => {
  const { both, close, clock } = await openBoth(place, begin)
  const accessKey = 'svc_ak_one'
  const terms = { accessKey, name: 'Shop', permissions: [], stores: null, priceList: null, rate: 60 }
  await both((state) => state.createKey(terms, hashSecret('right')))
  const attempt = (sent: string, address: string, code = 'wrong') => {
    const credentials = { accessKey: sent, codeHash: hashSecret(code), tokenHash: hashSecret('t') }
    return both((state) => state.requestToken({ ...credentials, address, isReadable: true, scope: null }))
  }
  for (let turn = 0; turn < 5; turn += 1) await attempt(accessKey, '10.0.0.1')
  for (let turn = 0; turn < 5; turn += 1) await attempt('svc_sk_in_the_wrong_place', '10.0.0.2')
  const ends = begin + 900_000
  const keyBlock = { scope: 'key', failures: 5, until: ends }
  const other = { ...keyBlock, address: '10.0.0.2', accessKey: null }
  assert.deepEqual(await both((state) => state.listBlocks()), [{ ...keyBlock, address: '10.0.0.1', accessKey }, other])
  for (let turn = 0; turn < 15; turn += 1) {
    if (turn % 5 === 0) clock.advance(60_000)
    await attempt(`stranger ${turn}`, '10.0.0.1')
  }
  const whole = (await both((state) => state.listBlocks())).filter(({ scope }) => scope === 'address')
  const address = { address: '10.0.0.1', scope: 'address', accessKey: null, failures: 20 }
  assert.deepEqual(whole, [{ ...address, until: ends + 180_000 }])
  // The key's series, the address's, and one of each stranger.
  assert.equal(await both((state) => state.clearBlocks('10.0.0.1', 'ada')), 17)
  assert.equal(await both((state) => state.clearBlocks('10.0.0.1')), 0)
  const [entry] = await both(async (state) =>
    (await state.listAudit({ limit: 1 })).map(({ act, by, subject, details }) => ({ act, by, subject, details })),
  )
  assert.deepEqual(entry, {
    act: 'blocks cleared',
    by: 'ada',
    subject: '10.0.0.1',
    details: { blocks: 2, cleared: 17 },
  })
  assert.deepEqual(await both((state) => state.listBlocks()), [other])
  assert.equal((await attempt(accessKey, '10.0.0.1', 'right')).is, 'granted')
  await close()
})
