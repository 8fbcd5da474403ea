// A range of days as stretches of a tally, against the plain comparison of days: none twice, none missing, and few to read.
// VITRINE_TEST_SEED repeats a run.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { astray, type Axis } from '../../../src/catalogue/tallies.ts'
import { daysBetween } from '../../../src/engine/day-stretches.ts'
import { axisName } from '../../../src/sql/tally-terms.ts'
import type { Stretch } from '../../../src/sql/tallies.ts'

const seed = Number(process.env['VITRINE_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const axis: Axis = { column: 'date', type: 'time', lengths: [4, 7, 10] }

const two = (n: number) => String(n).padStart(2, '0')
const threeYears = Array.from({ length: 1096 }, (_, n) => new Date(Date.UTC(2024, 0, 1 + n)).toISOString().slice(0, 10))
// Close together, so that ranges begin and end in the same month or year. A stored day need not be in any calendar.
const near = fc.constantFrom(...threeYears)
const odd = fc.constantFrom('0001-01-01', '0999-12-31', '2024-00-00', '2024-02-30', '2025-99-99', '9999-12-31')
const closest = fc.integer({ min: 1, max: 31 }).map((day) => `2025-03-${two(day)}`)
const day = fc.oneof({ weight: 5, arbitrary: near }, { weight: 3, arbitrary: closest }, odd)
const from = fc.oneof(
  { weight: 6, arbitrary: day },
  { weight: 3, arbitrary: day.map((each) => `${each}~`) },
  fc.constant(undefined),
)
const to = fc.oneof({ weight: 6, arbitrary: day }, fc.constant(undefined))

// The places of a tally that a stretch reads, of those that the days make.
function placesIn({ axis: name, from: least, below }: Stretch, days: readonly string[]): string[] {
  const length = axis.lengths.find((each) => axisName(axis, each) === name)
  assert(length !== undefined, name)
  return [...new Set(days.map((each) => each.slice(0, length)))].filter((place) => place >= least && place < below)
}

describe(`ranges of days, seed ${seed}`, () => {
  test('each day of the range is in exactly one stretch, and no other day, nor an empty or a stray one', () => {
    const property = fc.property(from, to, fc.array(day, { maxLength: 40 }), (first, last, others) => {
      // Those at the edges, too.
      const edges = [first?.slice(0, 10), last].filter((each) => each !== undefined)
      const days = [...new Set([...others, ...edges, '', astray])]
      const stretches = daysBetween(axis, first, last)
      for (const each of days) {
        const isInRange =
          each > astray && (first === undefined || each >= first) && (last === undefined || each <= last)
        const times = stretches.filter((stretch) => placesIn(stretch, [each]).length > 0).length
        assert.equal(times, isInRange ? 1 : 0, `${each} in ${JSON.stringify(stretches)}`)
      }
    })
    fc.assert(property, {
      seed,
      numRuns: 5000,
      examples: [
        ['2025-03-05', '2025-03-05', ['2025-03-04', '2025-03-06']],
        ['2025-03-05~', '2025-03-05', []],
        ['2025-03-31~', '2025-04-01', []],
        ['2025-12-31~', '2026-01-01', []],
        ['2025-03-06', '2025-03-05', []],
        ['2026-03-06', '2025-03-05', ['2025-06-01']],
        [undefined, undefined, ['9999-12-31']],
      ],
    })
  })

  test('of three years of days no more than 90 places are read, whatever the range', () => {
    let most = 0
    const property = fc.property(fc.option(near, { nil: undefined }), fc.option(near, { nil: undefined }), (a, b) => {
      const places = daysBetween(axis, a, b).flatMap((stretch) => placesIn(stretch, threeYears))
      most = Math.max(most, places.length)
      assert(places.length <= 90, `${places.length} for ${a} to ${b}`)
    })
    fc.assert(property, { seed, numRuns: 500, examples: [['2024-01-02', '2026-12-30']] })
    // Else nothing was measured.
    assert(most > 60, String(most))
  })
})
