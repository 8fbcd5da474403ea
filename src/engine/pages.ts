// The page of a list and its total, by whichever way is the shortest: from a tally, from a search index, by walking along the list,
// or by sorting what was found.
import type { Condition } from '../catalogue/condition.ts'
import type { Resource } from '../catalogue/resource.ts'
import type { ListPlan } from '../query/plan.ts'
import { joinConditions, splitConditions, type Compile } from '../sql/compiled.ts'
import type { Dialect } from '../sql/dialect.ts'
import { countingOf } from '../sql/found.ts'
import { cutOf, pageStatement, totalStatement } from '../sql/records.ts'
import { counted } from './counted.ts'
import type { Row } from './json.ts'
import { goesAcross } from './long-plans.ts'
import type { PieceMemory } from './pieces.ts'
import type { Run } from './run.ts'
import type { Shape } from './shapes.ts'
import { beginningOf, type Start } from './starts.ts'

interface Page {
  readonly total: number
  readonly rows: readonly Row[]
}

interface Pages {
  read(plan: ListPlan, run: Run): Promise<Page>
}

interface How {
  readonly start?: Start | undefined
  readonly isSorted?: boolean
  readonly isCounted?: boolean
}

// Among how many records a page is looked for, how many of it there are, and how.
interface Meeting {
  readonly among: number
  readonly wanted: number
  readonly met?: 'each' | 'named'
  readonly edge?: Edge | undefined
}

// To look at so many along a list takes as long as to find and sort one. (On SQLite 0.36 and 2 to 5 microseconds.)
const metPerSorted = 8
// And to pass so many over, where an index has named those that are to be looked at: 0.1 microseconds each, and 1 for each name.
const passedPerSorted = 72
// Where more than one in so many match, it is better not to sort them.
const metIfMany = 20
// To sort so many takes about as long as to look up where a page begins.
const sortedPerLookUp = 3

