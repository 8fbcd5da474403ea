// Queries in SQLite. They may call the two functions that a connection registers: contains() and keep_going().
import type { Bind, Dialect } from './dialect.ts'
import { likePatterns } from './like.ts'
import { sqliteSchema } from './sqlite-schema.ts'
import { keepGoing } from './sqlite-values.ts'

export const sqlite: Dialect = {
  ...sqliteSchema,
  placeholder: (position) => `?${position}`,
  isTrue: (expression, wanted) => `${expression} = ${wanted ? 1 : 0}`,
  direction: (descending) => (descending ? 'DESC' : 'ASC'),
  limit: (limit, offset) => `LIMIT ${limit} OFFSET ${offset}`,
  integerList: (integers) => `[${integers.join(',')}]`,
  isInList: (expression, list) => `${expression} IN (SELECT value FROM json_each(${list}))`,
  listAsTable: (list, alias) => `(SELECT value AS id FROM json_each(${list})) ${alias}`,
  contains(expressions, text, bind) {
    const isAlike = likeTerm(text, bind)
    if (isAlike) return `(${expressions.map(isAlike).join(' OR ')})`
    return `contains(${[bind(text), ...expressions].join(', ')})`
  },
  exact: (_type, expression) => expression,
  keepGoing,
}

// LIKE is far faster than a function of ours. Undefined where it would take too many patterns.
function likeTerm(text: string, bind: Bind): ((expression: string) => string) | undefined {
  const patterns = likePatterns(text)?.map((pattern) => bind(pattern))
  return (
    patterns && ((expression) => patterns.map((pattern) => `${expression} LIKE ${pattern} ESCAPE '\\'`).join(' OR '))
  )
}
