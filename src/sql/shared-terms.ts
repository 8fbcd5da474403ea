// SQL that both dialects write alike: the shown amount of a document and the terms of an index.
import { VOID } from '../contract/codes.ts'
import type { IndexTerm, Relation } from '../contract/relation.ts'
import { columnType } from '../contract/relations.ts'
import { quote, type SchemaDialect } from './dialect.ts'

// An amount of a void document is zero, also where nothing is stored.
export const zeroWhenVoid = (status: string, amount: string) =>
  `CASE WHEN ${status} = ${VOID} THEN 0 ELSE ${amount} END`

// Index terms are written exactly as the statements write them: an index on an expression is used only then. A text that
// ends an index is there to be sorted by.
export function indexTerms(
  dialect: Pick<SchemaDialect, 'read' | 'textOrder'>,
  relation: Relation,
  terms: readonly IndexTerm[],
): string[] {
  return terms.map((term, at) => {
    if (typeof term !== 'string') return `(${zeroWhenVoid(quote('status'), quote(term.amount))})`
    const type = columnType(relation, term)
    if (type === 'text' && at === terms.length - 1) return dialect.textOrder(quote(term))
    const read = dialect.read(type, quote(term))
    return read === quote(term) ? read : `(${read})`
  })
}

// The columns of a table, one a line, with what their codes stand for as a comment: whoever fills the table reads it there.
export function columnLines(relation: Relation, definition: (name: string) => string, more: readonly string[]): string {
  const columns = Object.keys(relation.columns).map((name) => {
    const codes = relation.codes[name]?.map(({ code, label }) => `${code} ${label}`).join(', ')
    return { text: definition(name), comment: codes ? ` -- ${codes}` : '' }
  })
  const lines = [...columns, ...more.map((text) => ({ text, comment: '' }))]
  return lines.map(({ text, comment }, at) => `  ${text}${at < lines.length - 1 ? ',' : ''}${comment}`).join('\n')
}

export const searchIndexName = (relation: Relation, column: string) => `${relation.name}_search_${column}`

export const indexName = (relation: Relation, terms: readonly IndexTerm[]) =>
  [relation.name, 'by', ...terms.map((term) => (typeof term === 'string' ? term : term.amount))].join('_')
