// Positions of the change feed on PostgreSQL: what is written is read again, and thirty running transactions fit into a cursor, however
// far apart they began.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cursorKey, sealCursor } from '../../../src/auth/cursors.ts'
import { isSame, parsePosition, parseSnapshot, shortened, showsAll } from '../../../src/engine/postgres/position.ts'
import { writePosition, type Position, type SeenTransactions } from '../../../src/engine/postgres/position.ts'
import { writeContent } from '../../../src/routes/changes.ts'
import { howMuch, seedOfRun } from '../../support/how-much.ts'
import { randomFrom, type Random } from '../../support/random.ts'

const key = cursorKey(new Uint8Array(32))
const history = 'h'.repeat(16)
const tags = (64n * (2n ** 31n - 1n)).toString(36)
const digest = 'd'.repeat(22)

/** A snapshot that is taken after another one, in which transactions began `gap` apart. */
function snapshotAfter(random: Random, earlier: SeenTransactions, count: number, gap: number): SeenTransactions {
  const still = earlier.running.filter(() => random.chance(0.5))
  let last = BigInt(earlier.xmax)
  const next = () => (last += BigInt(1 + random.upTo(gap)))
  const running = Array.from({ length: count }, () => String(next()))
  return { xmax: String(next()), running: [...still, ...running] }
}

const begins: SeenTransactions = { xmax: String(2n ** 40n), running: [] }

test('thirty transactions fit, though a million others began between each of them and the next', () => {
  const running = Array.from({ length: 30 }, (_, at) => String(2n ** 40n + BigInt(at) * 2n ** 20n))
  const forgotten = { xmax: String(2n ** 41n), running }
  assert(isSame(shortened(forgotten), forgotten))
  const writing = Array.from({ length: 30 }, (_, at) => String(2n ** 41n + BigInt(30 * at)))
  const later = { xmax: String(2n ** 41n + 1000n), running: [...running, ...writing] }
  // Of those that began later, the first ones.
  const { xmax, running: kept } = shortened(later, forgotten)
  assert(kept.length > 40, String(kept.length))
  assert.deepEqual([...kept, xmax], later.running.slice(0, kept.length + 1))
})

test('a later snapshot that is too long shows nothing less than the one that was read', () => {
  const running = Array.from({ length: 300 }, (_, at) => String(2n ** 40n + BigInt(at)))
  const full = { xmax: String(2n ** 40n + 300n), running }
  const read = shortened(full)
  assert(read.running.length < running.length)
  // The oldest that did not fit ends, with those after it: the next difference takes one character more.
  const ended = (xid: string) => BigInt(xid) >= BigInt(read.xmax) && BigInt(xid) < BigInt(read.xmax) + 40n
  const later = { ...full, running: running.filter((xid) => !ended(xid)) }
  const reading = shortened(later, read)
  assert(showsAll(reading, read))
  const position: Position = { read, reading, place: [read.xmax, '7'], tags, history }
  assert.deepEqual(parsePosition(writePosition(position)), position)
})

test(`what is written is read again, within a cursor; seed ${seedOfRun}`, () => {
  const random = randomFrom(seedOfRun)
  for (let round = 0; round < howMuch(500, 20_000); round += 1) {
    const gap = random.of([1, 30, 5000, 2 ** 20, 2 ** 31])
    const read = shortened(snapshotAfter(random, begins, random.upTo(60), gap))
    const asked = snapshotAfter(random, read, random.upTo(60), random.of([1, 30, gap]))
    const reading = random.chance(0.2) ? read : shortened(asked, read)
    assert(showsAll(reading, read) && showsAll(asked, reading))
    const place = [random.of([...read.running, read.xmax, reading.xmax]), String(random.upTo(2 ** 40))] as const
    const position: Position = { read, reading, place, tags, history }
    const text = writePosition(position)
    assert.deepEqual(parsePosition(text), position, `seed ${seedOfRun}`)
    const walk = isSame(read, reading) ? { resource: 17, after: '9223372036854775807' } : null
    const content = writeContent({ journal: text, walk, resourcesRead: walk ? 0 : 1 }, digest)
    assert.equal(sealCursor(key, '', content).length, 512)
  }
})

test('a snapshot that is as PostgreSQL writes it is read; a position of another form is none', () => {
  assert.deepEqual(parseSnapshot('10:20:12,10'), { xmax: '20', running: ['10', '12'] })
  assert.deepEqual(parseSnapshot('10:10:'), { xmax: '10', running: [] })
  assert.equal(parsePosition(':20:10,12 :30: 10:0 abc'), undefined)
})
