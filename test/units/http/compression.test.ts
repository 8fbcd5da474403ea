// The coding a caller gets for its Accept-Encoding, and which answers are compressed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { chooseCoding, compressed } from '../../../src/http/compression.ts'

const choices: readonly [acceptEncoding: string | undefined, coding: 'br' | 'gzip' | undefined][] = [
  [undefined, undefined],
  ['', undefined],
  [' ', undefined],
  [',', undefined],
  ['gzip', 'gzip'],
  ['Br', 'br'],
  ['  gzip  ', 'gzip'],
  ['gzip ; q=1', 'gzip'],
  ['gzip;Q=0.5', 'gzip'],
  ['gzip,br', 'br'],
  ['br,gzip', 'br'],
  ['gzip;q=0.9, br;q=0.8', 'gzip'],
  ['gzip;q=0.8, br;q=0.9', 'br'],
  ['gzip;q=0.001', 'gzip'],
  ['gzip;q=0', undefined],
  ['gzip;q=0.0, br;q=0.000', undefined],
  ['*', 'br'],
  ['*;q=0.1', 'br'],
  ['*;q=0', undefined],
  ['*;q=0, gzip', 'gzip'],
  ['br;q=0, *', 'gzip'],
  ['gzip;q=0.5, *;q=0.1', 'gzip'],
  ['identity', undefined],
  ['identity;q=0, br', 'br'],
  ['deflate', undefined],
  ['xgzip, gzipx', undefined],
  ['gzip;q=nonsense', undefined],
  // RFC 9110, section 12.4.2: more weight is more wanted.
  ['identity;q=1, gzip;q=0.5', undefined],
  ['identity;q=0.5, gzip;q=1', 'gzip'],
  ['identity;q=0.5, gzip;q=0.5', 'gzip'],
]

for (const [acceptEncoding, coding] of choices) {
  test(`chooseCoding: ${JSON.stringify(acceptEncoding)} is ${coding ?? 'nothing'}`, () => {
    assert.equal(chooseCoding(acceptEncoding), coding)
  })
}

const isCompressed = async (body: string) =>
  'Content-Encoding' in (await compressed({ status: 200, headers: {}, body }, 'gzip')).headers

test('compressed: from 1025 bytes on, counted in bytes and not in characters', async () => {
  assert.equal(await isCompressed('x'.repeat(1024)), false)
  assert.equal(await isCompressed('x'.repeat(1025)), true)
  assert.equal(await isCompressed('é'.repeat(512)), false)
  assert.equal(await isCompressed('é'.repeat(513)), true)
})

test('compressed: text and bytes come back as they were, with the status and the headers of the reply', async () => {
  const text = '{"name":"Café Ti Moun, Pétion-Ville"}'.repeat(100)
  for (const body of [text, new TextEncoder().encode(text)]) {
    const reply = { status: 400, headers: { 'X-Total-Count': '3' }, body }
    const br = await compressed(reply, 'br')
    const gzip = await compressed(reply, 'gzip')
    const none = await compressed(reply, undefined)
    assert.equal(brotliDecompressSync(br.body).toString(), text)
    assert.equal(gunzipSync(gzip.body).toString(), text)
    assert.equal(Buffer.from(none.body).toString(), text)
    for (const { status, headers } of [br, gzip, none]) {
      assert.equal(status, 400)
      assert.equal(headers['X-Total-Count'], '3')
      assert.equal(headers['Vary'], 'Accept-Encoding')
    }
    assert.deepEqual(Object.keys(reply.headers), ['X-Total-Count'], 'the reply itself is left alone')
  }
})
