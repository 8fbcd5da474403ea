// Responses over 1 KiB are compressed when the caller asks for it, and hold the same bytes; smaller ones never are.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { createWorld, type Answer, type World } from '../support/world.ts'

// A store whose list is as long as wanted, with text that is no ASCII.
const store = (id: number, letters: number) => ({ id, name: 'é'.repeat(letters) })
let world: World
let token = ''
before(async () => {
  world = await createWorld({ rows: { stores: [store(1, 1), store(2, 3000)] } })
  token = await world.tokenFor()
})
after(() => world.close())

const decode: Record<string, (bytes: Uint8Array) => Uint8Array> = { br: brotliDecompressSync, gzip: gunzipSync }

const plainBytes = ({ headers, bytes }: Answer) => {
  const coding = headers['Content-Encoding']
  return Buffer.from(coding ? (decode[coding]?.(bytes) ?? []) : bytes)
}

const scenarios: readonly [acceptEncoding: string | undefined, coding: 'br' | 'gzip' | undefined][] = [
  [undefined, undefined],
  ['', undefined],
  ['gzip', 'gzip'],
  ['br', 'br'],
  ['GZIP', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip;q=1, br;q=0.5', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['gzip;q=0', undefined],
  ['gzip;q=0.000, br;q=0', undefined],
  ['identity', undefined],
  ['deflate, zstd', undefined],
  ['*', 'br'],
  ['*;q=0', undefined],
  ['br;q=0, *', 'gzip'],
  ['identity;q=0, gzip;q=0.1', 'gzip'],
]

for (const [acceptEncoding, coding] of scenarios) {
  test(`compression: Accept-Encoding ${acceptEncoding ?? 'absent'} gets ${coding ?? 'plain bytes'}`, async () => {
    const asked = { token, ...(acceptEncoding === undefined ? {} : { acceptEncoding }) }
    for (const target of ['/stores', '/stores/2', '/resources']) {
      const plain = await world.ask(target, { token })
      const answer = await world.ask(target, asked)
      assert.equal(answer.headers['Content-Encoding'], coding, target)
      assert.deepEqual(plainBytes(answer), Buffer.from(plain.bytes), target)
      assert.equal(answer.status, 200)
      if (coding) assert.ok(answer.bytes.byteLength < plain.bytes.byteLength / 2, target)
    }
  })
}

test('compression: a caller that asks for more of the plain bytes gets those', async () => {
  const answer = await world.ask('/resources', { token, acceptEncoding: 'identity, gzip;q=0.5' })
  assert.equal(answer.headers['Content-Encoding'], undefined)
})

test('compression: a long answer says that it depends on Accept-Encoding, compressed or not', async () => {
  for (const acceptEncoding of ['', 'gzip', 'identity'])
    assert.equal((await world.ask('/resources', { token, acceptEncoding })).headers['Vary'], 'Accept-Encoding')
})

const names = (answer: Answer) => Object.keys(answer.headers).filter((name) => name !== 'Content-Encoding')

test('compression: it changes no other header', async () => {
  const [plain, packed] = [
    await world.ask('/stores', { token }),
    await world.ask('/stores', { token, acceptEncoding: 'br' }),
  ]
  assert.deepEqual(names(packed), names(plain))
  assert.equal(packed.headers['X-Total-Count'], '2')
  assert.equal(packed.headers['Content-Type'], plain.headers['Content-Type'])
})

test('compression: 1024 bytes are not over 1 KiB, 1025 are', async () => {
  const name = 'e'.repeat(1024 - (await world.ask('/stores/1', { token })).bytes.byteLength + 2)
  const exact = await createWorld({
    rows: {
      stores: [
        { id: 1, name },
        { id: 2, name: `${name}e` },
      ],
    },
  })
  try {
    const able = await exact.tokenFor()
    const lengths = [1024, 1025]
    for (const [index, length] of lengths.entries()) {
      const target = `/stores/${index + 1}`
      assert.equal((await exact.ask(target, { token: able })).bytes.byteLength, length)
      const { headers } = await exact.ask(target, { token: able, acceptEncoding: 'gzip' })
      assert.equal(headers['Content-Encoding'], length > 1024 ? 'gzip' : undefined, String(length))
    }
  } finally {
    await exact.close()
  }
})

test('compression: short answers and errors come as they are, a long list of faults is compressed', async () => {
  for (const target of ['/status', '/ping', '/nothing', '/stores?page=0', '/stores/1'])
    assert.equal((await world.ask(target, { token, acceptEncoding: 'gzip' })).headers['Content-Encoding'], undefined)
  const faults = `/stores?${Array.from({ length: 30 }, (_, index) => `unknown_${index}=1`).join('&')}`
  const answer = await world.ask(faults, { token, acceptEncoding: 'gzip' })
  assert.deepEqual([answer.status, answer.headers['Content-Encoding']], [400, 'gzip'])
  assert.equal(JSON.parse(plainBytes(answer).toString()).error.details.length, 30)
})
