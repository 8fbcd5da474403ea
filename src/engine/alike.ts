// Records that are asked for alike but for their ids: they are read together, by as many statements as one. What a transaction takes,
// and to wake whoever reads, is then paid once for all of them.
import type { Access } from '../catalogue/access.ts'
import type { Plan } from '../query/plan.ts'

// A list, or records that are asked for alike.
export type Plans = readonly [Plan, ...Plan[]]

// At once: few enough that nobody else waits for long.
export const mostAlike = 16

// Plans with the same one can be read together; what else a plan for a record has follows from it.
export const alikeIn = (plan: Plan): string | undefined =>
  plan.shows === 'detail' ? `${plan.resource} ${textOfAccess(plan.access)}` : undefined

type Planned = { readonly plan: Plan }
export const plansOf = ([first, ...others]: readonly [Planned, ...Planned[]]): Plans => [
  first.plan,
  ...others.map(({ plan }) => plan),
]

// All that an answer depends on of an access, written down once for each.
export function textOfAccess(access: Access): string {
  let text = texts.get(access)
  if (text === undefined) texts.set(access, (text = textOf(access)))
  return text
}

const texts = new WeakMap<Access, string>()
const textOf = ({ permissions, stores, priceList }: Access) => JSON.stringify([permissions, stores, priceList])
