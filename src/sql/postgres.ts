// Queries in PostgreSQL, and in what speaks its language. Nothing here depends on the locale of the database.
import { anyCasePattern, hasForms } from './case-forms.ts'
import { beyondCalendar, type Bind, type Dialect } from './dialect.ts'
import { postgresSchema } from './postgres-schema.ts'

// Texts without letters (numbers, say) are compared as they are: in a quarter of the time of a regular expression.
const holding = (text: string, bind: Bind) =>
  hasForms(text) ? `~ ${bind(anyCasePattern(text))}` : `LIKE ${bind(`%${text.replaceAll(/[\\%_]/g, '\\$&')}%`)}`

export const postgres: Dialect = {
  ...postgresSchema,
  // A number says its type: left to itself, the server takes that of the column, which may be too small for it.
  placeholder: (position, value) => (typeof value === 'number' ? `$${position}::bigint` : `$${position}`),
  isTrue: (expression, wanted) => `${expression} = ${wanted}`,
  direction: (descending, isKey) =>
    (descending ? 'DESC' : 'ASC') + (isKey ? '' : descending ? ' NULLS LAST' : ' NULLS FIRST'),
  limit: (limit, offset) => `LIMIT ${limit} OFFSET ${offset}`,
  integerList: (integers) => `{${integers.join(',')}}`,
  isInList: (expression, list) => `${expression} = ANY (${list}::bigint[])`,
  listAsTable: (list, alias) => `unnest(${list}::bigint[]) AS ${alias} (id)`,
  contains(expressions, text, bind) {
    const held = holding(text, bind)
    return `(${expressions.map((expression) => `${expression} COLLATE "C" ${held}`).join(' OR ')})`
  },
  exact(type, expression) {
    if (type === 'num') return `(${expression})::text`
    if (type !== 'time') return expression
    const isUsual = `${expression} >= '0001-01-01' AND ${expression} < '10000-01-01'`
    return `CASE WHEN ${isUsual} THEN to_char(${expression}, 'YYYY-MM-DD"T"HH24:MI:SS') WHEN ${expression} IS NOT NULL THEN '${beyondCalendar}' END`
  },
  // The server stops its statements itself.
  keepGoing: () => '',
}
