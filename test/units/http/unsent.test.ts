// Unread answers are bounded, in time and in all. Connections are plain objects here, and a second passes when the test says so.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  AnswerSlot,
  createUnsent,
  leastHandedBytes,
  lookEveryMs,
  mostHandedBytes,
  unsentLimits as limits,
  type Backlog,
} from '../../../src/http/unsent.ts'

/** An answer that waits. */
const answer = (to: Backlog, body = new Uint8Array(1000)) => {
  const slot = new AnswerSlot(to)
  slot.hold(body)
  slot.hand(body.byteLength)
  return slot
}

function setUp(mostBytes = limits.mostBytes) {
  const ended: string[] = []
  const unsent = createUnsent({ ...limits, mostBytes }, () => undefined)
  const open = (name: string) =>
    unsent.open({ end: (why, { answers, waitedMs }) => ended.push(`${name} ${why} ${answers} ${waitedMs}`) })
  /** Which connections were ended meanwhile. */
  const after = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) await unsent.look()
    return ended.splice(0)
  }
  return { ...unsent, open, after }
}

// Nobody is looked at just when an answer begins to wait.
const patience = limits.mostWaitMs / lookEveryMs + 1

test('unsent: a connection that takes nothing for 30 seconds is ended', async () => {
  const { after, open } = setUp()
  answer(open('one'))
  assert.deepEqual(await after(patience - 1), [])
  assert.deepEqual(await after(1), ['one unread 1 30000'])
  assert.deepEqual(await after(60), [])
})

test('unsent: further requests, and answers that are given up, are no bytes taken', async () => {
  const { after, open } = setUp()
  const one = open('one')
  const first = answer(one)
  assert.deepEqual(await after(20), [])
  answer(one)
  first.leave()
  assert.deepEqual(await after(patience - 21), [])
  assert.deepEqual(await after(1), ['one unread 1 30000'])
  const other = open('other')
  const given = answer(other)
  assert.deepEqual(await after(20), [])
  given.leave()
  // While nothing waits, no time counts.
  assert.deepEqual(await after(3600), [])
  answer(other)
  assert.deepEqual(await after(10), [])
  assert.deepEqual(await after(1), ['other unread 1 30000'])
})

test('unsent: a slow caller that takes a piece now and then goes on, and has each time the whole while', async () => {
  const { after, open } = setUp()
  const slow = answer(open('slow'))
  for (let turn = 0; turn < 10; turn += 1) {
    assert.deepEqual(await after(patience - 1), [])
    slow.took()
  }
  // And then no more.
  assert.deepEqual(await after(patience - 1), [])
  assert.deepEqual(await after(1), ['slow unread 1 30000'])
})

test('unsent: an answer that is being made is not waited for, and one that has gone is forgotten', async () => {
  const { after, bytes, gone, open } = setUp()
  const [making, leaving] = [open('making'), open('leaving')]
  new AnswerSlot(making).leave()
  answer(leaving)
  gone(leaving)
  assert.equal(bytes(), 0)
  assert.deepEqual(await after(3600), [])
})

test('unsent: an answer alone is handed over whole, many at once in pieces that a line of 30 kB/s takes in time', () => {
  const { open } = setUp()
  const one = open('one')
  const alone = new AnswerSlot(one)
  assert.equal(alone.hand(57_000), 57_000)
  alone.took()
  assert.equal(alone.hand(10 * mostHandedBytes), mostHandedBytes / 2)
  alone.leave()
  assert.equal(one.handedBytes, 0)
  const all = Array.from({ length: 100 }, () => new AnswerSlot(one))
  for (let turn = 0; turn < 3; turn += 1) {
    for (const each of all) assert.ok(each.hand(1_000_000) >= leastHandedBytes)
    assert.ok(one.handedBytes / 30 < limits.mostWaitMs, `${one.handedBytes} bytes`)
    for (const each of all) each.took()
    assert.equal(one.handedBytes, 0)
  }
})

test('unsent: where too much waits, who has waited longest goes, and nobody who takes', async () => {
  const size = limits.connectionBytes + limits.answerBytes + 200_000
  const { after, bytes, open } = setUp(10 * size)
  const busy = Array.from({ length: 5 }, (_, at) => answer(open(`busy ${at}`), new Uint8Array(100_000)))
  for (let at = 0; at < 4; at += 1) {
    answer(open(`bad ${at}`), new Uint8Array(100_000))
    assert.deepEqual(await after(1), [])
    for (const each of busy) each.took()
    for (const each of busy) each.hand(100_000)
  }
  answer(open('bad 4'), new Uint8Array(100_000))
  answer(open('bad 5'), new Uint8Array(100_000))
  assert.deepEqual(await after(1), ['bad 0 crowded 1 4000'])
  assert.ok(bytes() <= 10 * size)
})

test('unsent: small callers do not pay for large ones, however long they have waited', async () => {
  const { after, bytes, open } = setUp(2_000_000)
  for (let at = 0; at < 8; at += 1) answer(open(`slow ${at}`), new Uint8Array(10_000))
  assert.deepEqual(await after(20), [])
  const large = Array.from({ length: 3 }, (_, at) => open(`large ${at}`))
  for (const each of large) for (let turn = 0; turn < 10; turn += 1) answer(each, new Uint8Array(100_000))
  const ended = await after(1)
  assert.ok(ended.length > 0 && ended.every((each) => /^large \d crowded 10 0$/.test(each)), ended.join())
  assert.ok(bytes() <= 2_000_000)
})

test('unsent: of callers alike, some are ended until the others have room', async () => {
  for (let count = 3; count < 60; count += 1) {
    const { after, bytes, open } = setUp(200_000)
    const shared = new Uint8Array(1009)
    for (let at = 0; at < count; at += 1) answer(open(`one ${at}`), shared)
    assert.ok((await after(1)).length < count)
    assert.ok(bytes() <= 200_000, `${count} callers`)
  }
})

test('unsent: bytes that answers share count once, until the last of them is taken', () => {
  const { bytes, open } = setUp()
  const body = new Uint8Array(1_000_000)
  const [one, other] = [open('one'), open('other')]
  const first = answer(one, body)
  const alone = bytes()
  const [second, third] = [answer(one, body), answer(other, body)]
  const handed = second.handedBytes + third.handedBytes
  const shared = alone + handed + 2 * limits.answerBytes + limits.connectionBytes
  assert.ok(Math.abs(bytes() - shared) < 3)
  first.leave()
  second.leave()
  assert.ok(Math.abs(bytes() - alone) < 3)
  third.leave()
  assert.equal(bytes(), 0)
})
