// Whose turn it is: keys in turn, long requests of one key never on the last reader, and nobody's requests pile up.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mostAlike } from '../../../src/engine/alike.ts'
import { createFairQueue, type Waiting } from '../../../src/engine/fair-queue.ts'

interface Job extends Waiting {
  readonly name: string
}
const job = (name: string, isLong = false, alike?: string): Job => ({ key: name.slice(0, 1), name, isLong, alike })
const takeAll = (queue: ReturnType<typeof createFairQueue<Job>>, wants: 'any' | 'short' = 'any') => {
  const names: string[] = []
  for (let next = takeOne(queue, wants); next; next = takeOne(queue, wants)) names.push(next.name)
  return names
}
const takeOne = (queue: ReturnType<typeof createFairQueue<Job>>, wants: 'any' | 'short' = 'any') => {
  const group = queue.take(wants)
  assert(!group || group.length === 1)
  return group?.[0]
}

test('keys are served in turn, each in the order it asked', () => {
  const queue = createFairQueue<Job>(4)
  for (const name of ['a1', 'a2', 'a3', 'b1', 'a4', 'c1', 'b2']) queue.push(job(name))
  assert.equal(queue.size(), 7)
  assert.deepEqual(takeAll(queue), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
  assert.equal(queue.size(), 0)
})

test('who comes late waits behind one of each, not behind a hundred of one', () => {
  const queue = createFairQueue<Job>(1)
  for (let at = 0; at < 100; at += 1) queue.push(job(`a${at}`))
  assert.equal(takeOne(queue)?.name, 'a0')
  queue.push(job('b'))
  assert.deepEqual([takeOne(queue)?.name, takeOne(queue)?.name], ['a1', 'b'])
})

test('long ones of one key leave a reader to others; another key has its own, and so do short ones', () => {
  const queue = createFairQueue<Job>(3)
  for (const name of ['a1', 'a2', 'a3', 'a4']) queue.push(job(name, true))
  const [first, second, third] = [takeOne(queue), takeOne(queue), takeOne(queue)]
  assert.deepEqual([first?.name, second?.name, third], ['a1', 'a2', undefined])
  queue.push(job('b1', true))
  queue.push(job('a5'))
  assert.deepEqual(takeAll(queue), ['b1', 'a5'])
  assert(first)
  queue.done([first])
  assert.deepEqual(takeAll(queue), ['a3'])
})

test('with one reader long ones are served all the same', () => {
  const queue = createFairQueue<Job>(1)
  const long = job('a1', true)
  queue.push(long)
  queue.push(job('a2', true))
  assert.equal(takeOne(queue), long)
  assert.equal(takeOne(queue), undefined)
  queue.done([long])
  assert.equal(takeOne(queue)?.name, 'a2')
})

test('where only short ones are wanted, long ones wait', () => {
  const queue = createFairQueue<Job>(2)
  queue.push(job('a1', true))
  queue.push(job('a2'))
  queue.push(job('b1'))
  assert.deepEqual(takeAll(queue, 'short'), ['a2', 'b1'])
  assert.equal(takeOne(queue)?.name, 'a1')
})

test('one that lost its reader is the next of its key; one that left is not served', () => {
  const queue = createFairQueue<Job>(2)
  const [first, second, third] = [job('a1'), job('a2'), job('a3')]
  for (const each of [first, second, third]) queue.push(each)
  assert.equal(takeOne(queue), first)
  queue.putBack(first)
  queue.remove(second)
  queue.remove(second)
  assert.deepEqual(takeAll(queue), ['a1', 'a3'])
})

test('there is room for 500 a reader, and for half as many of one key', () => {
  const queue = createFairQueue<Job>(2)
  for (let at = 0; at < 500; at += 1) queue.push(job(`a${at}`))
  assert.match(queue.whyNot('a') ?? '', /of one key/)
  assert.equal(queue.whyNot('b'), undefined)
  for (let at = 0; at < 500; at += 1) queue.push({ ...job('x'), key: `other ${at}` })
  assert.equal(queue.whyNot('b'), 'too many requests wait for a reader')
  assert.equal(queue.clear().length, 1000)
  assert.equal(queue.whyNot('a'), undefined)
})

const records = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => job(`a${from + at}`, false, 'invoices'))
const namesOf = (group: readonly Job[] | undefined) => group?.map(({ name }) => name)

test('records that are asked for alike are taken together, those that come meanwhile with the next', () => {
  const queue = createFairQueue<Job>(4)
  const [first, ...others] = records(0, 5)
  assert(first)
  queue.push(first)
  const alone = queue.take('any')
  assert.deepEqual(namesOf(alone), ['a0'])
  for (const each of others) queue.push(each)
  queue.push(job('a9', false, 'quotes'))
  queue.push(job('a10'))
  queue.push(job('b1', false, 'invoices'))
  assert.deepEqual(
    [namesOf(queue.take('any')), namesOf(queue.take('any')), namesOf(queue.take('any'))],
    [['a9'], ['b1'], ['a10']],
  )
  assert.equal(queue.take('any'), undefined)
  assert(alone)
  queue.done(alone)
  assert.deepEqual(namesOf(queue.take('any')), ['a1', 'a2', 'a3', 'a4'])
  assert.equal(queue.size(), 0)
})

test('where enough of them wait, another reader takes as many as may go together', () => {
  const queue = createFairQueue<Job>(4)
  const all = records(0, 3 * mostAlike - 1)
  for (const each of all) queue.push(each)
  assert.deepEqual(queue.take('any'), all.slice(0, mostAlike))
  assert.deepEqual(queue.take('any'), all.slice(mostAlike, 2 * mostAlike))
  assert.equal(queue.take('any'), undefined)
  assert.equal(queue.size(), mostAlike - 1)
})

test('records of one kind leave a reader to others, however many wait', () => {
  const queue = createFairQueue<Job>(2)
  for (const each of records(0, 3 * mostAlike)) queue.push(each)
  assert.equal(queue.take('any')?.length, mostAlike)
  assert.equal(queue.take('any'), undefined)
  queue.push(job('a list'))
  queue.push(job('b1', false, 'invoices'))
  assert.deepEqual(takeAll(queue), ['a list', 'b1'])
})

test('records of a kind that took long go one by one', () => {
  const queue = createFairQueue<Job>(3)
  for (const name of ['a1', 'a2', 'a3']) queue.push(job(name, true, 'invoices'))
  assert.deepEqual(takeAll(queue), ['a1', 'a2'])
})

test('a key has no more turns for asking for more kinds of records', () => {
  const queue = createFairQueue<Job>(8)
  for (const kind of ['invoices', 'quotes', 'products', 'stores']) queue.push(job(`a ${kind}`, false, kind))
  queue.push(job('a list'))
  queue.push(job('b list'))
  assert.deepEqual(takeAll(queue), ['a invoices', 'b list', 'a quotes', 'a products', 'a stores', 'a list'])
})

test('where only short ones are wanted that go with others, records wait', () => {
  const queue = createFairQueue<Job>(2)
  queue.push(job('a1', false, 'invoices'))
  queue.push(job('b1'))
  assert.deepEqual(takeAll(queue, 'short'), ['b1'])
  assert.deepEqual(takeAll(queue), ['a1'])
})
