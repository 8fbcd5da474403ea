// Addresses of callers: which count together, and that only trusted proxies may forward one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callerAddress, canonicalAddress, isForwardedTls, trustedProxies } from '../../../src/http/address.ts'
import { HangUp, toCall, type NodeRequest } from '../../../src/http/node-request.ts'

test('canonicalAddress: IPv4 is itself, and each address counts alone', () => {
  for (const address of ['10.0.0.1', '127.0.0.1', '255.255.255.255', '0.0.0.0'])
    assert.equal(canonicalAddress(address), address)
})

test('canonicalAddress: a mapped IPv4 address is the IPv4 address, however it is written', () => {
  for (const mapped of [
    '::ffff:10.0.0.1',
    '::FFFF:10.0.0.1',
    '::ffff:a00:1',
    '::ffff:0a00:0001',
    '0:0:0:0:0:ffff:10.0.0.1',
    '0000:0000:0000:0000:0000:ffff:0a00:0001',
  ])
    assert.equal(canonicalAddress(mapped), '10.0.0.1', mapped)
  assert.equal(canonicalAddress('::ffff:255.255.255.255'), '255.255.255.255')
})

test('canonicalAddress: IPv6 callers of one /64 count together, however they are written', () => {
  const together = [
    '2001:db8:1:2::1',
    '2001:db8:1:2::2',
    '2001:DB8:1:2:3:4:5:6',
    '2001:0db8:0001:0002:ffff:ffff:ffff:ffff',
    '2001:db8:1:2::',
    '2001:db8:1:2::10.0.0.1',
    '2001:db8:1:2::1%eth0',
  ]
  assert.equal(new Set(together.map(canonicalAddress)).size, 1)
})

test('canonicalAddress: other networks count apart', () => {
  const apart = [
    '2001:db8:1:2::1',
    '2001:db8:1:3::1',
    '2001:db8:1::1',
    '2001:db8:0:2::1',
    '2001:db8::1:2:0:0',
    'fe80::1',
    '::1',
    // Neither is a mapped address.
    '64:ff9b::10.0.0.1',
    '1::ffff:10.0.0.1',
    '10.0.0.1',
  ]
  assert.equal(new Set(apart.map(canonicalAddress)).size, apart.length)
})

test('canonicalAddress: an address in canonical form does not look like one of another caller', () => {
  assert.equal(canonicalAddress('2001:db8:1:2::1'), '2001:db8:1:2::/64')
  assert.equal(canonicalAddress('::1'), canonicalAddress('0:0:0:0:0:0:0:1'))
})

const ranges = ['10.0.0.1', '192.168.0.0/16', '2001:db8::/32', '::ffff:172.16.0.9', '::1']
const trusted = trustedProxies(ranges)

const members: readonly [address: string, isTrusted: boolean][] = [
  ['10.0.0.1', true],
  ['::ffff:10.0.0.1', true],
  ['10.0.0.2', false],
  ['192.168.255.255', true],
  ['192.169.0.0', false],
  ['::ffff:192.168.3.4', true],
  ['2001:db8:ffff::1', true],
  ['2001:db9::1', false],
  ['172.16.0.9', true],
  ['::1', true],
  ['0:0:0:0:0:0:0:1', true],
  ['', false],
  ['nonsense', false],
]

for (const [address, isTrusted] of members) {
  test(`trustedProxies: ${address || 'nothing'} is ${isTrusted ? '' : 'not '}trusted`, () => {
    assert.equal(trusted.has(address), isTrusted)
  })
}

test('trustedProxies: none by default', () => {
  for (const address of ['127.0.0.1', '::1', '10.0.0.1']) assert.equal(trustedProxies([]).has(address), false)
})

test('trustedProxies: every range that the settings take can be used, mapped ones too', () => {
  const mapped = trustedProxies(['::ffff:10.0.0.0/104'])
  assert.equal(mapped.has('10.9.8.7'), true)
  assert.equal(mapped.has('11.0.0.1'), false)
  assert.equal(trustedProxies(['0.0.0.0/0']).has('203.0.113.1'), true)
  assert.equal(trustedProxies(['10.0.0.1/32']).has('10.0.0.2'), false)
})

