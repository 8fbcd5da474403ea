// Finds stored codes without a label, and currencies that no filter accepts. The known codes follow from the resources: an
// invoice has other statuses than a quote.
import { isArray, itemRelation, type Field, type LabelField } from '../../catalogue/field.ts'
import { archiveOf, relationsOf, type Resource } from '../../catalogue/resource.ts'
import { resources } from '../../catalogue/resources/index.ts'
import type { Codes } from '../../contract/codes.ts'
import { columnType, findRelation, relations } from '../../contract/relations.ts'
import type { Relation } from '../../contract/relation.ts'
import { whereSql } from '../../sql/conditions.ts'
import { quote, type Bind } from '../../sql/dialect.ts'
import type { Row } from '../../sql/statement.ts'
import { counted, type FindingCode } from './finding.ts'
import { of, type CheckContext, type Question } from './question.ts'

interface CodedColumn {
  readonly relation: Relation
  readonly column: string
  readonly codes: Codes
  // The code decides which resource a record belongs to.
  readonly selectsResource: boolean
}

export const codeQuestions = ({ currencies }: CheckContext): Question[] => [
  ...codedColumns().map(unknownCodes),
  ...relations.filter(({ columns }) => 'currency' in columns).map((each) => unknownCurrencies(each, currencies)),
]

// Each column once, with the labels of all resources. values.ts checks booleans.
function codedColumns(): CodedColumn[] {
  const found = new Map<string, CodedColumn>()
  const add = (relation: Relation, column: string, codes: Codes, selectsResource: boolean) => {
    if (columnType(relation, column) === 'bool') return
    const known = found.get(`${relation.name}.${column}`)
    const all = [...(known?.codes ?? []), ...codes]
    found.set(`${relation.name}.${column}`, {
      relation,
      column,
      codes: all.filter(({ code }, at) => all.findIndex((each) => each.code === code) === at),
      selectsResource,
    })
  }
  for (const resource of resources) {
    const { only } = resource
    for (const relation of relationsOf(resource)) {
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

const mostValues = 5

function unknownCodes({ relation, column, codes, selectsResource }: CodedColumn): Question {
  const known = codes.map(({ code }) => code).toSorted((one, other) => one - other)
  const meaning = codes.map(({ code, label }) => `${code} ${label}`).join(', ')
  return unknownValues({
    code: 'unknown_code',
    relation,
    column,
    where: () => `(${of(column)} NOT IN (${known.join(', ')})${selectsResource ? ` OR ${of(column)} IS NULL` : ''})`,
    says: (count, values) =>
      selectsResource
        ? `${counted(count, 'row belongs', 'rows belong')} to no resource, and is never shown: ${values}.`
        : `${counted(count, 'row has', 'rows have')} an unknown code: ${values}. It is shown as null, and no filter finds it.`,
    remedy: `The codes are ${meaning}. Translate yours in the view: CASE ${column} WHEN … THEN … END AS ${column}`,
  })
}

const unknownCurrencies = (relation: Relation, currencies: readonly string[]): Question =>
  unknownValues({
    code: 'unknown_currency',
    relation,
    column: 'currency',
    where: (bind) => `${of('currency')} NOT IN (${currencies.map((each) => bind(each)).join(', ')})`,
    says: (count, values) =>
      `${counted(count, 'row has', 'rows have')} another currency than ${currencies.join(' or ')}: ${values}. It is shown unchanged, and no filter finds it.`,
    remedy: `If it is a currency of the company, name it in VITRINE_CURRENCIES. If it is another name for one of these, translate it in the view: CASE currency WHEN '…' THEN '${currencies[0]}' ELSE currency END AS currency`,
  })

interface UnknownValues {
  readonly code: FindingCode
  readonly relation: Relation
  readonly column: string
  readonly where: (bind: Bind) => string
  readonly says: (count: number, values: string) => string
  readonly remedy: string
}

// Reports each unknown value with its number of rows.
function unknownValues({ code, relation, column, where, says, remedy }: UnknownValues): Question {
  const key = of(relation.key[0] ?? 'id')
  return {
    name: `${column} of ${relation.name}`,
    relation: relation.name,
    needs: { [relation.name]: [...relation.key, column] },
    isLong: true,
    async ask(database) {
      const groups = await database.rows(
        (bind) =>
          `SELECT ${of(column)}, count(*), min(${key}) FROM ${quote(relation.name)} t` +
          `${whereSql(database.dialect, key, [where(bind)])} GROUP BY ${of(column)} ORDER BY 2 DESC, 1`,
      )
      if (groups.length === 0) return []
      const count = groups.reduce((sum, [, n]) => sum + Number(n), 0)
      const examples = groups.slice(0, mostValues).map((group) => String(group[2]))
      return [
        { code, relation: relation.name, column, count, examples, message: says(count, valuesText(groups)), remedy },
      ]
    },
  }
}

const valuesText = (groups: readonly Row[]) => {
  const each = groups.slice(0, mostValues).map(([code, n]) => `${code === null ? 'none' : String(code)} (${String(n)})`)
  return `${each.join(', ')}${groups.length > mostValues ? ` and ${groups.length - mostValues} others` : ''}`
}
