// Queries in SQLite. They call two functions that a connection registers: contains() and keep_going().
import type { Dialect } from './dialect.ts'
import { sqliteSchema } from './sqlite-schema.ts'

export const sqlite: Dialect = {
  ...sqliteSchema,
  placeholder: (position) => `?${position}`,
  direction: (descending) => (descending ? 'DESC' : 'ASC'),
  integerList: (integers) => `[${integers.join(',')}]`,
  isInList: (expression, list) => `${expression} IN (SELECT value FROM json_each(${list}))`,
  listAsTable: (list, alias) => `(SELECT value AS id FROM json_each(${list})) ${alias}`,
  contains: (expressions, text, bind) => `contains(${[bind(text), ...expressions].join(', ')})`,
  exact: (_type, expression) => expression,
  // node:sqlite cannot interrupt a statement, so about one row in a thousand enters JavaScript. A prime, because ids may come in
  // steps of 2, 10 or 1,000.
  keepGoing: (id) => `(${id} % 1021 OR keep_going())`,
}
