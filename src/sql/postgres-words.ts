// The words of records in PostgreSQL, digits aside, and how many records have them, by their traits: part of each tally, and kept as
// it is. Most words are those of many records, the name of a customer say: a text without a digit is looked for among a few of them,
// instead of in all records.
import { nameOf, type Tally } from '../catalogue/tallies.ts'
import { quote } from './dialect.ts'
import { trigramIndex } from './postgres-trigrams.ts'
import { list } from './tally-terms.ts'

export const wordsTable = (tally: Tally) => `${nameOf(tally)}_tally_words`
export const wordsIndex = (tally: Tally) => `${wordsTable(tally)}_by_words`
const table = (tally: Tally) => quote(wordsTable(tally))

export const wordsColumns = (tally: Tally) => ['cell', 'words', ...tally.traits, 'n']

// As a text, whatever the type of a column; a line ends what is of one.
export function wordsOf({ relations: [relation] }: Tally, row: string): string {
  const columns = relation?.search.map((name) => `${row}${quote(name)}`) ?? []
  return `(translate(concat(${columns.join(', chr(10), ')}), '123456789', '000000000') COLLATE "C")`
}

// Texts may be too long for an index: they are told apart by a hash.
const keyOf = (tally: Tally) =>
  `encode(sha256(convert_to(ROW(words, ${list(tally.traits)})::text, getdatabaseencoding())), 'hex')`

export const makeWords = (tally: Tally): string[] => [
  // With room on each page: a count that changes is then written beside, and no index has to know.
  `CREATE TABLE IF NOT EXISTS ${table(tally)} WITH (fillfactor = 70) AS SELECT ''::text COLLATE "C" AS cell, ''::text COLLATE "C" AS words,` +
    ` ${list(tally.traits)}, 0::bigint AS n FROM ${quote(nameOf(tally))} WITH NO DATA`,
  `CREATE UNIQUE INDEX IF NOT EXISTS ${quote(`${wordsTable(tally)}_key`)} ON ${table(tally)} (cell)`,
  `CREATE INDEX IF NOT EXISTS ${quote(wordsIndex(tally))} ON ${table(tally)} ${trigramIndex('words')}`,
]

const counted = (tally: Tally, rows: string) =>
  `INSERT INTO ${table(tally)} AS w (${list(wordsColumns(tally))})\n` +
  `  SELECT ${keyOf(tally)}, words, ${list(tally.traits)}, sum(n) FROM ${rows} GROUP BY words, ${list(tally.traits)}`

// Rows with their words, which were counted in (1) or out (-1).
export const foldWords = (tally: Tally, rows: string) =>
  `${counted(tally, rows)} HAVING sum(n) <> 0\n  ON CONFLICT (cell) DO UPDATE SET n = w.n + excluded.n RETURNING cell, n`

// Nothing is kept of words that no record has any more.
export const removeWords = (tally: Tally, cells: string) => `DELETE FROM ${table(tally)} WHERE cell = ANY (${cells})`

export function fillWords(tally: Tally): string {
  const rows = tally.relations.map(
    ({ name }) => `SELECT ${wordsOf(tally, 's.')} AS words, ${list(tally.traits, 's.')}, 1 AS n FROM ${quote(name)} s`,
  )
  // The same words together: who looks for them reads fewer pages.
  return `${counted(tally, `(${rows.join(' UNION ALL ')}) s`)} ORDER BY words`
}

// `others`: rows with words, traits and n that are not in the counts yet, and those that are taken off.
export function wordRows(tally: Tally, others: readonly string[]): string {
  const columns = ['words', ...tally.traits, 'n']
  const parts = [table(tally), ...others].map((rows) => `SELECT ${list(columns, 'p.')} FROM ${rows} p`)
  return `(${parts.join(' UNION ALL ')}) t`
}
