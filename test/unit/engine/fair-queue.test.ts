// Whose turn it is: keys in turn, long requests of one key never on the last reader, and nobody's requests pile up.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFairQueue, type Waiting } from '../../../src/engine/fair-queue.ts'

interface Job extends Waiting {
  readonly name: string
}
const job = (name: string, isLong = false): Job => ({ key: name.slice(0, 1), name, isLong })
const takeAll = (queue: ReturnType<typeof createFairQueue<Job>>, wants: 'any' | 'short' = 'any') => {
  const names: string[] = []
  for (let next = queue.take(wants); next; next = queue.take(wants)) names.push(next.name)
  return names
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
  assert.equal(queue.take('any')?.name, 'a0')
  queue.push(job('b'))
  assert.deepEqual([queue.take('any')?.name, queue.take('any')?.name], ['a1', 'b'])
})

test('long ones of one key leave a reader to others; another key has its own, and so do short ones', () => {
  const queue = createFairQueue<Job>(3)
  for (const name of ['a1', 'a2', 'a3', 'a4']) queue.push(job(name, true))
  const [first, second, third] = [queue.take('any'), queue.take('any'), queue.take('any')]
  assert.deepEqual([first?.name, second?.name, third], ['a1', 'a2', undefined])
  queue.push(job('b1', true))
  queue.push(job('a5'))
  assert.deepEqual(takeAll(queue), ['b1', 'a5'])
  assert(first)
  queue.done(first)
  assert.deepEqual(takeAll(queue), ['a3'])
})

test('with one reader long ones are served all the same', () => {
  const queue = createFairQueue<Job>(1)
  const long = job('a1', true)
  queue.push(long)
  queue.push(job('a2', true))
  assert.equal(queue.take('any'), long)
  assert.equal(queue.take('any'), undefined)
  queue.done(long)
  assert.equal(queue.take('any')?.name, 'a2')
})

test('where only short ones are wanted, long ones wait', () => {
  const queue = createFairQueue<Job>(2)
  queue.push(job('a1', true))
  queue.push(job('a2'))
  queue.push(job('b1'))
  assert.deepEqual(takeAll(queue, 'short'), ['a2', 'b1'])
  assert.equal(queue.take('any')?.name, 'a1')
})

test('one that lost its reader is the next of its key; one that left is not served', () => {
  const queue = createFairQueue<Job>(2)
  const [first, second, third] = [job('a1'), job('a2'), job('a3')]
  for (const each of [first, second, third]) queue.push(each)
  assert.equal(queue.take('any'), first)
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
