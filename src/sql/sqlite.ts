// Queries in SQLite. They call two functions that a connection registers: contains() and keep_going().
import { caseForms } from './case-forms.ts'
import { quote, type Dialect } from './dialect.ts'
import { sqliteSchema } from './sqlite-schema.ts'

const listAsTable = (list: string, alias: string) => `(SELECT value AS id FROM json_each(${list})) ${alias}`

export const sqlite: Dialect = {
  ...sqliteSchema,
  placeholder: (position) => `?${position}`,
  direction: (descending) => (descending ? 'DESC' : 'ASC'),
  integerList: (integers) => `[${integers.join(',')}]`,
  isInList: (expression, list) => `${expression} IN (SELECT value FROM json_each(${list}))`,
  listAsTable,
  // CROSS JOIN keeps SQLite from reordering the join, which may read the whole table.
  rowsInList: (table, list) => ({
    from: `${listAsTable(list, 'o')} CROSS JOIN ${table} t`,
    condition: 't."id" = o.id',
  }),
  // LIKE takes half the time of contains() or less, which calls JavaScript for each row.
  contains(expressions, text, bind) {
    const patterns = likePatterns(text)?.map((pattern) => bind(pattern))
    if (!patterns) return `contains(${[bind(text), ...expressions].join(', ')})`
    const isLike = expressions.flatMap((each) => patterns.map((pattern) => `${each} LIKE ${pattern} ESCAPE '\\'`))
    return `(${isLike.join(' OR ')})`
  },
  exact: (_type, expression) => expression,
  withNulls(relation, present, lacking) {
    const columns = [...present.map(quote), ...lacking.map(([name]) => `NULL AS ${quote(name)}`)]
    return `SELECT ${columns.join(', ')} FROM ${relation}`
  },
  // node:sqlite cannot interrupt a statement, so about one row in a thousand enters JavaScript. A prime, because ids may come in
  // steps of 2, 10 or 1,000.
  keepGoing: (id) => `(${id} % 1021 OR keep_going())`,
}

const mostPatterns = 4

// LIKE folds ASCII letters only: other letters get one pattern for each of their forms. Undefined if there are too many.
function likePatterns(text: string): string[] | undefined {
  let patterns = ['%']
  for (const character of text) {
    const folded = Array.from(caseForms(character), (form) => (/[A-Z]/.test(form) ? form.toLowerCase() : form))
    const forms = [...new Set(folded)].map((form) => (/[%_\\]/.test(form) ? `\\${form}` : form))
    if (patterns.length * forms.length > mostPatterns) return undefined
    patterns = patterns.flatMap((pattern) => forms.map((form) => pattern + form))
  }
  return patterns.map((pattern) => `${pattern}%`)
}
