// The total of a search, where what it finds can be counted without a look at the records: by a text and by traits alone.
import { relationsOf, type Resource } from '../catalogue/resource.ts'
import { isTrait, tallyOf } from '../catalogue/tallies.ts'
import type { ListPlan } from '../query/plan.ts'
import { conditionSql, whereSql } from './conditions.ts'
import { quote, type Dialect } from './dialect.ts'
import { isRecent } from './records.ts'
import { statement, type Statement } from './statement.ts'

export function foundStatement(
  dialect: Dialect,
  resource: Resource,
  { conditions }: ListPlan,
): Statement | 'few' | undefined {
  const tally = tallyOf(resource)
  const search = conditions.find((condition) => condition.is === 'contains')
  const others = conditions.filter((condition) => condition !== search)
  if (!search || !tally || !others.every((each) => isTrait(tally, each))) return undefined
  // A tally is kept only where nothing removes a row silently; the index would still have such a row.
  if (!dialect.hasTally(tally)) return undefined
  const relations = relationsOf(resource)
  const parts = dialect.found(relations, search)
  if (!parts || parts === 'few') return parts
  return statement(dialect, (bind) => {
    const counts = parts.map((part, at) => {
      const { from, condition, id, cell, cells } = part(bind)
      const relation = relations[at] ?? tally.relations[0]
      if (!relation) throw new Error('a search without a relation')
      const traits = others.map((each) => conditionSql(each, { dialect, relation, alias: 't' }, bind))
      const isListed = `${cell} IN (SELECT t.cell FROM ${cells} t WHERE ${traits.join(' AND ') || 'true'})`
      const shown = at > 0 ? [isShown(resource, id)] : []
      return `(SELECT count(*) FROM ${from}${whereSql(dialect, id, [condition, isListed, ...shown])})`
    })
    return `SELECT ${counts.join(' + ')}`
  })
}

// Few ids of archived records are as large as the least of the recent ones: most need not be looked up.
const isShown = (resource: Resource, id: string) =>
  `(${id} < (SELECT min("id") FROM ${quote(resource.relation)}) OR NOT ${isRecent(resource, id)})`
