// How SQLite finds and counts what holds a text: by its search indexes, where there are any.
import type { Relation } from '../contract/relation.ts'
import { column, quote, type Bind, type Dialect, type Found } from './dialect.ts'
import { likePatterns } from './like.ts'
import { cellOf, idOf, rowOf, searchCellTable, searchTable } from './sqlite-search.ts'
import { keepGoing } from './sqlite-values.ts'
import { isSafe, safeTrigrams } from './trigrams.ts'

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
  contains({ relation, alias, columns, text, isMet }, bind) {
    const like = likeTerm(text, bind)
    const exact = like
      ? `(${columns.map((name) => like(column(alias, name))).join(' OR ')})`
      : `contains(${[bind(text), ...columns.map((name) => column(alias, name))].join(', ')})`
    if (isMet || !searchIndexes.has(relation.name)) return exact
    const table = quote(searchTable(relation))
    const among = (select: string) => `${column(alias, 'id')} IN (${select}) AND ${exact}`
    // The index only narrows: it may name too many rows, never too few.
    const trigrams = matchOf(relation, text, frequencyOf)
    // Each of them may be in many rows that do not hold the whole.
    const phrase = isPhrase(text) ? phraseOf(text) : trigrams
    const match = phrase !== trigrams && frequencyOf(relation, trigrams) > few ? phrase : trigrams
    if (match) return among(`SELECT ${idOf('rowid')} FROM ${table} WHERE ${table} MATCH ${bind(match)}`)
    if (!like) return exact
    // Too short for the index: its own copy of the words is read instead, which is a tenth of the records.
    return among(
      `SELECT ${idOf('w.id')} FROM ${wordTable(relation)} w WHERE ${keepGoing(`(${idOf('w.id')})`)} AND (${like('w.c0')})`,
    )
  },

  found(relations, { columns, text }) {
    const isWhole = ({ name, search }: Relation) =>
      searchIndexes.has(name) && columns.toSorted().join() === search.toSorted().join()
    if (!relations.every(isWhole)) return undefined
    if (isRare(relations)) return 'few'
    if (isPhrase(text)) return relations.map((relation) => byPhrase(relation, text))
    // What is too short or too long for the index is looked for in its copy; there, a line ends what is of one column.
    const isSought = (isSafe(text) || safeTrigrams(text).length === 0) && !text.includes('\n')
    if (!isSought || !likePatterns(text)) return undefined
    return relations.map((relation) => inWords(relation, text))

    function isRare(all: readonly Relation[]): boolean {
      const rows = all.map((relation) => {
        const match = matchOf(relation, text, frequencyOf)
        return match ? frequencyOf(relation, match) : Number.POSITIVE_INFINITY
      })
      return rows.reduce((sum, each) => sum + each, 0) <= few
    }
  },
})

function byPhrase(relation: Relation, text: string): Found {
  const table = quote(searchTable(relation))
  return foundAs(relation, `${table} f`, 'f.rowid', (bind) => `f.${table} MATCH ${bind(phraseOf(text))}`)
}

const inWords = (relation: Relation, text: string): Found =>
  foundAs(relation, `${wordTable(relation)} w`, 'w.id', (bind) => `(${likeTerm(text, bind)?.('w.c0') ?? 'false'})`)

const foundAs = (relation: Relation, from: string, row: string, condition: Found['condition']): Found => ({
  from,
  condition,
  row,
  rowOf,
  id: `(${idOf(row)})`,
  cell: `(${cellOf(row)})`,
  cells: quote(searchCellTable(relation)),
})

// SQLite's own copy of what is indexed.
const wordTable = (relation: Relation) => quote(`${searchTable(relation)}_content`)

const phraseOf = (text: string) => `"${text.replaceAll('"', '""')}"`

// A phrase takes time for each of its trigrams in each row that holds them, and cannot be stopped before it has found one: where a long
// one is not rare (a hundred times the same letter, say), all words are sooner read.
const longestPhrase = 24
const isPhrase = (text: string) => isSafe(text) && text.length <= longestPhrase

// Of those that are rarest: more of them narrow little, and take time.
const mostTrigrams = 3

function matchOf(relation: Relation, text: string, frequencyOf: FrequencyOf): string {
  const all = safeTrigrams(text).map(phraseOf)
  if (all.length <= mostTrigrams) return all.join(' AND ')
  return all
    .map((match) => ({ match, rows: frequencyOf(relation, match) }))
    .toSorted((one, other) => one.rows - other.rows)
    .slice(0, mostTrigrams)
    .map(({ match }) => match)
    .join(' AND ')
}

// Undefined where it would take too many patterns.
function likeTerm(text: string, bind: Bind): ((expression: string) => string) | undefined {
  const patterns = likePatterns(text)?.map((pattern) => bind(pattern))
  return (
    patterns && ((expression) => patterns.map((pattern) => `${expression} LIKE ${pattern} ESCAPE '\\'`).join(' OR '))
  )
}
