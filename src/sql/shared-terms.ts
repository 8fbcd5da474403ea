// SQL that both dialects write alike: the shown amount of a document, and the columns of a table.
import { VOID } from '../contract/codes.ts'
import type { Relation } from '../contract/relation.ts'

// An amount of a void document is zero, also where nothing is stored.
export const zeroWhenVoid = (status: string, amount: string) =>
  `CASE WHEN ${status} = ${VOID} THEN 0 ELSE ${amount} END`

// The columns of a table, one a line, with what their codes stand for as a comment: whoever fills the table reads it there.
export function columnLines(relation: Relation, definition: (name: string) => string, more: readonly string[]): string {
  const columns = Object.keys(relation.columns).map((name) => {
    const codes = relation.codes[name]?.map(({ code, label }) => `${code} ${label}`).join(', ')
    return { text: definition(name), comment: codes ? ` -- ${codes}` : '' }
  })
  const lines = [...columns, ...more.map((text) => ({ text, comment: '' }))]
  return lines.map(({ text, comment }, at) => `  ${text}${at < lines.length - 1 ? ',' : ''}${comment}`).join('\n')
}

export const parentIndexName = ({ name, parent }: Relation) => `${name}_by_${parent}`
