// Queries in SQLite. They may call the two functions that a reader registers: contains() and keep_going().
import { nameOf } from '../catalogue/tallies.ts'
import type { Relation } from '../contract/relation.ts'
import { column, quote, type Bind, type Dialect } from './dialect.ts'
import { likePatterns } from './like.ts'
import { sqliteSchema } from './sqlite-schema.ts'
import { cellOf, idOf, searchCellTable, searchTable } from './sqlite-search.ts'
import { cellTable, tallyTable } from './sqlite-tallies.ts'
import { isSafe, safeTrigrams } from './trigrams.ts'

// node:sqlite cannot interrupt a statement: one row in about a thousand asks whether to go on. A prime, because ids may come
// in steps of 2, 10 or 1,000.
const keepGoing = (id: string) => `(${id} % 1021 OR keep_going())`

// How many rows of a relation its search index names, as far as is known: for choosing, not for counting.
export type FrequencyOf = (relation: Relation, match: string) => number

// A dialect for one database: views, say, have neither search indexes nor tallies.
export const sqlite = (
  searchIndexes: Pick<ReadonlySet<string>, 'has'>,
  tallies: ReadonlySet<string> = new Set(),
  frequencyOf: FrequencyOf = () => Number.POSITIVE_INFINITY,
  // To read so many takes as long as to count them and to read a page of them then.
  few = 0,
): Dialect => ({
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

  contains({ relation, alias, columns, text, isMet }, bind) {
    const like = likeTerm(text, bind)
    const exact = like
      ? `(${columns.map((name) => like(column(alias, name))).join(' OR ')})`
      : `contains(${[bind(text), ...columns.map((name) => column(alias, name))].join(', ')})`
    if (isMet || !searchIndexes.has(relation.name)) return exact
    const table = quote(searchTable(relation))
    const among = (select: string) => `${column(alias, 'id')} IN (${select}) AND ${exact}`
    // The index only narrows: it may name too many rows, never too few.
    const match = matchOf(relation, text, frequencyOf)
    if (match) return among(`SELECT ${idOf('rowid')} FROM ${table} WHERE ${table} MATCH ${bind(match)}`)
    if (!like) return exact
    // Too short for the index: its own copy of the words is read instead, which is a tenth of the records.
    return among(
      `SELECT ${idOf('w.id')} FROM ${wordTable(relation)} w WHERE ${keepGoing(`(${idOf('w.id')})`)} AND (${like('w.c0')})`,
    )
  },

  isRare(relations, text) {
    const rows = relations.map((relation) => {
      const match = searchIndexes.has(relation.name) ? matchOf(relation, text, frequencyOf) : ''
      return match ? frequencyOf(relation, match) : Number.POSITIVE_INFINITY
    })
    return rows.reduce((sum, each) => sum + each, 0) <= few
  },

  found({ relation, columns, text }, bind) {
    const isWhole = columns.toSorted().join() === relation.search.toSorted().join()
    if (!isWhole || !searchIndexes.has(relation.name)) return undefined
    const rows = (from: string, row: string, condition: string) => ({
      from,
      condition,
      id: `(${idOf(row)})`,
      cell: `(${cellOf(row)})`,
      cells: quote(searchCellTable(relation)),
    })
    const table = quote(searchTable(relation))
    if (isSafe(text)) return rows(`${table} f`, 'f.rowid', `f.${table} MATCH ${bind(phraseOf(text))}`)
    // A line ends what is copied of one column.
    const like = safeTrigrams(text).length === 0 && !text.includes('\n') ? likeTerm(text, bind) : undefined
    return like && rows(`${wordTable(relation)} w`, 'w.id', `(${like('w.c0')})`)
  },

  hasTally: (tally) => tallies.has(nameOf(tally)),
  isTallied: () => 'true',
  tallyRows: (tally) =>
    `(SELECT n.axis, n.bucket, n.n, n.changes, c.* FROM ${tallyTable(tally)} n CROSS JOIN ${cellTable(tally)} c ON c.cell = n.cell) t`,

  bucketVersion: () => 'sum(t.changes)',

  keepGoing,
})

// SQLite's own copy of what is indexed.
const wordTable = (relation: Relation) => quote(`${searchTable(relation)}_content`)

const phraseOf = (text: string) => `"${text.replaceAll('"', '""')}"`

// Of those that are rarest: more of them narrow little, and take time.
const mostTrigrams = 3

const matchOf = (relation: Relation, text: string, frequencyOf: FrequencyOf) =>
  safeTrigrams(text)
    .map((trigram) => ({ match: phraseOf(trigram), rows: frequencyOf(relation, phraseOf(trigram)) }))
    .toSorted((one, other) => one.rows - other.rows)
    .slice(0, mostTrigrams)
    .map(({ match }) => match)
    .join(' AND ')

// Undefined where it would take too many patterns.
function likeTerm(text: string, bind: Bind): ((expression: string) => string) | undefined {
  const patterns = likePatterns(text)?.map((pattern) => bind(pattern))
  return (
    patterns && ((expression) => patterns.map((pattern) => `${expression} LIKE ${pattern} ESCAPE '\\'`).join(' OR '))
  )
}