// From `farInto` records on, it is looked up where a page begins, instead of walking over all that come before it.
export function createPages(
  dialect: Dialect,
  shapeOf: (plan: ListPlan) => Shape,
  compile: Compile,
  farInto: number,
  pieces: PieceMemory,
): Pages {
  const count = async (resource: Resource, plan: ListPlan, run: Run) => {
    const [row] = await run.counts(totalStatement(dialect, resource, plan))
    return Number(row?.[0] ?? 0)
  }

  // Async, although it awaits nothing: what fails at once must not keep the caller from hearing of what goes on beside it.
  const readPage = async (plan: ListPlan, run: Run, { start, isSorted = false, isCounted = false }: How = {}) => {
    const { key, resource, scalars } = shapeOf(plan)
    const conditions = start?.bound ? [...plan.conditions, start.bound] : plan.conditions
    const cut = { ...cutOf(plan, start?.skip), isSorted, isCounted, along: start?.along }
    const split = splitConditions(conditions)
    if (!split) return run.rows(pageStatement(dialect, resource, scalars, plan, cut))
    const order = plan.order.map(({ field, descending }) => `${field} ${descending}`)
    // The price list is the only value that stands in the fields.
    const shape = `page ${key} ${plan.access.priceList} ${order.join()} ${isSorted} ${isCounted} ${cut.along} ${split.shape}`
    return run.rows(
      compile(shape, [cut.before, cut.limit, cut.end, ...split.values], ([before = 0, limit = 0, end = 0, ...marks]) =>
        pageStatement(
          dialect,
          resource,
          scalars,
          { ...plan, conditions: joinConditions(conditions, marks) },
          { ...cut, before: Number(before), limit: Number(limit), end: Number(end) },
        ),
      ),
    )
  }

  // The page of a search among so many records that the list begins with, if it is there.
  const meetPage = async (
    resource: Resource,
    plan: ListPlan,
    run: Run,
    { among, wanted, met = 'each', edge }: Meeting,
  ) => {
    const beginning = await beginningOf({ dialect, resource, run, pieces }, withoutSearch(plan), among)
    if (!beginning) return undefined
    const conditions = plan.conditions.map((each) => (each.is === 'contains' ? { ...each, met } : each))
    const rows = await readPage({ ...plan, conditions: [...conditions, beginning, ...(edge ? [edge.bound] : [])] }, run)
    return rows.length === wanted ? rows : undefined
  }

  // Where many match, their page is not far into the list; where it is too far, they are sorted.
  const cutPage = async (resource: Resource, plan: ListPlan, total: number, edge: Edge | undefined, run: Run) => {
    const records = (await counted({ dialect, resource, run, pieces }, withoutSearch(plan)))?.total ?? 0
    const wanted = Math.min(plan.perPage, total - (plan.page - 1) * plan.perPage)
    // As far as it would be if they were spread evenly from there on, and then further.
    let far = Math.ceil(((edge?.share ?? 0) + (2 * plan.page * plan.perPage) / total) * records)
    // Numbers stand together in time, and are soon found: an edge is of those.
    const most = dialect.meetsNamed && !edge ? passedPerSorted : metPerSorted
    for (; far > 0 && far <= most * total; far *= 8) {
      const met = far <= metPerSorted * total ? 'each' : 'named'
      const rows = await meetPage(resource, plan, run, { among: far, wanted, met, edge })
      if (rows) return rows
      // Not spread evenly: further on it would take longer than to sort them.
      if (met === 'named') break
    }
    return readPage(plan, run, { isSorted: true })
  }

  const readList = async (resource: Resource, plan: ListPlan, run: Run) => {
    const before = (plan.page - 1) * plan.perPage
    // Not one after the other: where the database is another process, they are asked together.
    const isAcross = goesAcross(plan)
    const [tallied, near] = await Promise.all([
      counted({ dialect, resource, run, pieces }, plan),
      before < farInto && !isAcross ? readPage(plan, run) : undefined,
    ])
    const total = tallied?.total ?? (await count(resource, plan, run))
    if (near || before >= total) return { total, rows: near ?? [] }
    const isSorted = isAcross && total <= sortedPerLookUp * farInto
    const start = isSorted ? undefined : await tallied?.start()
    return { total, rows: await readPage(plan, run, { start, isSorted }) }
  }

  // Whatever a text is part of has to be found to be counted.
  const readSearch = async (resource: Resource, plan: ListPlan, run: Run) => {
    const counting = countingOf(dialect, resource, plan)
    if (counting && counting !== 'few') {
      const cells = counting.cells ? await run.counts(counting.cells) : []
      const [[found, ...ids] = []] = await run.counts(counting.total(cells))
      if (found !== null) {
        const total = Number(found)
        const isThere = (plan.page - 1) * plan.perPage < total
        return {
          total,
          rows: isThere ? await cutPage(resource, plan, total, edgeOf(plan, counting.others, ids), run) : [],
        }
      }
    }
    // Nobody knows how many there are: if many, a page is soon met, and to sort all of them would be in vain.
    const near = metIfMany * plan.page * plan.perPage
    const met =
      counting === 'few' ? undefined : await meetPage(resource, plan, run, { among: near, wanted: plan.perPage })
    if (met) return { total: await count(resource, plan, run), rows: met }
    const rows = await readPage(plan, run, { isSorted: true, isCounted: true })
    const [first] = rows
    const total = first ? Number(first.at(-1)) : plan.page === 1 ? 0 : await count(resource, plan, run)
    return { total, rows }
  }

  return {
    read(plan, run) {
      const isSearch = plan.conditions.some(({ is }) => is === 'contains')
      return (isSearch ? readSearch : readList)(shapeOf(plan).resource, plan, run)
    },
  }
}

// Ids mostly grow with time: a search for numbers that were given long ago need not look at what is newer.
interface Edge {
  readonly bound: Condition
  // How much of all ids is before it in the order of the list.
  readonly share: number
}

function edgeOf(
  { order }: ListPlan,
  others: 'at-most' | 'at-least' | undefined,
  ids: readonly unknown[],
): Edge | undefined {
  const [found, least, greatest] = ids
  if (!others || typeof found !== 'number' || typeof least !== 'number' || typeof greatest !== 'number')
    return undefined
  const before = others === 'at-most' ? greatest - found : found - least
  const isPassed = order[0]?.field !== 'id'
  return { bound: { is: others, column: 'id', value: found, isPassed }, share: before / Math.max(1, greatest - least) }
}

const withoutSearch = (plan: ListPlan): ListPlan => ({
  ...plan,
  conditions: plan.conditions.filter(({ is }) => is !== 'contains'),
})
