// What a database lacks of the source contract, as sentences.
import { relations } from '../contract/relations.ts'

// What a relation has; nothing where it is not there.
type ColumnsOf = (relation: string) => ReadonlySet<string>

// `where` is a path, or the words for a schema.
export function missingParts(where: string, columnsOf: ColumnsOf): string[] {
  const absent = relations.map(({ name }) => name).filter((name) => columnsOf(name).size === 0)
  if (absent.length === relations.length)
    return [
      `There is no POS database in ${where}: it has none of the relations of the source contract. Make them with "npx vitrine schema apply" or "npx vitrine demo", or show tables of your own as views (docs/connect-your-pos.md).`,
    ]
  return [
    ...(absent.length > 0
      ? [
          `${asBeginning(where)} lacks the relations ${absent.join(', ')}; see "npx vitrine schema print", or "views print" for views over tables of your own.`,
        ]
      : []),
    ...lackingColumns(where, columnsOf),
  ]
}

// Of relations that are there.
export function lackingColumns(where: string, columnsOf: ColumnsOf): string[] {
  return relations.flatMap(({ name, columns }) => {
    const found = columnsOf(name)
    const lacks = found.size === 0 ? [] : Object.keys(columns).filter((column) => !found.has(column))
    return lacks.length > 0 ? [`In ${where}, ${name} lacks the columns ${lacks.join(', ')}.`] : []
  })
}

const asBeginning = (words: string) => `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
