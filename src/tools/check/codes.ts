// Stored codes that have no label where they are shown, and currencies that no filter takes. What a code may be follows from the
// resources: an invoice knows other statuses than a quote, and lines know their kinds.
import { isArray, itemRelation, type Field, type LabelField } from '../../catalogue/field.ts'
import { archiveOf, relationsOf, type Resource } from '../../catalogue/resource.ts'
import { resources } from '../../catalogue/resources/index.ts'
import { currencies, type Codes } from '../../contract/codes.ts'
import { columnType, findRelation, relations } from '../../contract/relations.ts'
import type { Relation } from '../../contract/relation.ts'
import { whereSql } from '../../sql/conditions.ts'
import { quote } from '../../sql/dialect.ts'
import { statement } from '../../sql/statement.ts'
import type { Row } from '../../engine/json.ts'
import { counted } from './finding.ts'
import { of, type Question } from './question.ts'

interface Coded {
  readonly relation: Relation
  readonly column: string
  readonly codes: Codes
  // A record without a code that is known belongs to no resource at all.
  readonly tellsApart: boolean
}

export const codeQuestions = (): Question[] => [
  ...codedColumns().map(unknownCodes),
  ...relations.filter(({ columns }) => 'currency' in columns).map(unknownCurrencies),
]

// Each column once, with all the labels that any resource has for it. (A bool is 0 or 1, which values.ts looks at.)
function codedColumns(): Coded[] {
  const found = new Map<string, Coded>()
  const add = (relation: Relation, column: string, codes: Codes, tellsApart: boolean) => {
    if (columnType(relation, column) === 'bool') return
    const known = found.get(`${relation.name}.${column}`)
    const all = [...(known?.codes ?? []), ...codes]
    found.set(`${relation.name}.${column}`, {
      relation,
      column,
      codes: all.filter(({ code }, at) => all.findIndex((each) => each.code === code) === at),
      tellsApart,
    })
  }
  for (const resource of resources) {
    const own = relationsOf(resource)
    for (const relation of own) {
      const { only } = resource
      if (only) add(relation, only.column, [{ code: only.code, label: resource.name }], true)
      for (const { column, labels } of labelsIn(resource.fields)) add(relation, column, labels, false)
    }
    for (const array of resource.fields.filter(isArray))
      for (const name of partsOf(resource, itemRelation(array)))
        for (const { column, labels } of labelsIn(array.fields)) add(findRelation(name), column, labels, false)
  }
  return [...found.values()]
}

const labelsIn = (fields: readonly Field[]): LabelField[] => fields.filter((field) => field.kind === 'label')
const partsOf = ({ archived }: Resource, relation: string) => (archived ? [relation, archiveOf(relation)] : [relation])

const mostTold = 5

function unknownCodes({ relation, column, codes, tellsApart }: Coded): Question {
  const known = codes.map(({ code }) => code).toSorted((one, other) => one - other)
  const strange = `${of(column)} NOT IN (${known.join(', ')})${tellsApart ? ` OR ${of(column)} IS NULL` : ''}`
  return {
    name: `${column} of ${relation.name}`,
    relation: relation.name,
    needs: { [relation.name]: [...relation.key, column] },
    decides: false,
    isLong: true,
    async ask(source) {
      const groups = await source.rows({
        text: groupsOf(relation, column, whereSql(source.dialect, of(relation.key[0] ?? 'id'), [`(${strange})`])),
        values: [],
      })
      if (groups.length === 0) return []
      const count = groups.reduce((sum, [, n]) => sum + Number(n), 0)
      const meaning = codes.map(({ code, label }) => `${code} ${label}`).join(', ')
      return [
        {
          code: 'unknown_code',
          relation: relation.name,
          column,
          count,
          examples: groups.slice(0, mostTold).map((group) => String(group[2])),
          message: tellsApart
            ? `${counted(count, 'row belongs', 'rows belong')} to no resource, and nobody is ever shown it: ${told(groups)}.`
            : `${counted(count, 'row has', 'rows have')} a code that is not known here: ${told(groups)}. It is shown as null, and found by no filter.`,
          remedy: `The codes are ${meaning}. Translate yours in the view: CASE ${quote(column)} WHEN … THEN … END AS ${quote(column)}`,
        },
      ]
    },
  }
}

const groupsOf = (relation: Relation, column: string, where: string) =>
  `SELECT ${of(column)}, count(*), min(${of(relation.key[0] ?? 'id')}) FROM ${quote(relation.name)} t${where}` +
  ` GROUP BY ${of(column)} ORDER BY 2 DESC, 1`

const told = (groups: readonly Row[]) => {
  const each = groups.slice(0, mostTold).map(([code, n]) => `${code === null ? 'none' : String(code)} (${String(n)})`)
  return `${each.join(', ')}${groups.length > mostTold ? ` and ${groups.length - mostTold} others` : ''}`
}

function unknownCurrencies(relation: Relation): Question {
  return {
    name: `currency of ${relation.name}`,
    relation: relation.name,
    needs: { [relation.name]: [...relation.key, 'currency'] },
    decides: false,
    isLong: true,
    async ask(source) {
      const groups = await source.rows(
        statement(source.dialect, (bind) => {
          const strange = `${of('currency')} NOT IN (${currencies.map((each) => bind(each)).join(', ')})`
          return groupsOf(relation, 'currency', whereSql(source.dialect, of(relation.key[0] ?? 'id'), [strange]))
        }),
      )
      if (groups.length === 0) return []
      const count = groups.reduce((sum, [, n]) => sum + Number(n), 0)
      return [
        {
          code: 'unknown_currency',
          relation: relation.name,
          column: 'currency',
          count,
          examples: groups.slice(0, mostTold).map((group) => String(group[2])),
          message: `${counted(count, 'row has', 'rows have')} another currency than ${currencies.join(' or ')}: ${told(groups)}. It is shown as it is, and found by no filter.`,
          remedy: `Translate it in the view, if it is the same by another name: CASE "currency" WHEN 'Gdes' THEN 'HTG' ELSE "currency" END AS "currency"`,
        },
      ]
    },
  }
}
