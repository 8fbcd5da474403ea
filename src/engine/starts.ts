// Where a page begins, from the tally of its collection: in which year, month and day it falls, or among which thousand of ids.
import type { Condition } from '../catalogue/condition.ts'
import { astray, type Axis } from '../catalogue/tallies.ts'
import type { ListPlan } from '../query/plan.ts'
import { allOf, bucketsStatement, within, type Stretch } from '../sql/tallies.ts'
import { locateAcross } from './across.ts'
import { boundOf } from './bounds.ts'
import { daysBetween } from './day-stretches.ts'
import { hasAstray, questionOf, sum, type Asked, type Question, type Range } from './question.ts'

// Where a page begins: this condition more, and so many records after that.
export interface Start {
  readonly bound: Condition | undefined
  readonly skip: number
  // The column that is to be followed from there, where another one is asked for, too.
  readonly along?: string
}

// Only where the list goes along an axis.
export async function startOf(question: Question, plan: ListPlan, total: number): Promise<Start | undefined> {
  const { tally, range } = question
  const first = plan.order[0]
  const axis = tally.axes.find(({ column }) => column === first?.field)
  if (!first || !axis) return undefined
  if (await hasAstray(question, axis)) return undefined
  const skip = (plan.page - 1) * plan.perPage
  if (range && range.axis !== axis) {
    const found = await locateAcross(question, plan.conditions, axis, skip, first.descending)
    return found && { ...found, along: axis.column }
  }
  const before = range ? await outside(question, range, first.descending, total) : 0
  if (before === undefined) return undefined
  const all = { ...question, range: undefined }
  const found = await locate(all, axis, before + skip, first.descending)
  if (!found || found.bucket === '') return undefined
  // Within the day in which the range begins, some records are not part of the list: it is walked over from its edge.
  const edge = range && (first.descending ? range.to : range.from)
  if (edge?.startsWith(found.bucket)) return { bound: undefined, skip }
  // Empty values come last in a descending list, and a bound would leave them out.
  if (first.descending && !range && found.beforeEmpty < skip + plan.perPage) return undefined
  return { bound: boundOf(axis, found.bucket, first.descending), skip: found.skip }
}

// A part of a list from its beginning, of so many records or some more, as one more condition: for those who look at each until
// they have enough. Undefined where there are not so many, or where nobody can tell.
export async function beginningOf(asked: Asked, plan: ListPlan, records: number): Promise<Condition | undefined> {
  const question = questionOf(asked, plan)
  const first = plan.order[0]
  const axis = question?.tally.axes.find(({ column }) => column === first?.field)
  if (!question || question.range || !first || !axis || (await hasAstray(question, axis))) return undefined
  // Empty values come first in an ascending list, and a bound would leave them out.
  const empty = first.descending ? 0 : await sum(question, [onlyEmpty(within(axis, axis.lengths[0] ?? 0, ''))])
  if (empty !== 0) return undefined
  const found = await locate(question, axis, records, first.descending)
  return found && found.bucket !== '' ? boundOf(axis, found.bucket, !first.descending) : undefined
}

// How many records with these traits come before the range in the order of the list.
async function outside(question: Question, range: Range, descending: boolean, total: number) {
  const { axis, from, to } = range
  if (descending) return to === undefined ? 0 : sum(question, daysBetween(axis, `${to.slice(0, 10)}~`, undefined))
  if (from === undefined) return sum(question, [within(axis, axis.lengths[0] ?? 0, '')].map(onlyEmpty))
  const all = await sum({ ...question, range: undefined }, [allOf])
  if (all === undefined) return undefined
  const after = to === undefined ? 0 : await sum(question, daysBetween(axis, `${to.slice(0, 10)}~`, undefined))
  return after === undefined ? undefined : all - total - after
}

const onlyEmpty = (stretch: Stretch): Stretch => ({ ...stretch, from: '', below: astray })

interface Found {
  readonly bucket: string
  readonly skip: number
  // How many records have a value on the axis at all.
  readonly beforeEmpty: number
}

// From coarse to fine: in which year, in which month of it, on which day of that.
async function locate(
  question: Question,
  axis: Axis,
  position: number,
  descending: boolean,
): Promise<Found | undefined> {
  const { dialect, tally, traits, run } = question
  let bucket = ''
  let skip = position
  let beforeEmpty = Number.POSITIVE_INFINITY
  for (const length of axis.lengths) {
    const rows = await run.counts(
      bucketsStatement(dialect, tally, traits, within(axis, length, bucket), descending),
      tally,
    )
    if (length === axis.lengths[0] && descending) {
      const full = rows.filter(([place]) => place !== '')
      beforeEmpty = full.length < rows.length ? full.reduce((all, [, n]) => all + Number(n), 0) : beforeEmpty
    }
    const next = rows.find(([, n]) => {
      if (skip < Number(n)) return true
      skip -= Number(n)
      return false
    })
    if (!next) return undefined
    bucket = String(next[0])
    if (bucket === '') break
  }
  return { bucket, skip, beforeEmpty }
}
