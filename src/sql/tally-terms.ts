// Terms of tallies that both dialects write alike, and a way to write them once.
import { everywhere, type Axis, type Tally } from '../catalogue/tallies.ts'
import { quote } from './dialect.ts'

// What a row is counted by.
export const columnsOf = ({ traits, axes }: Tally) => [
  ...new Set(['id', ...traits, ...axes.map(({ column }) => column)]),
]

export const list = (names: readonly string[], row = '') => names.map((name) => row + quote(name)).join(', ')

// What depends on a tally alone is composed once: some of it is part of every request.
export function composedOnce(compose: (tally: Tally) => string): (tally: Tally) => string {
  const known = new Map<Tally, string>()
  return (tally) => {
    let text = known.get(tally)
    if (text === undefined) known.set(tally, (text = compose(tally)))
    return text
  }
}

// How an axis is called at one of its lengths, in the column `axis` of a tally.
export const axisName = ({ column }: Axis, length: number) => `${column}/${length}`

// All axes of a tally as a select of one column, and where a row stands on each.
export function bucketCases(tally: Tally, bucket: (axis: Axis, length: number) => string) {
  const places = tally.axes.flatMap((axis) =>
    axis.lengths.map((length) => ({ name: axisName(axis, length), place: bucket(axis, length) })),
  )
  return {
    axes: [everywhere, ...places.map(({ name }) => name)]
      .map((name, at) => `SELECT '${name}'${at === 0 ? ' AS axis' : ''}`)
      .join(' UNION ALL '),
    bucketOf: (axis: string) =>
      `CASE ${axis}\n    WHEN '${everywhere}' THEN ''\n${places.map(({ name, place }) => `    WHEN '${name}' THEN ${place}`).join('\n')} END`,
  }
}
