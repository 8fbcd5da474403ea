// The relations and columns of the source contract that a database lacks, as data and as sentences.
import type { Relation } from '../contract/relation.ts'
import { relations } from '../contract/relations.ts'

// Empty if the relation does not exist.
type ColumnsOf = (relation: string) => ReadonlySet<string>

// `where` is a path, or names a schema.
export function missingParts(where: string, columnsOf: ColumnsOf): string[] {
  const absent = absentRelations(columnsOf)
  if (absent.length === relations.length)
    return [
      `There is no POS database in ${where}: it has none of the relations of the source contract. Make them with "npx vitrine schema apply" or "npx vitrine demo", or show tables of your own as views (docs/connect-your-pos.md).`,
    ]
  const faults = lackingColumns(where, columnsOf)
  if (absent.length > 0)
    faults.unshift(
      `${asBeginning(where)} lacks the relations ${absent.join(', ')}; see "npx vitrine schema print", or "views print" for views over tables of your own.`,
    )
  return faults
}

// Of relations that exist.
export const lackingColumns = (where: string, columnsOf: ColumnsOf): string[] =>
  absentColumns(columnsOf).map(
    ({ relation, columns }) =>
      `In ${where}, ${relation.name} lacks the column${columns.length > 1 ? 's' : ''} ${columns.join(', ')}; "npx vitrine check" shows the statements that add them.`,
  )

export const absentRelations = (columnsOf: ColumnsOf): string[] =>
  relations.map(({ name }) => name).filter((name) => columnsOf(name).size === 0)

// Of relations that exist.
export function absentColumns(columnsOf: ColumnsOf): { relation: Relation; columns: string[] }[] {
  return relations.flatMap((relation) => {
    const found = columnsOf(relation.name)
    const columns = found.size === 0 ? [] : Object.keys(relation.columns).filter((column) => !found.has(column))
    return columns.length > 0 ? [{ relation, columns }] : []
  })
}

const asBeginning = (words: string) => `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
