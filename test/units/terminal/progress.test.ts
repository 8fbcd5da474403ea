// The progress line on a wide terminal, on a narrow one, in a log, and not at all. Time is the test's own.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { progressBar } from '../../../src/terminal/progress.ts'
import type { ProgressBar } from '../../../src/terminal/progress.ts'

interface Watched {
  bar: ProgressBar
  writes: string[]
  /** What stands on the lines of the terminal. */
  drawn(): string[]
  wait(ms: number): void
}

function watch(terminal: { isTTY?: boolean; columns?: number; quiet?: boolean }): Watched {
  const { quiet = false, ...rest } = terminal
  const writes: string[] = []
  let ms = 5000
  const bar = progressBar({ stream: { ...rest, write: (text) => writes.push(text) }, now: () => ms, quiet })
  return {
    bar,
    writes,
    drawn: () => writes.map((text) => stripVTControlCharacters(text).replace('\r', '')),
    wait: (span) => void (ms += span),
  }
}

/** 2,000,000 lines at 50,000 a second, seen 16.8 seconds after the start. */
function runToSome(watched: Watched): string {
  watched.bar.update({ what: 'sales_lines', done: 0, total: 2_000_000 })
  watched.wait(16_800)
  watched.bar.update({ what: 'sales_lines', done: 840_000, total: 2_000_000 })
  return watched.drawn().at(-1) ?? ''
}

test('progress: 120 columns show bar, percent, time left, count and rate', () => {
  const line = runToSome(watch({ isTTY: true, columns: 120 }))
  assert.equal(line, `sales_lines ${'█'.repeat(12)}${'░'.repeat(18)}  42 %  0:24 left  840,000/2,000,000  50,000/s`)
})

test('progress: 40 columns keep bar, percent and time left', () => {
  const line = runToSome(watch({ isTTY: true, columns: 40 }))
  assert.match(line, /^sales_lines █+░+ {2}42 % {2}0:24 left$/)
})

for (const columns of [1, 5, 10, 20, 30, 40, 60, 80, 120]) {
  test(`progress: no line fills ${columns} columns, so none wraps`, () => {
    const watched = watch({ isTTY: true, columns })
    for (let done = 0; done <= 2_000_000; done += 10_000) {
      watched.bar.update({ what: 'a_relation_with_quite_a_long_name', done, total: 2_000_000 })
      watched.wait(200)
    }
    watched.bar.finish()
    for (const line of watched.drawn()) assert.ok(line.replace('\n', '').length < columns, line)
  })
}

test('progress: a terminal that says 0 columns gets a bar for 80', () => {
  assert.ok(runToSome(watch({ isTTY: true, columns: 0 })).length > 40)
})

test('progress: drawn at most ten times a second, in place, and the last state always', () => {
  const watched = watch({ isTTY: true, columns: 80 })
  for (let done = 1; done <= 1000; done++) {
    watched.bar.update({ what: done % 2 ? 'a' : 'b', done, total: 1000 })
    watched.wait(1)
  }
  assert.equal(watched.writes.length, 10)
  assert.ok(watched.writes.every((text) => text.startsWith('\r') && text.endsWith('\u001B[K')))
  watched.bar.finish()
  assert.match(watched.drawn().at(-2) ?? '', / 100 % {2}1,000\/1,000/)
  assert.equal(watched.writes.at(-1), '\n')
})

test('progress: cleared for a message, then drawn again at once', () => {
  const watched = watch({ isTTY: true, columns: 80 })
  watched.bar.update({ what: 'a', done: 1, total: 2 })
  watched.bar.clear()
  assert.equal(watched.writes.at(-1), '\r\u001B[K')
  watched.bar.update({ what: 'a', done: 1, total: 2 })
  assert.equal(watched.writes.length, 3)
})

test('progress: nothing done, nothing written', () => {
  for (const isTTY of [true, false]) {
    const { bar, writes } = watch({ isTTY })
    bar.clear()
    bar.finish()
    bar.finish()
    assert.deepEqual(writes, [])
  }
})

test('progress: hours, and the rate starts anew with each thing', () => {
  const watched = watch({ isTTY: true, columns: 120 })
  watched.bar.update({ what: 'slow', done: 0, total: 10_000 })
  watched.wait(1000)
  watched.bar.update({ what: 'slow', done: 1, total: 10_000 })
  assert.match(watched.drawn().at(-1) ?? '', / {2}2:46:39 left {2}1\/10,000 {2}1\/s$/)
  watched.wait(1000)
  watched.bar.update({ what: 'next', done: 5, total: 100 })
  assert.match(watched.drawn().at(-1) ?? '', /^next █░+ +5 % {2}5\/100$/)
})

test('progress: more done than announced, or nothing to do, is 100 %', () => {
  const watched = watch({ isTTY: true, columns: 80 })
  watched.bar.update({ what: 'a', done: 3, total: 2 })
  assert.match(watched.drawn().at(-1) ?? '', /^a █+ 100 %/)
  watched.wait(1000)
  watched.bar.update({ what: 'b', done: 0, total: 0 })
  assert.match(watched.drawn().at(-1) ?? '', /^b █+ 100 %/)
})

test('progress: without a terminal a plain line each tenth', () => {
  const watched = watch({})
  for (let done = 0; done <= 1000; done += 10) {
    watched.bar.update({ what: 'lines', done, total: 1000 })
    watched.wait(200)
  }
  watched.bar.finish()
  assert.equal(watched.writes.length, 10)
  assert.equal(watched.writes[0], 'lines: 10 % (100/1,000, 50/s, 0:18 left)\n')
  assert.equal(watched.writes[9], 'lines: 100 % (1,000/1,000, 50/s)\n')
})

test('progress: without a terminal a slow job says so every five seconds', () => {
  const watched = watch({})
  for (let done = 0; done <= 20; done++) {
    watched.bar.update({ what: 'lines', done, total: 1000 })
    watched.wait(1000)
  }
  assert.equal(watched.writes.length, 4)
})

test('progress: without a terminal a quick thing gets one line', () => {
  const watched = watch({ isTTY: false })
  for (const what of ['stores', 'products']) {
    for (let done = 0; done <= 100; done++) watched.bar.update({ what, done, total: 100 })
  }
  watched.bar.clear()
  watched.bar.finish()
  assert.deepEqual(watched.writes, ['stores: 100 % (100/100)\n', 'products: 100 % (100/100)\n'])
})

test('progress: quiet is quiet', () => {
  const watched = watch({ isTTY: true, columns: 80, quiet: true })
  runToSome(watched)
  watched.bar.clear()
  watched.bar.finish()
  assert.deepEqual(watched.writes, [])
})
