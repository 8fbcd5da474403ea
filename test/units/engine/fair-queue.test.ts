// The order of the queue: keys in turn, long requests of one key never on the last reader, and bounded numbers of requests.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mostInBatch } from '../../../src/engine/batches.ts'
import { createFairQueue, type QueueEntry } from '../../../src/engine/fair-queue.ts'

interface Job extends QueueEntry {
  readonly name: string
}
const job = (name: string, isLong = false, batchKey?: string): Job => ({
  key: name.slice(0, 1),
  name,
  isLong,
  batchKey,
  answerKey: name,
})
const takeAll = (queue: ReturnType<typeof createFairQueue<Job>>, kind: 'any' | 'short' = 'any') => {
  const names: string[] = []
  for (let next = takeOne(queue, kind); next; next = takeOne(queue, kind)) names.push(next.name)
  return names
}
const takeOne = (queue: ReturnType<typeof createFairQueue<Job>>, kind: 'any' | 'short' = 'any') => {
  const batch = queue.take(kind)
  assert(!batch || batch.length === 1)
  return batch?.[0]
}

test('keys are served in turn, each in the order it asked', () => {
  const queue = createFairQueue<Job>(4)
  for (const name of ['a1', 'a2', 'a3', 'b1', 'a4', 'c1', 'b2']) queue.push(job(name))
  assert.equal(queue.size(), 7)
  assert.deepEqual(takeAll(queue), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
  assert.equal(queue.size(), 0)
})

test('a late key waits behind one request of another key, not behind a hundred', () => {
  const queue = createFairQueue<Job>(1)
  for (let at = 0; at < 100; at += 1) queue.push(job(`a${at}`))
  assert.equal(takeOne(queue)?.name, 'a0')
  queue.push(job('b'))
  assert.deepEqual([takeOne(queue)?.name, takeOne(queue)?.name], ['a1', 'b'])
})

test('long requests of one key leave a reader to other keys and to short requests', () => {
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

test('with one reader, long requests are served one by one', () => {
  const queue = createFairQueue<Job>(1)
  const long = job('a1', true)
  queue.push(long)
  queue.push(job('a2', true))
  assert.equal(takeOne(queue), long)
  assert.equal(takeOne(queue), undefined)
  queue.done([long])
  assert.equal(takeOne(queue)?.name, 'a2')
})

test('if only short requests are wanted, long ones wait', () => {
  const queue = createFairQueue<Job>(2)
  queue.push(job('a1', true))
  queue.push(job('a2'))
  queue.push(job('b1'))
  assert.deepEqual(takeAll(queue, 'short'), ['a2', 'b1'])
  assert.equal(takeOne(queue)?.name, 'a1')
})

test('a request whose reader was stopped is the next of its key; one that left is not served', () => {
  const queue = createFairQueue<Job>(2)
  const [first, second, third] = [job('a1'), job('a2'), job('a3')]
  for (const each of [first, second, third]) queue.push(each)
  assert.equal(takeOne(queue), first)
  queue.putBack([first])
  queue.remove(second)
  queue.remove(second)
  assert.deepEqual(takeAll(queue), ['a1', 'a3'])
})

test('requests that a reader took and did not begin are next, in their order, and before other keys', () => {
  const queue = createFairQueue<Job>(2)
  const [first, other, second] = [job('a1'), job('b1'), job('a2')]
  for (const each of [first, other, second, job('a3'), job('c1')]) queue.push(each)
  assert.equal(takeOne(queue), first)
  assert.equal(takeOne(queue), other)
  queue.putBack([other])
  assert.deepEqual(takeAll(queue), ['b1', 'c1', 'a2', 'a3'])
})

test('500 requests may wait for each reader, and half as many of one key', () => {
  const queue = createFairQueue<Job>(2)
  for (let at = 0; at < 500; at += 1) queue.push(job(`a${at}`))
  assert.match(queue.whyFull('a') ?? '', /of one key/)
  assert.equal(queue.whyFull('b'), undefined)
  for (let at = 0; at < 500; at += 1) queue.push({ ...job('x'), key: `other ${at}` })
  assert.equal(queue.whyFull('b'), 'too many requests wait for a reader')
  assert.equal(queue.clear().length, 1000)
  assert.equal(queue.whyFull('a'), undefined)
})

const records = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => job(`a${from + at}`, false, 'invoices'))
const namesOf = (batch: readonly Job[] | undefined) => batch?.map(({ name }) => name)

test('details with one batch key are taken together, later ones with the next batch', () => {
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

test('if enough details wait, another reader takes a full batch', () => {
  const queue = createFairQueue<Job>(4)
  const all = records(0, 3 * mostInBatch - 1)
  for (const each of all) queue.push(each)
  assert.deepEqual(queue.take('any'), all.slice(0, mostInBatch))
  assert.deepEqual(queue.take('any'), all.slice(mostInBatch, 2 * mostInBatch))
  assert.equal(queue.take('any'), undefined)
  assert.equal(queue.size(), mostInBatch - 1)
})

test('details with one batch key leave a reader to others, however many wait', () => {
  const queue = createFairQueue<Job>(2)
  for (const each of records(0, 3 * mostInBatch)) queue.push(each)
  assert.equal(queue.take('any')?.length, mostInBatch)
  assert.equal(queue.take('any'), undefined)
  queue.push(job('a list'))
  queue.push(job('b1', false, 'invoices'))
  assert.deepEqual(takeAll(queue), ['a list', 'b1'])
})

test('long details are taken one by one', () => {
  const queue = createFairQueue<Job>(3)
  for (const name of ['a1', 'a2', 'a3']) queue.push(job(name, true, 'invoices'))
  assert.deepEqual(takeAll(queue), ['a1', 'a2'])
})

test('several kinds of requests do not earn a key extra slots', () => {
  const queue = createFairQueue<Job>(8)
  for (const kind of ['invoices', 'quotes', 'products', 'stores']) queue.push(job(`a ${kind}`, false, kind))
  queue.push(job('a list'))
  queue.push(job('b list'))
  assert.deepEqual(takeAll(queue), ['a invoices', 'b list', 'a quotes', 'a products', 'a stores', 'a list'])
})

test('if only short requests are wanted, details wait', () => {
  const queue = createFairQueue<Job>(2)
  queue.push(job('a1', false, 'invoices'))
  queue.push(job('b1'))
  assert.deepEqual(takeAll(queue, 'short'), ['b1'])
  assert.deepEqual(takeAll(queue), ['a1'])
})

test('requests with the same answer are taken with the first of them, and no others', () => {
  const queue = createFairQueue<Job>(2)
  const same = ['a2', 'b2', 'c1'].map((name) => ({ ...job(name), answerKey: 'one list' }))
  for (const each of [job('a1'), job('b1'), ...same, job('c2')]) queue.push(each)
  assert.deepEqual(namesOf(queue.take('any')), ['a1'])
  assert.deepEqual(namesOf(queue.take('any')), ['b1'])
  const batch = queue.take('any')
  assert.deepEqual(namesOf(batch), ['c1', 'a2', 'b2'])
  // Its reading may have begun.
  queue.push({ ...job('a3'), answerKey: 'one list' })
  assert.deepEqual(takeAll(queue), ['c2', 'a3'])
})

test('the same details are taken with a full batch', () => {
  const queue = createFairQueue<Job>(2)
  const all = records(0, mostInBatch)
  const same = { ...job('b1', false, 'invoices'), answerKey: 'a3' }
  for (const each of [...all, same]) queue.push(each)
  assert.deepEqual(queue.take('any'), [...all, same])
})

test('each request is taken once, also if a batch asks for the same details twice', () => {
  const queue = createFairQueue<Job>(2)
  const all = ['a1', 'a2', 'b1'].map((name) => ({ ...job(name, false, 'invoices'), answerKey: 'one record' }))
  for (const each of all) queue.push(each)
  assert.deepEqual(queue.take('any'), all)
  assert.equal(queue.size(), 0)
})
