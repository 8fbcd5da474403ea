// Queries in PostgreSQL and compatible servers. Nothing here depends on the locale of the database.
import { anyCasePattern, hasForms } from './case-forms.ts'
import { beyondCalendar, quote, type Bind, type Dialect } from './dialect.ts'
import { postgresSchema, postgresTypes } from './postgres-schema.ts'

// Texts without letters, such as numbers, are found by LIKE: four times as fast as a regular expression.
const matches = (text: string, bind: Bind) =>
  hasForms(text) ? `~ ${bind(anyCasePattern(text))}` : `LIKE ${bind(`%${text.replaceAll(/[\\%_]/g, '\\$&')}%`)}`

const isInList = (expression: string, list: string) => `${expression} = ANY (${list}::bigint[])`

export const postgres: Dialect = {
  ...postgresSchema,
  // With a type, because the server would take that of the column, which may be too small.
  placeholder: (position, value) => (typeof value === 'number' ? `$${position}::bigint` : `$${position}`),
  direction: (descending, isKey) =>
    (descending ? 'DESC' : 'ASC') + (isKey ? '' : descending ? ' NULLS LAST' : ' NULLS FIRST'),
  integerList: (integers) => `{${integers.join(',')}}`,
  isInList,
  listAsTable: (list, alias) => `unnest(${list}::bigint[]) AS ${alias} (id)`,
  // Not a join: foreign data wrappers send this condition to their server, and would read the whole table for a join.
  rowsInList: (table, list) => ({ from: `${table} t`, condition: isInList('t."id"', list) }),
  contains(expressions, text, bind) {
    const condition = matches(text, bind)
    return `(${expressions.map((expression) => `${expression} COLLATE "C" ${condition}`).join(' OR ')})`
  },
  exact(type, expression) {
    if (type === 'num') return `(${expression})::text`
    if (type !== 'time') return expression
    const isUsual = `${expression} >= '0001-01-01' AND ${expression} < '10000-01-01'`
    return `CASE WHEN ${isUsual} THEN to_char(${expression}, 'YYYY-MM-DD"T"HH24:MI:SS') WHEN ${expression} IS NOT NULL THEN '${beyondCalendar}' END`
  },
  // Names without the relation: as soon as it has such a column, the name is ambiguous and the statement fails, so that the connection
  // looks at the columns again.
  withNulls(relation, present, lacking) {
    const names = [...present, ...lacking.map(([name]) => name)].map(quote)
    const nulls = lacking.map(([name, type]) => `NULL::${postgresTypes[type]} AS ${quote(name)}`)
    return `SELECT ${names.join(', ')} FROM ${relation} CROSS JOIN (SELECT ${nulls.join(', ')}) AS nulls`
  },
  keepGoing: () => '',
}
