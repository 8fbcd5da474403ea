// The total of a search, where what it finds can be counted without a look at the records: by a text and by traits alone. In two
// steps: which combinations of traits are asked for, then what is found of them.
import { relationsOf, type Resource } from '../catalogue/resource.ts'
import { isTrait, tallyOf } from '../catalogue/tallies.ts'
import type { ListPlan } from '../query/plan.ts'
import { conditionSql, whereSql } from './conditions.ts'
import { quote, type Bind, type Dialect, type Found } from './dialect.ts'
import { isRecent } from './records.ts'
import { statement, type Statement } from './statement.ts'

interface Counting {
  // Of which relation, and the number of the combination, in their order.
  readonly cells: Statement
  // The total; the id that a list by id would find first, where that is known; and the least and the greatest of all.
  readonly total: (cells: readonly (readonly unknown[])[]) => Statement
}

// To compare with so many stretches takes as long as to look a number up.
const mostStretches = 6
// So many are hardly in few stretches, and would have to be read each time.
const mostCells = 500

export function countingOf(
  dialect: Dialect,
  resource: Resource,
  { conditions, order }: ListPlan,
): Counting | 'few' | undefined {
  const tally = tallyOf(resource)
  const search = conditions.find((condition) => condition.is === 'contains')
  const others = conditions.filter((condition) => condition !== search)
  if (!search || !tally || !others.every((each) => isTrait(tally, each))) return undefined
  // A tally is kept only where nothing removes a row silently; the index would still have such a row.
  if (!dialect.hasTally(tally)) return undefined
  const relations = relationsOf(resource)
  const parts = dialect.found(relations, search)
  if (!parts || parts === 'few') return parts
  // What there is of each relation, in their order.
  const sources = relations.flatMap((relation, at) => (parts[at] ? [{ relation, ...parts[at] }] : []))
  const listed = ({ relation, cells }: (typeof sources)[number], bind: Bind) => {
    const traits = others.map((each) => conditionSql(each, { dialect, relation, alias: 't' }, bind))
    return `${cells} t WHERE ${traits.join(' AND ') || 'true'}`
  }
  const end = order[0]?.descending ? 'max' : 'min'
  return {
    cells: statement(dialect, (bind) => {
      const selects = sources.map((source, at) => `SELECT ${at}, t.cell FROM ${listed(source, bind)}`)
      return `${selects.join(' UNION ALL ')} ORDER BY 1, 2 LIMIT ${mostCells}`
    }),
    total: (cells) =>
      statement(dialect, (bind) => {
        const parts = sources.flatMap((source, at) => {
          const { from, row, many, id, condition, cell, records } = source
          const stretches = stretchesOf(cells.filter(([of]) => of === at).map(([, number]) => Number(number)))
            // Most records are probably in the longest: no other is compared with then.
            .toSorted(([first, last], [otherFirst, otherLast]) => otherLast - otherFirst - (last - first))
          const isListed = () =>
            stretches.length > mostStretches || cells.length === mostCells
              ? `${cell} IN (SELECT t.cell FROM ${listed(source, bind)})`
              : `(${stretches.map(([first, last]) => `${cell} BETWEEN ${bind(first)} AND ${bind(last)}`).join(' OR ') || 'false'})`
          const all = `SELECT ${many} AS n, ${id(end)} AS found FROM ${from}${whereSql(dialect, row, [condition(bind), isListed()])}`
          return at === 0 ? [all] : [all, hidden(dialect, resource, records, isListed(), bind)]
        })
        // Each by itself is looked up; together, all ids would be read.
        const [least, greatest] = ['min', 'max'].map((of) => {
          const each = relations.map(({ name }) => `SELECT ${of}("id") AS id FROM ${quote(name)}`)
          return `(SELECT ${of}(id) FROM (${each.join(' UNION ALL ')}))`
        })
        return `SELECT sum(n), ${end}(found), ${least}, ${greatest} FROM (${parts.join(' UNION ALL ')})`
      }),
  }
}

// Numbers in their order → those that follow one another, as first and last.
export function stretchesOf(numbers: readonly number[]): [first: number, last: number][] {
  const stretches: [number, number][] = []
  for (const number of numbers) {
    const last = stretches.at(-1)
    if (last && number === last[1] + 1) last[1] = number
    else stretches.push([number, number])
  }
  return stretches
}

// Archived records that do not exist, because a recent one has their id. Few ids of archived ones are as large as the least of those.
function hidden(
  dialect: Dialect,
  resource: Resource,
  { from, id, condition }: Found['records'],
  isListed: string,
  bind: Bind,
) {
  const least = `(SELECT min("id") FROM ${quote(resource.relation)})`
  return `SELECT -count(*), NULL FROM ${from}${whereSql(dialect, id, [condition(least, bind), isListed, isRecent(resource, id)])}`
}
