// The relations and columns of the source contract that a database lacks, as data and as sentences.
import { isRequired, relations } from '../contract/relations.ts'
import type { Incomplete } from '../sql/lacking-columns.ts'

// Empty if the relation does not exist.
export type ColumnsOf = (relation: string) => ReadonlySet<string>

// The relations and columns without which the service cannot start. `where` is a path, or names a schema.
export function missingParts(where: string, columnsOf: ColumnsOf): string[] {
  const absent = absentRelations(columnsOf)
  if (absent.length === relations.length)
    return [
      `There is no POS database in ${where}: it has none of the relations of the source contract. Make them with "npx vitrine schema apply" or "npx vitrine demo". If it is a POS with tables of its own, make a copy of it (docs/connect-your-pos.md).`,
    ]
  const faults = lackingColumns(where, columnsOf)
  if (absent.length > 0)
    faults.unshift(
      `${asBeginning(where)} lacks the relations ${absent.join(', ')}; see "npx vitrine schema print", or docs/connect-your-pos.md for a POS with tables of its own.`,
    )
  return faults
}

// The required columns of relations that exist.
export const lackingColumns = (where: string, columnsOf: ColumnsOf): string[] =>
  absentColumns(columnsOf, 'required').map(
    ({ relation, columns }) =>
      `In ${where}, ${relation.name} lacks the column${columns.length > 1 ? 's' : ''} ${columns.join(', ')}; "npx vitrine check" shows the statements that add them.`,
  )

export const absentRelations = (columnsOf: ColumnsOf): string[] =>
  relations.map(({ name }) => name).filter((name) => columnsOf(name).size === 0)

// Columns of relations that exist. Those that are not required read as null.
export function absentColumns(columnsOf: ColumnsOf, which: 'required' | 'not required'): Incomplete[] {
  return relations.flatMap((relation) => {
    const found = columnsOf(relation.name)
    const columns = Object.keys(relation.columns).filter(
      (column) => !found.has(column) && isRequired(relation, column) === (which === 'required'),
    )
    return found.size > 0 && columns.length > 0 ? [{ relation, columns }] : []
  })
}

// Of a database, before the service starts: why it cannot start, and the columns that will read as null.
export interface Inspection {
  readonly problems: string[]
  readonly lacking: readonly Incomplete[]
}

export const namesOf = (lacking: readonly Incomplete[]): string[] =>
  lacking.flatMap(({ relation, columns }) => columns.map((column) => `${relation.name}.${column}`))

const asBeginning = (words: string) => `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
