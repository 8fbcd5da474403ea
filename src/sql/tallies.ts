// Conditions of a list → sums over the tally of its collection, where the tally can tell.
import type { Condition } from '../catalogue/condition.ts'
import { everywhere, type Axis, type Tally } from '../catalogue/tallies.ts'
import { conditionSql } from './conditions.ts'
import type { Bind, Dialect } from './dialect.ts'
import { statement, type Statement } from './statement.ts'
import { axisName } from './tally-terms.ts'

// Counts at one length of an axis, from one beginning up to, not including, another.
export interface Stretch {
  readonly axis: string
  readonly from: string
  readonly below: string
}

export const allOf: Stretch = { axis: everywhere, from: '', below: '~' }
// '~' comes after every character that a beginning is made of.
export const within = (axis: Axis, length: number, beginning: string): Stretch => ({
  axis: axisName(axis, length),
  from: beginning,
  below: `${beginning}~`,
})

// How many records have these traits, over all the stretches. Null where the tally is not being kept.
export function sumStatement(
  dialect: Dialect,
  tally: Tally,
  traits: readonly Condition[],
  stretches: readonly Stretch[],
): Statement {
  return statement(dialect, (bind) => {
    const sums = stretches.map(
      (stretch) => `coalesce((SELECT sum(t.n) FROM ${rows(dialect, tally, traits, stretch, bind)}), 0)`,
    )
    return `SELECT CASE WHEN ${dialect.isTallied(tally)} THEN ${sums.join(' + ') || '0'} END`
  })
}

// The same for each beginning within a stretch, in the order of a list, and the version of each.
export function bucketsStatement(
  dialect: Dialect,
  tally: Tally,
  traits: readonly Condition[],
  stretch: Stretch,
  descending: boolean,
): Statement {
  return statement(
    dialect,
    (bind) =>
      `SELECT t.bucket, sum(t.n), ${dialect.bucketVersion(tally)} FROM ${rows(dialect, tally, traits, stretch, bind)}` +
      ` GROUP BY t.bucket HAVING sum(t.n) <> 0 ORDER BY t.bucket ${descending ? 'DESC' : 'ASC'}`,
  )
}

function rows(dialect: Dialect, tally: Tally, traits: readonly Condition[], stretch: Stretch, bind: Bind): string {
  const [relation] = tally.relations
  if (!relation) throw new Error('a tally without a relation')
  const conditions = [
    `t.axis = ${bind(stretch.axis)}`,
    `t.bucket >= ${bind(stretch.from)}`,
    `t.bucket < ${bind(stretch.below)}`,
    ...traits.map((condition) => conditionSql(condition, { dialect, relation, alias: 't' }, bind)),
  ]
  return `${dialect.tallyRows(tally)} WHERE ${conditions.join(' AND ')}`
}
