// The total of a list from the tally of its collection: a short sum, however many records there are. Undefined wherever the tally
// cannot tell; then the records themselves are counted and walked over.
import type { Condition } from '../catalogue/condition.ts'
import type { ListPlan } from '../query/plan.ts'
import { totalStatement } from '../sql/records.ts'
import { allOf } from '../sql/tallies.ts'
import { dayEnd, dayStart } from './bounds.ts'
import { daysBetween } from './day-stretches.ts'
import { hasAstray, questionOf, sum, type Asked, type Question, type Range } from './question.ts'
import { startOf, type Start } from './starts.ts'

interface Counted {
  readonly total: number
  // The start of the page, for one that is far into the list.
  start(): Promise<Start | undefined>
}

export async function counted(asked: Asked, plan: ListPlan): Promise<Counted | undefined> {
  const question = questionOf(asked, plan)
  if (!question) return undefined
  const total = await totalOf(question)
  if (total === undefined) return undefined
  return { total, start: () => startOf(question, plan, total) }
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
