// The total of a list and the place where its page begins, from the tally of its collection: short sums, however many
// records there are. Undefined wherever the tally cannot tell; then the records themselves are counted and walked over.
import type { Condition } from '../catalogue/condition.ts'
import type { Resource } from '../catalogue/resource.ts'
import { astray, isTrait, tallyOf, type Axis, type Tally } from '../catalogue/tallies.ts'
import type { ListPlan } from '../query/plan.ts'
import type { Dialect } from '../sql/dialect.ts'
import { totalStatement } from '../sql/records.ts'
import { allOf, bucketsStatement, sumStatement, within, type Stretch } from '../sql/tallies.ts'
import { locateAcross } from './across.ts'
import { boundOf, dayEnd, dayStart } from './bounds.ts'
import { daysBetween } from './day-stretches.ts'
import type { PieceMemory } from './pieces.ts'
import type { Run } from './run.ts'

// Where a page begins: this condition more, and so many records after that.
export interface Start {
  readonly bound: Condition | undefined
  readonly skip: number
  // The column that is to be followed from there, where another one is asked for, too.
  readonly along?: string
}

export interface Counted {
  readonly total: number
  // The start of the page, for one that is far into the list.
  start(): Promise<Start | undefined>
}

interface Asked {
  readonly dialect: Dialect
  readonly resource: Resource
  readonly run: Run
  readonly pieces: PieceMemory
}

export interface Question extends Asked {
  readonly tally: Tally
  readonly traits: readonly Condition[]
  // The part of one axis that is asked for, both ends included.
  readonly range: Range | undefined
}

interface Range {
  readonly axis: Axis
  readonly from: string | undefined
  readonly to: string | undefined
}

export async function counted(asked: Asked, plan: ListPlan): Promise<Counted | undefined> {
  const question = questionOf(asked, plan)
  if (!question) return undefined
  const total = await totalOf(question)
  if (total === undefined) return undefined
  return { total, start: () => startOf(question, plan, total) }
}

// What is asked, if the tally has an answer to it: traits alone, and at most one axis.
function questionOf(asked: Asked, plan: ListPlan): Question | undefined {
  const tally = tallyOf(asked.resource)
  if (!tally || !asked.dialect.hasTally(tally)) return undefined
  const traits = plan.conditions.filter((condition) => isTrait(tally, condition))
  const others = plan.conditions.filter((condition) => !isTrait(tally, condition))
  let range: Range | undefined
  for (const condition of others) {
    if (condition.is !== 'from' && condition.is !== 'to') return undefined
    const axis = tally.axes.find(({ column }) => column === condition.column)
    if (!axis || (range && range.axis !== axis)) return undefined
    range = { axis, from: range?.from, to: range?.to, [condition.is]: condition.time }
  }
  return { ...asked, tally, traits, range }
}

async function totalOf(question: Question): Promise<number | undefined> {
  const { range } = question
  if (!range) return sum(question, [allOf])
  if (await hasAstray(question, range.axis)) return undefined
  return sumRange(question, range)
}

// Whole days from the tally; a day that begins in the middle is counted.
async function sumRange(question: Question, { axis, from, to }: Range): Promise<number | undefined> {
  const { dialect, resource, traits, run } = question
  const toDay = to?.slice(0, 10)
  const firstDay = from?.slice(0, 10)
  if (from === undefined || firstDay === undefined || from.endsWith(dayStart))
    return sum(question, daysBetween(axis, firstDay, toDay))
  const rest: Condition[] = [
    { is: 'from', column: axis.column, time: from },
    { is: 'to', column: axis.column, time: firstDay + dayEnd },
  ]
  const [row] = await run.counts(totalStatement(dialect, resource, { conditions: [...traits, ...rest] }))
  const whole = await sum(question, daysBetween(axis, `${firstDay}~`, toDay))
  return whole === undefined ? undefined : whole + Number(row?.[0])
}

async function sum({ dialect, tally, traits, run }: Question, stretches: readonly Stretch[]) {
  const [row] = await run.counts(sumStatement(dialect, tally, traits, stretches), tally)
  return row?.[0] === null || row === undefined ? undefined : Number(row[0])
}

// Times that are none have no place among the others.
async function hasAstray({ dialect, tally, run }: Question, axis: Axis): Promise<boolean> {
  const rows = await run.counts(
    bucketsStatement(dialect, tally, [], within(axis, axis.lengths[0] ?? 0, astray), false),
    tally,
  )
  return rows.length > 0
}

// Only where the list goes along an axis.
async function startOf(question: Question, plan: ListPlan, total: number): Promise<Start | undefined> {
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
