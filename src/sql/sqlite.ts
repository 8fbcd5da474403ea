// Queries in SQLite. They may call the two functions that a reader registers: contains() and keep_going().
import { nameOf } from '../catalogue/tallies.ts'
import type { Dialect } from './dialect.ts'
import { sqliteFinding } from './sqlite-finding.ts'
import { sqliteSchema } from './sqlite-schema.ts'
import { cellTable, tallyTable } from './sqlite-tallies.ts'
import { keepGoing } from './sqlite-values.ts'

// A dialect for one database: views, say, have neither search indexes nor tallies.
export const sqlite = (finding = sqliteFinding(), tallies: ReadonlySet<string> = new Set()): Dialect => ({
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
  // CROSS JOIN: a join whose order SQLite keeps; left to itself it reads the whole of a relation that was small once.
  eachOf: (key, list) => ({
    from: `(SELECT value AS id FROM json_each(${list})) o CROSS JOIN `,
    condition: `${key} = o.id`,
  }),
  listAsTable: (list, alias) => `(SELECT value AS id FROM json_each(${list})) ${alias}`,

  ...finding,

  hasTally: (tally) => tallies.has(nameOf(tally)),
  isTallied: () => 'true',
  tallyWords: () => undefined,
  tallyRows: (tally) =>
    `(SELECT n.axis, n.bucket, n.n, n.changes, c.* FROM ${tallyTable(tally)} n CROSS JOIN ${cellTable(tally)} c ON c.cell = n.cell) t`,

  bucketVersion: () => 'sum(t.changes)',

  keepGoing,
})
