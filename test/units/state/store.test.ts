// The store of the state in a file: what a sweep deletes, and how long its log gets.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { hashSecret, makeAccessKey, makeSecurityCode, makeToken } from '../../../src/auth/secrets.ts'
import { openStore, type SqliteStore } from '../../../src/state/sqlite/store.ts'

const minute = 60_000
const begin = 1_700_000_000_000
let folder = ''
let store: SqliteStore
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'vitrine-store-'))
  store = openStore(join(folder, 'state.db'), 1000)
})
after(() => {
  store.close()
  rmSync(folder, { recursive: true })
})

let addresses = 0
const newAddress = () => `10.0.0.${(addresses += 1)}`

function newKey(rate = 60) {
  const [accessKey, securityCode] = [makeAccessKey(), makeSecurityCode()]
  const key = { accessKey, name: 'Shop', permissions: ['vendors:read'] as const, stores: null, priceList: null, rate }
  store.createKey(begin, key, hashSecret(securityCode))
  return { accessKey, securityCode }
}

interface Attempt {
  readonly accessKey: string | null
  readonly securityCode: string
  readonly address: string
  readonly token?: string
}
const attempt = (now: number, { accessKey, securityCode, address, token = makeToken() }: Attempt) =>
  store.requestToken(now, {
    address,
    accessKey,
    codeHash: hashSecret(securityCode),
    isReadable: true,
    scope: null,
    tokenHash: hashSecret(token),
  })

function newToken(now: number, rate = 60) {
  const token = makeToken()
  assert.equal(attempt(now, { ...newKey(rate), address: newAddress(), token }).is, 'granted')
  return hashSecret(token)
}
const windowOf = (now: number, token: Uint8Array) => store.admit(now, token).admitted?.window

function block(now: number, accessKey: string, address: string) {
  for (let failures = 0; failures < 5; failures += 1)
    assert.equal(attempt(now, { accessKey, securityCode: 'wrong', address }).is, 'refused')
}

test('sweep: rows that still count are kept', () => {
  const [key, address, token] = [newKey(), newAddress(), newToken(begin)]
  const [other, series] = [newKey(), newAddress()]
  store.admit(begin, token)
  block(begin, key.accessKey, address)
  for (let failures = 0; failures < 4; failures += 1)
    attempt(begin, { ...other, securityCode: 'wrong', address: series })
  store.sweep(begin + 59_999)
  assert.equal(windowOf(begin + 59_999, token)?.remaining, 58)
  store.sweep(begin + 15 * minute - 1)
  const last = begin + 15 * minute - 1
  assert.ok(store.admit(last, token).admitted)
  assert.equal(attempt(last, { ...key, address }).is, 'blocked')
  assert.equal(attempt(last, { ...other, securityCode: 'wrong', address: series }).is, 'refused')
  assert.equal(attempt(last, { ...other, address: series }).is, 'blocked')
})

test('sweep: a block outlives the series that led to it', () => {
  const [key, address] = [newKey(), newAddress()]
  const wrong = { ...key, securityCode: 'wrong', address }
  attempt(begin, wrong)
  for (let failures = 0; failures < 4; failures += 1) attempt(begin + 14 * minute, wrong)
  store.sweep(begin + 20 * minute)
  assert.equal(attempt(begin + 29 * minute - 1, { ...key, address }).is, 'blocked')
  assert.equal(attempt(begin + 29 * minute, { ...key, address }).is, 'granted')
})

test('sweep: expired rows are deleted, and every answer stays the same', () => {
  const [key, address, token] = [newKey(), newAddress(), newToken(begin)]
  block(begin, key.accessKey, address)
  store.sweep(begin + 15 * minute)
  assert.equal(store.admit(begin + 15 * minute, token).admitted, null)
  // Even with the clock back where the token was valid: it was deleted.
  assert.equal(store.admit(begin, token).admitted, null)
  assert.equal(attempt(begin + 15 * minute, { ...key, address }).is, 'granted')
  const left = store.listBlocks(begin + 15 * minute).filter((each) => each.address === address)
  assert.deepEqual(left, [])
})

test('sweep: the hash of a code that has ended is not kept', () => {
  const { accessKey } = newKey()
  store.rotateKey(begin, accessKey, hashSecret('new'), minute)
  store.sweep(begin + minute - 1)
  assert.equal(store.findKey(0, accessKey)?.oldCodeUntil, begin + minute)
  store.sweep(begin + minute)
  assert.equal(store.findKey(0, accessKey)?.oldCodeUntil, null)
})

test('the log of the state does not grow with the number of requests', () => {
  const path = join(folder, 'log.db')
  const busy = openStore(path, 1000)
  const [accessKey, codeHash, tokenHash] = [makeAccessKey(), hashSecret(makeSecurityCode()), hashSecret(makeToken())]
  busy.createKey(begin, { accessKey, name: 'Busy', permissions: [], stores: null, priceList: null, rate: 60 }, codeHash)
  const attempt = { address: '10.0.0.1', accessKey, codeHash, isReadable: true, scope: null, tokenHash }
  assert.equal(busy.requestToken(begin, attempt).is, 'granted')
  for (let count = 0; count < 5000; count += 1) assert.ok(busy.admit(begin, tokenHash).admitted)
  const bytes = statSync(`${path}-wal`).size
  busy.close()
  assert.ok(bytes < 8 * 1024 * 1024, `${bytes} bytes`)
})
