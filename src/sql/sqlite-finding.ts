// How SQLite finds and counts what holds a text: by its search indexes, where there are any. They only narrow what is listed: they may
// name too many records, never too few.
import type { Relation } from '../contract/relation.ts'
import { column, quote, type Bind, type Dialect, type Found } from './dialect.ts'
import { likePatterns } from './like.ts'
import {
  cellOf,
  memberTable,
  groupTable,
  groupWordTable,
  idOf,
  rowOf,
  searchCellTable,
  searchTable,
} from './sqlite-search.ts'
import { keepGoing } from './sqlite-values.ts'
import { isSafe, safeTrigrams } from './trigrams.ts'
import { hasDigit, isWhole, tellingPart } from './words.ts'

// How many rows of a relation its search index names, as far as is known: for choosing, not for counting.
export type FrequencyOf = (relation: Relation, match: string) => number

interface Means {
  readonly searchIndexes?: Pick<ReadonlySet<string>, 'has'>
  readonly frequencyOf?: FrequencyOf
  // To read so many takes as long as to count them and to read a page of them then.
  readonly few?: number
}

export const sqliteFinding = ({
  searchIndexes = new Set(),
  frequencyOf = () => Number.POSITIVE_INFINITY,
  few = 0,
}: Means = {}): Pick<Dialect, 'contains' | 'found'> => ({
  contains({ relation, alias, columns, text, met }, bind) {
    const like = likeTerm(text, bind)
    const exact = like
      ? `(${columns.map((name) => like(column(alias, name))).join(' OR ')})`
      : `contains(${[bind(text), ...columns.map((name) => column(alias, name))].join(', ')})`
    if (met === 'each' || !searchIndexes.has(relation.name)) return exact
    const ids = hasDigit(text) ? idsByRecord() : idsByGroup()
    if (!ids) return exact
    // Only compared with: the list is followed, by an index that has the ids as well.
    const id = met ? `+${column(alias, 'id')}` : column(alias, 'id')
    return `${id} IN (${ids}) AND ${exact}`

    function idsByGroup(): string | undefined {
      const match = isPhrase(text) ? phraseOf(text) : anyTrigrams(text)
      const groups = match ? matching(relation, match, bind) : like && alike(relation, like)
      return groups && `SELECT m."id" FROM ${quote(memberTable(relation))} m WHERE m.grp IN (${groups})`
    }

    function idsByRecord(): string | undefined {
      const table = quote(searchTable(relation))
      const trigrams = rareTrigrams(relation, text, { frequencyOf, few })
      // Each of them may be in many rows that do not hold the whole.
      const phrase = isPhrase(text) ? phraseOf(text) : trigrams
      const match = phrase !== trigrams && frequencyOf(relation, trigrams) > few ? phrase : trigrams
      if (match) return `SELECT ${idOf('rowid')} FROM ${table} WHERE ${table} MATCH ${bind(match)}`
      // Too short for the index: its own copy of the words is read instead, which is less than the records.
      return (
        like &&
        `SELECT ${idOf('w.id')} FROM ${wordTable(relation)} w WHERE ${keepGoing(`(${idOf('w.id')})`)} AND (${like('w.c0')})`
      )
    }
  },

  found(relations, { columns, text }) {
    if (!relations.every((each) => searchIndexes.has(each.name) && isWhole(each, { columns }))) return undefined
    if (hasDigit(text) && isRare(relations)) return 'few'
    // What is too short or too long for the index is looked for in the words themselves; there, a line ends what is of one column.
    const isSought = (isSafe(text) || safeTrigrams(text).length === 0) && !text.includes('\n')
    if (!isPhrase(text) && !(isSought && likePatterns(text))) return undefined
    return relations.map((relation) => (hasDigit(text) ? foundByRecord : foundByGroup)(relation, text))

    function isRare(all: readonly Relation[]): boolean {
      const rows = all.map((relation) => {
        const match = rareTrigrams(relation, text, { frequencyOf, few })
        return match ? frequencyOf(relation, match) : Number.POSITIVE_INFINITY
      })
      return rows.reduce((sum, each) => sum + each, 0) <= few
    }
  },
})

