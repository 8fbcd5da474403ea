// The total of a search, where what it finds can be counted without a look at the records: by a text and by traits alone. In two
// steps: which combinations of traits are asked for, then what is found of them.
import { relationsOf, type Resource } from '../catalogue/resource.ts'
import { isTrait, tallyOf, type Tally } from '../catalogue/tallies.ts'
import type { Condition } from '../catalogue/condition.ts'
import type { Relation } from '../contract/relation.ts'
import type { ListPlan } from '../query/plan.ts'
import { conditionSql, whereSql } from './conditions.ts'
import { quote, type Bind, type Dialect, type Found } from './dialect.ts'
import { hasDigit, isWhole } from './words.ts'
import { isRecent } from './records.ts'
import { statement, type Statement } from './statement.ts'

interface Counting {
  // Of which relation, and the number of the combination, in their order; where the total is to be told of them.
  readonly cells?: Statement
  // The total, null where nobody keeps it any more; and then the id that a list by id would find first, where that is known, and the
  // least and the greatest of all.
  readonly total: (cells: readonly (readonly unknown[])[]) => Statement
  // On which side of the id that was found first the others are.
  readonly others?: 'at-most' | 'at-least'
}

// To compare with so many stretches takes as long as to look a number up.
const mostStretches = 6
// So many are hardly in few stretches, and would have to be read each time.
const mostCells = 500

interface Searched {
  readonly dialect: Dialect
  readonly resource: Resource
  readonly tally: Tally
  readonly search: Condition & { readonly is: 'contains' }
  readonly traits: readonly Condition[]
}

export function countingOf(dialect: Dialect, resource: Resource, plan: ListPlan): Counting | 'few' | undefined {
  const tally = tallyOf(resource)
  const search = plan.conditions.find((condition) => condition.is === 'contains')
  const traits = plan.conditions.filter((condition) => condition !== search)
  if (!search || !tally || !traits.every((each) => isTrait(tally, each))) return undefined
  // A tally is kept only where nothing removes a row silently; the index would still have such a row.
  if (!dialect.hasTally(tally)) return undefined
  const searched = { dialect, resource, tally, search, traits }
  const words = dialect.tallyWords(tally)
  if (words) return countingWords(searched, words)
  const found = dialect.found(relationsOf(resource), search)
  if (!found || found === 'few') return found
  return countingFound(searched, found, plan.order[0]?.descending ? 'at-most' : 'at-least')
}

function countingWords({ dialect, resource, tally, search, traits }: Searched, words: string): Counting | undefined {
  const [relation] = tally.relations
  const isKept = relationsOf(resource).every((each) => isWhole(each, search))
  // There, a line ends what is of one column.
  if (!relation || !isKept || hasDigit(search.text) || search.text.includes('\n')) return undefined
  const conditions = [...traits, { ...search, columns: ['words'] }]
  const total = statement(dialect, (bind) => {
    const where = conditions.map((each) => conditionSql(each, { dialect, relation, alias: 't' }, bind))
    const sum = `coalesce((SELECT sum(t.n) FROM ${words} WHERE ${where.join(' AND ')}), 0)`
    return `SELECT CASE WHEN ${dialect.isTallied(tally)} THEN ${sum} END`
  })
  return { total: () => total }
}

function countingFound(
  { dialect, resource, traits }: Searched,
  found: readonly Found[],
  others: 'at-most' | 'at-least',
): Counting {
  const end = others === 'at-most' ? 'max' : 'min'
  const relations = relationsOf(resource)
  // What there is of each relation, in their order.
  const sources = relations.flatMap((relation, at) => (found[at] ? [{ relation, ...found[at] }] : []))
  const listed = ({ relation, cells }: (typeof sources)[number], bind: Bind) => {
    const where = traits.map((each) => conditionSql(each, { dialect, relation, alias: 't' }, bind))
    return `${cells} t WHERE ${where.join(' AND ') || 'true'}`
  }
  return {
    others,
    cells: statement(dialect, (bind) => {
      const selects = sources.map((source, at) => `SELECT ${at}, t.cell FROM ${listed(source, bind)}`)
      return `${selects.join(' UNION ALL ')} ORDER BY 1, 2 LIMIT ${mostCells}`
    }),
    total: (cells) =>
      statement(dialect, (bind) => {
        const parts = sources.flatMap((source, at) => {
          const { from, row, many, id, condition, cell } = source
          const stretches = stretchesOf(cells.filter(([of]) => of === at).map(([, number]) => Number(number)))
            // Most records are probably in the longest: no other is compared with then.
            .toSorted(([first, last], [otherFirst, otherLast]) => otherLast - otherFirst - (last - first))
          const isListed = () =>
            stretches.length > mostStretches || cells.length === mostCells
              ? `${cell} IN (SELECT t.cell FROM ${listed(source, bind)})`
              : `(${stretches.map(([first, last]) => `${cell} BETWEEN ${bind(first)} AND ${bind(last)}`).join(' OR ') || 'false'})`
          const all = `SELECT ${many} AS n, ${id(end)} AS found FROM ${from}${whereSql(dialect, row, [condition(bind), isListed()])}`
          return at === 0 ? [all] : [all, hidden(dialect, resource, source, isListed(), bind)]
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

// Archived records that do not exist, because a recent one has their id: mostly none, since ids are not given twice, and then
// nothing is looked at.
function hidden(
  dialect: Dialect,
  resource: Resource,
  { relation, records: { from, id, condition } }: Found & { readonly relation: Relation },
  isListed: string,
  bind: Bind,
): string {
  const least = `(SELECT min("id") FROM ${quote(resource.relation)})`
  const canBe = `(SELECT max("id") FROM ${quote(relation.name)}) >= ${least}`
  const conditions = [condition(least, bind), isListed, isRecent(resource, id)]
  return `SELECT -count(*), NULL FROM ${from}${whereSql(dialect, id, [canBe, ...conditions])}`
}
