// Queries in SQLite. They may call the two functions that a reader registers: contains() and keep_going().
import { nameOf } from '../catalogue/tallies.ts'
import { column, quote, type Dialect } from './dialect.ts'
import { searchTable, sqliteSchema } from './sqlite-schema.ts'
import { cellTable, tallyTable } from './sqlite-tallies.ts'
import { safeTrigrams } from './trigrams.ts'

// A dialect for one database: views, say, have neither search indexes nor tallies.
export const sqlite = (searchIndexes: ReadonlySet<string>, tallies: ReadonlySet<string> = new Set()): Dialect => ({
  ...sqliteSchema,
  placeholder: (position) => `?${position}`,
  isTrue: (expression, wanted) => `${expression} = ${wanted ? 1 : 0}`,
  direction: (descending) => (descending ? 'DESC' : 'ASC'),
  // `+ 0`: SQLite prepares a statement anew whenever a value it has planned with changes, and it plans with a bare limit.
  limit: (limit, offset) => `LIMIT ${limit} + 0 OFFSET ${offset} + 0`,
  mergeable: (select) => select,
  askEach: '',
  integerList: (integers) => `[${integers.join(',')}]`,
  isInList: (expression, list) => `${expression} IN (SELECT value FROM json_each(${list}))`,
  listAsTable: (list, alias) => `(SELECT value AS id FROM json_each(${list})) ${alias}`,

  contains({ relation, alias, columns, text }, bind) {
    const exact = `contains(${[bind(text), ...columns.map((name) => column(alias, name))].join(', ')})`
    // The index only narrows: it may name too many rows, never too few, and contains() decides.
    const trigrams = searchIndexes.has(relation.name) ? safeTrigrams(text) : []
    if (trigrams.length === 0) return exact
    const match = trigrams.map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(' AND ')
    const table = quote(searchTable(relation))
    return `${column(alias, 'id')} IN (SELECT rowid FROM ${table} WHERE ${table} MATCH ${bind(match)}) AND ${exact}`
  },

  hasTally: (tally) => tallies.has(nameOf(tally)),
  isTallied: () => 'true',
  tallyRows: (tally) =>
    `(SELECT n.axis, n.bucket, n.n, c.* FROM ${tallyTable(tally)} n CROSS JOIN ${cellTable(tally)} c ON c.cell = n.cell) t`,

  // node:sqlite cannot interrupt a statement: one row in about a thousand asks whether to go on. A prime, because ids
  // may come in steps of 2, 10 or 1,000.
  keepGoing: (id) => `(${id} % 1021 OR keep_going())`,
})
