// Queries in SQLite. They may call the two functions that a reader registers: contains() and keep_going().
import { nameOf } from '../catalogue/tallies.ts'
import { column, quote, type Dialect } from './dialect.ts'
import { likePatterns } from './like.ts'
import { sqliteSchema } from './sqlite-schema.ts'
import { searchTable } from './sqlite-search.ts'
import { cellTable, tallyTable } from './sqlite-tallies.ts'
import { safeTrigrams } from './trigrams.ts'

// node:sqlite cannot interrupt a statement: one row in about a thousand asks whether to go on. A prime, because ids may come
// in steps of 2, 10 or 1,000.
const keepGoing = (id: string) => `(${id} % 1021 OR keep_going())`

// A dialect for one database: views, say, have neither search indexes nor tallies.
export const sqlite = (searchIndexes: ReadonlySet<string>, tallies: ReadonlySet<string> = new Set()): Dialect => ({
  ...sqliteSchema,
  placeholder: (position) => `?${position}`,
  isTrue: (expression, wanted) => `${expression} = ${wanted ? 1 : 0}`,
  direction: (descending) => (descending ? 'DESC' : 'ASC'),
  // `+ 0`: SQLite prepares a statement anew whenever a value it has planned with changes, and it plans with a bare limit.
  limit: (limit, offset) => `LIMIT ${limit} + 0 OFFSET ${offset} + 0`,
  unindexed: (expression) => `+${expression}`,
  mergeable: (select) => select,
  askEach: '',
  integerList: (integers) => `[${integers.join(',')}]`,
  isInList: (expression, list) => `${expression} IN (SELECT value FROM json_each(${list}))`,
  listAsTable: (list, alias) => `(SELECT value AS id FROM json_each(${list})) ${alias}`,

  contains({ relation, alias, columns, text }, bind) {
    const patterns = likePatterns(text)?.map((pattern) => bind(pattern))
    const like = (expression: string) =>
      patterns?.map((pattern) => `${expression} LIKE ${pattern} ESCAPE '\\'`).join(' OR ')
    const exact = patterns
      ? `(${columns.map((name) => like(column(alias, name))).join(' OR ')})`
      : `contains(${[bind(text), ...columns.map((name) => column(alias, name))].join(', ')})`
    if (!searchIndexes.has(relation.name)) return exact
    const table = searchTable(relation)
    const among = (select: string) => `${column(alias, 'id')} IN (${select})`
    const trigrams = safeTrigrams(text)
    if (trigrams.length > 0) {
      // The index only narrows: it may name too many rows, never too few.
      const match = bind(trigrams.map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(' AND '))
      const narrowed = among(`SELECT rowid FROM ${quote(table)} WHERE ${quote(table)} MATCH ${match}`)
      return `${narrowed} AND ${exact}`
    }
    if (!patterns) return exact
    // Too short for the index: its own copy of the words is read instead, which is a tenth of the records. It, too, only narrows.
    const words = `${quote(`${table}_content`)} w`
    const found = among(`SELECT w.id FROM ${words} WHERE ${keepGoing('w.id')} AND (${like('w.c0')})`)
    return `${found} AND ${exact}`
  },

  hasTally: (tally) => tallies.has(nameOf(tally)),
  isTallied: () => 'true',
  tallyRows: (tally) =>
    `(SELECT n.axis, n.bucket, n.n, n.changes, c.* FROM ${tallyTable(tally)} n CROSS JOIN ${cellTable(tally)} c ON c.cell = n.cell) t`,

  bucketVersion: () => 'sum(t.changes)',

  keepGoing,
})
