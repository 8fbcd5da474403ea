// What a database lacks of the source contract, as sentences.
import { relations } from '../contract/relations.ts'

// `where` ends the phrase "the POS database …".
export function missingParts(where: string, columnsOf: (relation: string) => ReadonlySet<string>): string[] {
  const missing = relations.flatMap((relation) => {
    const columns = columnsOf(relation.name)
    if (columns.size === 0) return [{ relation: relation.name, lacks: [] }]
    const lacks = Object.keys(relation.columns).filter((column) => !columns.has(column))
    return lacks.length > 0 ? [{ relation: relation.name, lacks }] : []
  })
  const absent = missing.filter(({ lacks }) => lacks.length === 0).map(({ relation }) => relation)
  if (absent.length === relations.length)
    return [`${where} is not a POS database: it has none of the relations of the source contract.`]
  return [
    ...(absent.length > 0
      ? [`The POS database ${where} lacks the relations ${absent.join(', ')}; see "npx vitrine schema print".`]
      : []),
    ...missing
      .filter(({ lacks }) => lacks.length > 0)
      .map(({ relation, lacks }) => `In the POS database ${where}, ${relation} lacks the columns ${lacks.join(', ')}.`),
  ]
}
