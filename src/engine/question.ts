// What is asked of a tally: a list of which only traits are asked for, and at most a part of one axis.
import type { Condition } from '../catalogue/condition.ts'
import type { Resource } from '../catalogue/resource.ts'
import { astray, isTrait, tallyOf, type Axis, type Tally } from '../catalogue/tallies.ts'
import type { ListPlan } from '../query/plan.ts'
import type { Dialect } from '../sql/dialect.ts'
import { bucketsStatement, sumStatement, within, type Stretch } from '../sql/tallies.ts'
import type { PieceMemory } from './pieces.ts'
import type { Run } from './run.ts'

export interface Asked {
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

export interface Range {
  readonly axis: Axis
  readonly from: string | undefined
  readonly to: string | undefined
}

// Undefined if the tally has no answer to it.
export function questionOf(asked: Asked, plan: ListPlan): Question | undefined {
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

export async function sum({ dialect, tally, traits, run }: Question, stretches: readonly Stretch[]) {
  const [row] = await run.counts(sumStatement(dialect, tally, traits, stretches), tally)
  return row?.[0] === null || row === undefined ? undefined : Number(row[0])
}

// Times that are none have no place among the others.
export async function hasAstray({ dialect, tally, run }: Question, axis: Axis): Promise<boolean> {
  const rows = await run.counts(
    bucketsStatement(dialect, tally, [], within(axis, axis.lengths[0] ?? 0, astray), false),
    tally,
  )
  return rows.length > 0
}
