// Databases that lack columns of the contract, or whose ids may be anything. Statements are composed as if they fulfilled it; here, a
// statement that names such a relation gets a definition of it in which the columns it lacks are null, and whose ids are whole numbers.
import { columnType, relations } from '../contract/relations.ts'
import type { Relation } from '../contract/relation.ts'
import { quote, type Dialect, type LackingColumn } from './dialect.ts'

// A relation that exists, and the columns of the contract that it lacks.
export interface Incomplete {
  readonly relation: Relation
  readonly columns: readonly string[]
}

// `nameOf` gives the name of a relation as its own definition must have it. `which`: the
// condition for the rows of a relation that are records; empty if all are.
export function createCompletion(
  dialect: Dialect,
  incomplete: readonly Incomplete[],
  nameOf: (relation: string) => string = quote,
  which: (relation: Relation) => string = () => '',
): (text: string) => string {
  const columnsLacking = new Map(incomplete.map(({ relation, columns }) => [relation, columns]))
  const defined = relations.filter((relation) => columnsLacking.has(relation) || which(relation) !== '')
  const definitions = defined.map((relation) => {
    const columns = columnsLacking.get(relation) ?? []
    const present = Object.keys(relation.columns).filter((column) => !columns.includes(column))
    const lacking = columns.map((column): LackingColumn => [column, columnType(relation, column)])
    const condition = which(relation)
    const rows = dialect.withNulls(nameOf(relation.name), present, lacking)
    const select = condition === '' ? rows : `${rows} WHERE ${condition}`
    const name = quote(relation.name)
    return { name, text: `${name} AS NOT MATERIALIZED (${select})` }
  })
  return (text) => {
    const named = definitions.filter(({ name }) => text.includes(name))
    return named.length === 0 ? text : `WITH ${named.map((each) => each.text).join(', ')} ${text}`
  }
}
