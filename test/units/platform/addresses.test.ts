// Addresses and ranges of them: one form for each, and which address is in which range.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isWithin, plainAddress, rangeText, readRange } from '../../../src/platform/addresses.ts'
import { HangUp, toCall, type NodeRequest } from '../../../src/http/node-request.ts'
import { trustedProxies } from '../../../src/http/address.ts'

test('an address has one form, however it is written', () => {
  const forms: readonly [text: string, plain: string | undefined][] = [
    ['10.0.0.1', '10.0.0.1'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['::FFFF:A00:1', '10.0.0.1'],
    ['2001:0DB8:0:0::0001', '2001:db8::1'],
    ['2001:db8::1%eth0', '2001:db8::1'],
    ['::1', '::1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['10.0.0', undefined],
    ['', undefined],
    ['shop.example', undefined],
  ]
  for (const [text, plain] of forms) assert.equal(plainAddress(text), plain, text)
})

const ranges: readonly [text: string, range: string, hasHostBits: boolean][] = [
  ['10.0.0.0/8', '10.0.0.0/8', false],
  ['10.1.2.3/8', '10.0.0.0/8', true],
  ['203.0.113.7', '203.0.113.7', false],
  ['203.0.113.7/32', '203.0.113.7', false],
  ['0.0.0.0/0', '0.0.0.0/0', false],
  ['255.255.255.255/31', '255.255.255.254/31', true],
  ['2001:DB8:0::/32', '2001:db8::/32', false],
  ['2001:db8::1/64', '2001:db8::/64', true],
  ['2001:db8::1/128', '2001:db8::1', false],
  ['::/0', '::/0', false],
  ['::ffff:10.0.0.0/104', '10.0.0.0/8', false],
  ['::ffff:10.0.0.1', '10.0.0.1', false],
]

for (const [text, range, hasHostBits] of ranges)
  test(`the range ${text} is ${range}`, () => {
    const read = readRange(text)
    assert('range' in read)
    assert.deepEqual([rangeText(read.range), read.hasHostBits], [range, hasHostBits])
  })

for (const text of [
  '',
  'x',
  '10.0.0.0/',
  '10.0.0.0/33',
  '10.0.0.0/08',
  '10.0.0.0/-1',
  '2001:db8::/129',
  '10.0.0/8',
  'fe80::1%eth0',
  '1.2.3.4/8/8',
])
  test(`"${text}" is no range`, () => assert('fault' in readRange(text)))

test('an address is in the ranges that hold it, at both ends, and in none of another family', () => {
  const read = ['192.0.2.64/26', '2001:db8:1::/48', '::ffff:0:0/90'].map(readRange)
  const all = read.flatMap((each) => ('range' in each ? [each.range] : []))
  const within = (address: string) => isWithin(all, address)
  for (const address of [
    '192.0.2.64',
    '192.0.2.127',
    '::ffff:192.0.2.100',
    '2001:db8:1::',
    '2001:db8:1:ffff:ffff:ffff:ffff:ffff',
  ])
    assert.equal(within(address), true, address)
  for (const address of ['192.0.2.63', '192.0.2.128', '2001:db8:2::', '2001:db8:0:ffff::', '10.0.0.1', '', 'nonsense'])
    assert.equal(within(address), false, address)
  assert.equal(isWithin([], '10.0.0.1'), false)
})

const asked = (remoteAddress: string, forwardedFor?: string) => {
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }
  const request = { headers, rawHeaders: [], method: 'GET', url: '/', socket: { remoteAddress } }
  const { address, fullAddress } = toCall(
    request as unknown as NodeRequest,
    new HangUp(),
    true,
    trustedProxies(['10.0.0.1']),
  )
  return [address, fullAddress]
}

test('a call knows the whole address of its caller, behind a trusted proxy too, whatever it counts by', () => {
  assert.deepEqual(asked('2001:DB8:1:2:3:4:5:6'), ['2001:db8:1:2::/64', '2001:db8:1:2:3:4:5:6'])
  assert.deepEqual(asked('::ffff:10.0.0.1', '2001:db8:1:2::7'), ['2001:db8:1:2::/64', '2001:db8:1:2::7'])
  assert.deepEqual(asked('::ffff:10.0.0.1', '1.1.1.1, 198.51.100.4'), ['198.51.100.4', '198.51.100.4'])
  assert.deepEqual(asked('203.0.113.5', '198.51.100.4'), ['203.0.113.5', '203.0.113.5'])
  assert.deepEqual(asked(''), ['', null])
})
