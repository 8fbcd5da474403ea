// Databases that lack columns of the contract. Statements are composed as if they had all of them; here, a statement that names an
// incomplete relation gets a definition of that relation in which the columns it lacks are null.
import { columnType } from '../contract/relations.ts'
import type { Relation } from '../contract/relation.ts'
import { quote, type Dialect, type LackingColumn } from './dialect.ts'

// A relation that exists, and the columns of the contract that it lacks.
export interface Incomplete {
  readonly relation: Relation
  readonly columns: readonly string[]
}

// `nameOf` gives the name of a relation as its own definition must have it.
export function createCompletion(
  dialect: Dialect,
  incomplete: readonly Incomplete[],
  nameOf: (relation: string) => string = quote,
): (text: string) => string {
  const definitions = incomplete.map(({ relation, columns }) => {
    const present = Object.keys(relation.columns).filter((column) => !columns.includes(column))
    const lacking = columns.map((column): LackingColumn => [column, columnType(relation, column)])
    const select = dialect.withNulls(nameOf(relation.name), present, lacking)
    const name = quote(relation.name)
    return { name, text: `${name} AS NOT MATERIALIZED (${select})` }
  })
  return (text) => {
    const named = definitions.filter(({ name }) => text.includes(name))
    return named.length === 0 ? text : `WITH ${named.map((each) => each.text).join(', ')} ${text}`
  }
}
