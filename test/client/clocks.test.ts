// Interleavings in which a walk that trusted its clocks too much would lose a change, one by one: walk.test.ts meets them only
// rarely, by chance.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { readCursor, writeCursor } from '../../client/cursor.ts'
import type { Query } from '../../client/source.ts'
import { walkChanges } from '../../client/walk.ts'
import { makeModel, type Full } from './walk-model.ts'

const [second, minute, day] = [1000, 60_000, 86_400_000]
const overlapSeconds = 900
// 02:00 in summer time, when clocks are set.
const setAt = Date.UTC(2026, 10, 1, 6)
const hours = (count: number) => count * 3600

// Nothing happens here but what a test does.
const still = { upTo: () => 0, of: () => assert.fail('nothing is chosen here'), chance: () => false }

function situation(startMs: number, offsetAt: (ms: number) => number = () => hours(-4), serviceAheadSeconds = 0) {
  const model = makeModel(still, {
    startMs,
    offsetAt,
    serviceAheadSeconds,
    overlapSeconds,
    most: 0,
    share: 0,
    writes: 0,
  })
  let cursor: string | null = null
  let last = 0
  return {
    model,
    at: (ms: number) => model.pass(ms - model.now()),
    /** A record that can be read from now on, stamped when it was made. */
    commit: (madeMs: number): number => {
      last += 1
      model.commit([{ id: last, updated_at: model.stampAt(madeMs), total: 0, lines: 0 }])
      return last
    },
    walk: async (beforeNewest = () => {}): Promise<number[]> => {
      const position = readCursor(cursor, { resource: 'invoices', isFull: false })
      const list = (query: Query) => {
        if (query['sort'] === '-updated_at') beforeNewest()
        return model.source.list(query)
      }
      const ids: number[] = []
      for await (const found of walkChanges<Full>(position, { ...model.source, list, fetch: null }, overlapSeconds))
        ids.push(...found.map(({ id }) => id))
      cursor = writeCursor(position)
      return ids
    },
  }
}

const setBack = (ms: number) => hours(ms < setAt ? -4 : -5)
const setForward = (ms: number) => hours(ms < setAt ? -5 : -4)

suite('clocks, and changes that come as late as they may', () => {
  test('the first run of all, just after the clock was set forward', async () => {
    const { at, commit, walk } = situation(setAt + 5 * minute, setForward)
    commit(setAt + 5 * minute)
    assert.deepEqual(await walk(), [1])
    at(setAt + 6 * minute)
    commit(setAt - 8 * minute)
    assert.deepEqual(await walk(), [2])
  })

  test('a run before and a run after the clock was set forward', async () => {
    const { at, commit, walk } = situation(setAt - 60 * minute, setForward)
    for (const ms of [-60, -40, -20, -3, 5]) {
      at(setAt + ms * minute)
      commit(setAt + ms * minute)
      assert.equal((await walk()).length, 1)
    }
    at(setAt + 6 * minute)
    commit(setAt - 8 * minute)
    assert.deepEqual(await walk(), [6])
  })

  test('what is stamped in the hour that is written twice', async () => {
    const { at, commit, walk } = situation(setAt - 60 * minute, setBack)
    for (const ms of [-60, -40, -20, -1, 1, 20, 40, 59]) {
      at(setAt + ms * minute)
      const id = commit(setAt + ms * minute)
      assert((await walk()).includes(id), `${ms} minutes`)
    }
  })

  test('the newest of the hour the first time is not the newest the second time', async () => {
    const { at, commit, walk } = situation(setAt - second, setBack)
    commit(setAt - second)
    await walk()
    for (const ms of [20 * minute, 60 * minute + second]) {
      at(setAt + ms)
      await walk()
    }
    at(setAt + 65 * minute)
    const late = commit(setAt + 59 * minute)
    assert.deepEqual(await walk(), [late])
  })

  test('nobody writes before the clock is set back, and somebody commits late after it', async () => {
    const { at, commit, walk } = situation(setAt - 56 * minute, setBack)
    commit(setAt - 56 * minute)
    for (const ms of [-56, -10, 6]) {
      at(setAt + ms * minute)
      await walk()
    }
    at(setAt + 15 * minute)
    const late = commit(setAt + 3 * minute)
    assert.deepEqual(await walk(), [late])
  })

  test('stopped in that hour the first time, and taken up when summer is back', async () => {
    const backAt = setAt + 140 * day
    const { at, commit, walk } = situation(setAt - 60 * minute, (ms) => hours(ms < setAt || ms >= backAt ? -4 : -5))
    for (const ms of [-60, -40, -20, -1]) {
      at(setAt + ms * minute)
      commit(setAt + ms * minute)
      await walk()
    }
    at(setAt + 20 * minute)
    const missed = commit(setAt + 20 * minute)
    at(backAt + 30 * day)
    assert((await walk()).includes(missed))
  })

  test('taken up after months, just after the clock was set forward again', async () => {
    const backAt = setAt + 140 * day
    const { at, commit, walk } = situation(setAt - day, (ms) => hours(ms < setAt || ms >= backAt ? -4 : -5))
    commit(setAt - day)
    await walk()
    at(backAt + 5 * minute)
    commit(backAt + 5 * minute)
    await walk()
    at(backAt + 6 * minute)
    const late = commit(backAt - 8 * minute)
    assert.deepEqual(await walk(), [late])
  })

  // Of a service elsewhere, whose own time says nothing about it.
  test('an answer that took a minute: what is the newest is as old as the answer, not as the question', async () => {
    const start = setAt - day
    const { at, commit, walk, model } = situation(start, () => hours(-4), hours(5))
    const newest = start + 59 * second
    await walk(() => {
      if (model.records.size > 0) return
      model.pass(minute)
      commit(newest)
    })
    at(start + (overlapSeconds + 3) * second)
    await walk()
    at(newest + (overlapSeconds - 1) * second)
    const late = commit(newest)
    assert.deepEqual(await walk(), [late])
  })

  test('the newest second may still go on, and times are told without their fractions', async () => {
    const start = setAt - day
    const { at, commit, walk } = situation(start + 100)
    commit(start + 100)
    await walk()
    at(start + overlapSeconds * second + 500)
    await walk()
    at(start + overlapSeconds * second + 900)
    const late = commit(start + 900)
    assert.deepEqual(await walk(), [late])
  })
})