const callers: readonly { name: string; peer: string; forwardedFor: string | undefined; caller: string }[] = [
  { name: 'an untrusted peer is itself', peer: '203.0.113.5', forwardedFor: undefined, caller: '203.0.113.5' },
  {
    name: 'an untrusted peer is not believed',
    peer: '203.0.113.5',
    forwardedFor: '198.51.100.1',
    caller: '203.0.113.5',
  },
  { name: 'nor if it names a trusted one', peer: '203.0.113.5', forwardedFor: '10.0.0.1', caller: '203.0.113.5' },
  { name: 'a trusted peer names the caller', peer: '10.0.0.1', forwardedFor: '198.51.100.1', caller: '198.51.100.1' },
  {
    name: 'what the caller itself wrote before is not believed',
    peer: '10.0.0.1',
    forwardedFor: '1.1.1.1, 2.2.2.2, 198.51.100.1',
    caller: '198.51.100.1',
  },
  {
    name: 'trusted proxies in a row are skipped',
    peer: '10.0.0.1',
    forwardedFor: '1.1.1.1, 198.51.100.1, 192.168.1.1,192.168.1.2 , 2001:db8::7',
    caller: '198.51.100.1',
  },
  {
    name: 'a trusted address before the caller does not count',
    peer: '10.0.0.1',
    forwardedFor: '192.168.1.1, 198.51.100.1',
    caller: '198.51.100.1',
  },
  {
    name: 'a mapped peer is its IPv4 address',
    peer: '::ffff:10.0.0.1',
    forwardedFor: '198.51.100.1',
    caller: '198.51.100.1',
  },
  {
    name: 'a mapped entry is its IPv4 address',
    peer: '10.0.0.1',
    forwardedFor: '::ffff:198.51.100.1',
    caller: '198.51.100.1',
  },
  {
    name: 'a mapped entry of a trusted proxy is skipped',
    peer: '10.0.0.1',
    forwardedFor: '198.51.100.1, ::ffff:192.168.1.1',
    caller: '198.51.100.1',
  },
  { name: 'a port is no part of it', peer: '10.0.0.1', forwardedFor: '198.51.100.1:4711', caller: '198.51.100.1' },
  { name: 'nor with brackets', peer: '10.0.0.1', forwardedFor: '[2001:db9::1]:4711', caller: '2001:db9::1' },
  { name: 'brackets without a port', peer: '10.0.0.1', forwardedFor: '[2001:db9::1]', caller: '2001:db9::1' },
  { name: 'IPv6 as it is', peer: '::1', forwardedFor: ' 2001:db9::1 ', caller: '2001:db9::1' },
  { name: 'no header: the proxy itself', peer: '10.0.0.1', forwardedFor: undefined, caller: '10.0.0.1' },
  { name: 'an empty header: the proxy itself', peer: '10.0.0.1', forwardedFor: '', caller: '10.0.0.1' },
  // Nothing to the left of what is no address can be believed: the proxy did not write it.
  { name: 'no address: the proxy itself', peer: '10.0.0.1', forwardedFor: '198.51.100.1, unknown', caller: '10.0.0.1' },
  { name: 'half an address', peer: '10.0.0.1', forwardedFor: '198.51.100.1, 1.2.3', caller: '10.0.0.1' },
]

for (const { name, peer, forwardedFor, caller } of callers) {
  test(`callerAddress: ${name}`, () => {
    assert.equal(callerAddress({ address: peer, forwardedFor, forwardedProto: 'https' }, trusted), caller)
  })
}

const protos: readonly [peer: string, forwardedProto: string | undefined, isTls: boolean][] = [
  ['10.0.0.1', 'https', true],
  ['10.0.0.1', 'HTTPS', true],
  ['::ffff:10.0.0.1', 'https', true],
  ['10.0.0.1', 'http', false],
  ['10.0.0.1', undefined, false],
  ['10.0.0.1', '', false],
  ['10.0.0.1', 'http, https', false],
  ['10.0.0.1', 'httpss', false],
  ['203.0.113.5', 'https', false],
]

for (const [address, forwardedProto, isTls] of protos) {
  test(`isForwardedTls: ${address} says ${forwardedProto ?? 'nothing'}: ${isTls}`, () => {
    assert.equal(isForwardedTls({ address, forwardedFor: undefined, forwardedProto }, trusted), isTls)
  })
}

const counted: readonly { name: string; remoteAddress: string; forwardedFor?: string; address: string }[] = [
  { name: 'an IPv6 caller by its /64', remoteAddress: '2001:db9:1:2:3:4:5:6', address: '2001:db9:1:2::/64' },
  { name: 'a mapped caller by its IPv4 address', remoteAddress: '::ffff:203.0.113.5', address: '203.0.113.5' },
  {
    name: 'a caller behind a trusted proxy by its own /64',
    remoteAddress: '::ffff:10.0.0.1',
    forwardedFor: '2001:db9:1:2::7',
    address: '2001:db9:1:2::/64',
  },
  {
    name: 'a caller that only says so by where it comes from',
    remoteAddress: '203.0.113.5',
    forwardedFor: '2001:db9:1:2::7',
    address: '203.0.113.5',
  },
]

for (const { name, remoteAddress, forwardedFor, address } of counted) {
  test(`toCall: a request counts for ${name}`, () => {
    const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }
    const request = { headers, rawHeaders: [], method: 'GET', url: '/', socket: { remoteAddress } }
    assert.equal(toCall(request as unknown as NodeRequest, new HangUp(), true, trusted).address, address)
  })
}
