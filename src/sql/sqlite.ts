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
  listAsTable: (list, alias) => `(SELECT value AS id FROM json_each(${list})) ${alias}`,

  meetsNamed: true,
  ...finding,

  hasTally: (tally) => tallies.has(nameOf(tally)),
  isTallied: () => 'true',
  tallyWords: () => undefined,
  tallyRows: (tally) =>
    `(SELECT n.axis, n.bucket, n.n, n.changes, c.* FROM ${tallyTable(tally)} n CROSS JOIN ${cellTable(tally)} c ON c.cell = n.cell) t`,

  bucketVersion: () => 'sum(t.changes)',

  keepGoing,
})
