// Unread answers are bounded: in time, on a connection and in all. Connections are plain objects here and time is set.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createUnsent, pieceBytes, unsentLimits as limits, type UnsentPeer } from '../../../src/http/unsent.ts'

function setUp(changed: Partial<typeof limits> = {}) {
  let time = 0
  const ended: string[] = []
  const unsent = createUnsent({ ...limits, ...changed }, () => time)
  const peer = (name: string, address = name): UnsentPeer => ({ address, end: (why) => ended.push(`${name} ${why}`) })
  /** An answer that waits. */
  const answer = (to: UnsentPeer, body: Uint8Array = new Uint8Array(1000)) => {
    const turn = unsent.enter(to)
    turn.hold(body)
    return turn
  }
  /** Which connections were ended meanwhile. */
  const after = async (ms: number) => {
    time += ms
    await unsent.sweep()
    unsent.close()
    return ended.splice(0)
  }
  return { ...unsent, peer, answer, after }
}

test('unsent: a connection that takes nothing for 30 seconds is ended', async () => {
  const { answer, after, peer } = setUp()
  answer(peer('one'))
  assert.deepEqual(await after(29_999), [])
  assert.deepEqual(await after(1), ['one unread'])
  assert.deepEqual(await after(60_000), [])
})

test('unsent: further requests, and answers that are given up, are no bytes taken', async () => {
  const { answer, after, peer } = setUp()
  const one = peer('one')
  const first = answer(one)
  assert.deepEqual(await after(20_000), [])
  answer(one)
  first.leave()
  assert.deepEqual(await after(9999), [])
  assert.deepEqual(await after(1), ['one unread'])
  const other = peer('other')
  answer(other).leave()
  const again = answer(other)
  assert.deepEqual(await after(20_000), [])
  again.leave()
  // While nothing waits, no time counts.
  assert.deepEqual(await after(3_600_000), [])
  answer(other)
  assert.deepEqual(await after(9999), [])
  assert.deepEqual(await after(1), ['other unread'])
})

test('unsent: a slow caller that takes a piece now and then goes on', async () => {
  const { answer, after, peer } = setUp()
  const slow = answer(peer('slow'))
  for (let turn = 0; turn < 10; turn += 1) {
    assert.deepEqual(await after(29_000), [])
    slow.took()
  }
  slow.leave()
  assert.deepEqual(await after(60_000), [])
})

test('unsent: 100 answers at once on a line of 30 kB/s are not cut; a caller that takes none of them is', async () => {
  const { answer, after, peer } = setUp()
  const one = peer('one')
  const askAll = () => Array.from({ length: 100 }, () => answer(one, new Uint8Array(pieceBytes)))
  // HTTP/2 writes a piece of each together, and tells of the first when the last has gone.
  const piecesMs = (100 * pieceBytes) / 30
  for (let turn = 0; turn < 3; turn += 1) {
    const answers = askAll()
    assert.deepEqual(await after(piecesMs), [])
    for (const each of answers) each.took()
    for (const each of answers) each.leave()
  }
  askAll()
  assert.deepEqual(await after(54_900), [])
  assert.deepEqual(await after(200), ['one unread'])
})

test('unsent: an answer that is being made is not waited for', async () => {
  const { enter, after, peer } = setUp()
  enter(peer('one'))
  assert.deepEqual(await after(3_600_000), [])
})

test('unsent: on a connection that holds its share, requests wait until something was taken', async () => {
  const { enter, answer, peer } = setUp()
  const [one, other] = [peer('one'), peer('other')]
  const share = limits.mostConnectionBytes / 2
  const held = [answer(one, new Uint8Array(share)), answer(one, new Uint8Array(share))]
  const queued = [enter(one), enter(one), enter(one)]
  for (const { room } of queued) assert.ok(room)
  assert.equal(enter(other).room, undefined, 'another connection has room')
  // A request that has left takes no room.
  queued[0]?.leave()
  assert.equal(await queued[0]?.room, false)
  held[0]?.leave()
  assert.equal(await queued[1]?.room, true)
  assert.equal(await queued[2]?.room, true)
  held[1]?.leave()
  assert.equal(enter(one).room, undefined)
})

test('unsent: so many answers of a connection are made at a time that they do not become too many', async () => {
  const { enter, peer } = setUp()
  const one = peer('one')
  const atOnce = limits.mostConnectionBytes / limits.expectedBytes
  const turns = Array.from({ length: atOnce + 1 }, () => enter(one))
  assert.deepEqual(
    turns.map(({ room }) => room !== undefined),
    turns.map((_, at) => at === atOnce),
  )
  turns[0]?.hold(new Uint8Array(1))
  assert.equal(await turns[atOnce]?.room, true, 'a small answer was made')
})

test('unsent: where too much waits, who holds it up goes, and honest callers stay', async () => {
  const { answer, after, bytes, peer } = setUp({ mostBytes: 10 * (limits.connectionBytes + 100_000) })
  const slow = peer('slow')
  answer(slow, new Uint8Array(50_000))
  assert.deepEqual(await after(3000), [])
  const bad = Array.from({ length: 12 }, (_, at) => peer(`bad ${at}`, at % 2 === 0 ? 'here' : 'there'))
  for (const each of bad) answer(each, new Uint8Array(100_000))
  // Just answered: they have a moment.
  assert.deepEqual(await after(limits.leastWaitMs - 1), [])
  const ended = await after(1000)
  assert.ok(ended.length > 2 && ended.every((each) => /^bad \d+ crowded$/.test(each)), ended.join())
  assert.ok(bytes() <= 10 * (limits.connectionBytes + 100_000))
  // A caller that takes is not among them, however much its address holds.
  const busy = Array.from({ length: 20 }, (_, at) => answer(peer(`busy ${at}`, 'office'), new Uint8Array(100_000)))
  await after(2000)
  for (const each of busy) each.took()
  for (const name of await after(limits.leastWaitMs - 1)) assert.doesNotMatch(name, /busy/)
})

test('unsent: bytes that answers share count once, until the last of them is taken', () => {
  const { answer, bytes, peer } = setUp()
  const body = new Uint8Array(1_000_000)
  const [one, other] = [peer('one'), peer('other')]
  const first = answer(one, body)
  const alone = bytes()
  const [second, third] = [answer(one, body), answer(other, body)]
  assert.equal(bytes(), alone + 2 * (limits.answerBytes + pieceBytes) + limits.connectionBytes)
  first.leave()
  second.leave()
  assert.equal(bytes(), alone)
  third.leave()
  assert.equal(bytes(), 0)
})