function foundByGroup(relation: Relation, text: string): Found {
  const [groups, table] = [`${quote(groupTable(relation))} g`, quote(groupWordTable(relation))]
  const isAlike = (bind: Bind) => `(${likeTerm(text, bind)?.('g.words') ?? 'false'})`
  const byPhrase = (bind: Bind) => `f.${table} MATCH ${bind(phraseOf(text))} AND g.grp = f.rowid`
  const from = isPhrase(text) ? `${table} f CROSS JOIN ${groups}` : groups
  const condition = isPhrase(text) ? byPhrase : isAlike
  return {
    from,
    row: 'g.grp',
    many: 'coalesce(sum(g.n), 0)',
    id: () => 'NULL',
    condition,
    cell: 'g.cell',
    cells: quote(searchCellTable(relation)),
    records: {
      from: `${from} CROSS JOIN ${quote(memberTable(relation))} m`,
      id: 'm."id"',
      condition: (least, bind) => `${condition(bind)} AND m.grp = g.grp AND m."id" >= ${least}`,
    },
  }
}

function foundByRecord(relation: Relation, text: string): Found {
  const table = quote(searchTable(relation))
  const [from, row] = isPhrase(text) ? [`${table} f`, 'f.rowid'] : [`${wordTable(relation)} w`, 'w.id']
  const isIn = (bind: Bind) =>
    isPhrase(text) ? `f.${table} MATCH ${bind(phraseOf(text))}` : `(${likeTerm(text, bind)?.('w.c0') ?? 'false'})`
  return {
    from,
    row,
    many: 'count(*)',
    id: (end) => idOf(`${end}(${row})`),
    condition: isIn,
    cell: `(${cellOf(row)})`,
    cells: quote(searchCellTable(relation)),
    records: { from, id: `(${idOf(row)})`, condition: (least, bind) => `${row} >= ${rowOf(least)} AND ${isIn(bind)}` },
  }
}

// SQLite's own copy of what is indexed.
const wordTable = (relation: Relation) => quote(`${searchTable(relation)}_content`)

// Groups, by the index of their words or by the words themselves.
const matching = (relation: Relation, match: string, bind: Bind) => {
  const table = quote(groupWordTable(relation))
  return `SELECT rowid FROM ${table} WHERE ${table} MATCH ${bind(match)}`
}
const alike = (relation: Relation, like: (expression: string) => string) =>
  `SELECT g.grp FROM ${quote(groupTable(relation))} g WHERE ${keepGoing('g.grp')} AND (${like('g.words')})`

const phraseOf = (text: string) => `"${text.replaceAll('"', '""')}"`

// A phrase takes time for each of its trigrams in each row that holds them, and cannot be stopped before it has found one: where a long
// one is not rare (a hundred times the same letter, say), all words are sooner read.
const longestPhrase = 24
const isPhrase = (text: string) => isSafe(text) && text.length <= longestPhrase

// More of them narrow little, and take time.
const mostTrigrams = 3

const anyTrigrams = (text: string) => safeTrigrams(text).slice(0, mostTrigrams).map(phraseOf).join(' AND ')

function rareTrigrams(relation: Relation, text: string, { frequencyOf, few }: Required<Omit<Means, 'searchIndexes'>>) {
  const all = trigramsFromEnd(text)
  if (all.length <= mostTrigrams) return all.join(' AND ')
  const last = trigramsFromEnd(tellingPart(text)).slice(0, mostTrigrams).join(' AND ')
  if (frequencyOf(relation, last) <= few) return last
  // To weigh each of them takes longer, and is mostly not needed.
  return all
    .map((match) => ({ match, rows: frequencyOf(relation, match) }))
    .toSorted((one, other) => one.rows - other.rows)
    .slice(0, mostTrigrams)
    .map(({ match }) => match)
    .join(' AND ')
}

// Numbers end in what tells them apart.
const trigramsFromEnd = (text: string) => safeTrigrams(text).map(phraseOf).toReversed()

// Undefined where it would take too many patterns.
function likeTerm(text: string, bind: Bind): ((expression: string) => string) | undefined {
  const patterns = likePatterns(text)?.map((pattern) => bind(pattern))
  return (
    patterns && ((expression) => patterns.map((pattern) => `${expression} LIKE ${pattern} ESCAPE '\\'`).join(' OR '))
  )
}
