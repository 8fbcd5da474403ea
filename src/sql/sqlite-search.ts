// Search indexes in SQLite: beside each searched relation a table of the trigrams of its words, kept by triggers. It keeps its own
// copy of the words, so that a writer's INSERT OR REPLACE (which fires no delete trigger) cannot leave it wrong: each trigger
// removes what there is of a row, then adds.
//
// The number of a row in it is that of the record and, below it, that of its combination of traits: what a search finds can be
// counted, for whatever traits, without a look at the records.
import { traitsOfRelation } from '../catalogue/tallies.ts'
import type { Relation } from '../contract/relation.ts'
import { quote } from './dialect.ts'
import { schemaVersion, type Trigger } from './sqlite-derived.ts'
import { list } from './tally-terms.ts'

export const searchTable = (relation: Relation) => `${relation.name}_search`
// The combinations of traits there are.
export const searchCellTable = (relation: Relation) => `${relation.name}_search_cells`

const quoted = (relation: Relation) => quote(searchTable(relation))
const cells = (relation: Relation) => quote(searchCellTable(relation))
const traitsOf = traitsOfRelation
const words = (relation: Relation, row: string) =>
  relation.search.map((name) => `coalesce(${row}${quote(name)}, '')`).join(' || char(10) || ')

const cellBits = 20
const cellsPerId = 2 ** cellBits
const mostId = 2 ** (63 - cellBits) - 1
// The parts of a row's number.
export const idOf = (row: string) => `${row} >> ${cellBits}`
export const cellOf = (row: string) => `${row} & ${cellsPerId - 1}`

// A record that has no place in the index; where there is one, the index is not used from then on. (A text that holds a NUL ends
// there when it is compared, and does not in the index; a BLOB is no text.)
const oddCell = -1
export const hasOdd = (relation: Relation) => `SELECT 1 FROM ${cells(relation)} WHERE cell = ${oddCell}`
const isOdd = (relation: Relation, row: string) =>
  `(typeof(${row}"id") <> 'integer' OR ${row}"id" NOT BETWEEN 0 AND ${mostId} OR instr(${words(relation, row)}, char(0)) > 0` +
  ` OR 'blob' IN (${relation.search.map((name) => `typeof(${row}${quote(name)})`).join(', ')}))`
const markOdd = (relation: Relation, condition: string) =>
  // (No OR IGNORE: within a trigger it is what the writer's own statement says.)
  `INSERT INTO ${cells(relation)} (cell) SELECT ${oddCell} WHERE (${condition}` +
  ` OR (SELECT max(cell) FROM ${cells(relation)}) >= ${cellsPerId}) AND NOT EXISTS (${hasOdd(relation)});`

const sameTraits = (relation: Relation, one: string, other: string) =>
  ['true', ...traitsOf(relation).map((name) => `${one}${quote(name)} IS ${other}${quote(name)}`)].join(' AND ')

// As SQLite keeps it.
export const makeSearchTable = (relation: Relation) =>
  `CREATE VIRTUAL TABLE ${quoted(relation)} USING fts5 (words, tokenize = 'trigram', columnsize = 0)`

export function searchTriggers(relation: Relation): Trigger[] {
  const traits = traitsOf(relation)
  const remove = (row: string) =>
    `DELETE FROM ${quoted(relation)} WHERE rowid BETWEEN ${row}."id" * ${cellsPerId} AND ${row}."id" * ${cellsPerId} + ${cellsPerId - 1};`
  const add =
    `INSERT INTO ${cells(relation)} (${list(['cell', ...traits])}) SELECT ${['NULL', list(traits, 'new.')].filter(Boolean).join(', ')}\n` +
    `    WHERE NOT EXISTS (SELECT 1 FROM ${cells(relation)} c WHERE c.cell >= 0 AND ${sameTraits(relation, 'c.', 'new.')});\n` +
    `  ${markOdd(relation, isOdd(relation, 'new.'))}\n` +
    `  INSERT INTO ${quoted(relation)} (rowid, words)\n` +
    `    SELECT new."id" * ${cellsPerId} + c.cell, ${words(relation, 'new.')} FROM ${cells(relation)} c\n` +
    `    WHERE c.cell BETWEEN 0 AND ${cellsPerId - 1} AND ${sameTraits(relation, 'c.', 'new.')} AND NOT ${isOdd(relation, 'new.')};`
  const changed = ['id', ...relation.search, ...traits]
    .map((name) => `old.${quote(name)} IS NOT new.${quote(name)}`)
    .join(' OR ')
  const trigger = (event: string, when: string, body: string) => {
    const name = `${relation.name}_search_${event.toLowerCase()}`
    const on = `AFTER ${event} ON ${quote(relation.name)}${when}`
    return { name, statement: `CREATE TRIGGER ${quote(name)} ${on}\nBEGIN\n  ${body}\nEND` }
  }
  return [
    trigger('INSERT', '', `${remove('new')}\n  ${add}`),
    trigger('UPDATE', ` WHEN ${changed}`, `${remove('old')}\n  ${remove('new')}\n  ${add}`),
    trigger('DELETE', '', remove('old')),
  ]
}

// The table, still empty, and the triggers: they may be on another table, which took them along when it was renamed.
export function makeSearch(relation: Relation): string[] {
  const traits = traitsOf(relation)
  const table = quote(relation.name)
  return [
    ...searchTriggers(relation).map(({ name }) => `DROP TRIGGER IF EXISTS ${quote(name)}`),
    `DROP TABLE IF EXISTS ${quoted(relation)}`,
    `DROP TABLE IF EXISTS ${cells(relation)}`,
    makeSearchTable(relation),
    `CREATE TABLE ${cells(relation)} (cell INTEGER PRIMARY KEY, ${list(traits)})`,
    `CREATE INDEX ${quote(`${searchCellTable(relation)}_by_traits`)} ON ${cells(relation)} (${list(traits)})`,
    `INSERT INTO ${cells(relation)} (${list(traits)}) SELECT DISTINCT ${list(traits)} FROM ${table}`,
    markOdd(relation, `EXISTS (SELECT 1 FROM ${table} s WHERE ${isOdd(relation, 's.')})`),
    ...searchTriggers(relation).map(({ statement }) => statement),
  ]
}

// The words of rows that were there before the triggers, whatever of them is there already: of all rows, or of some at a time.
export const fillSearch = (relation: Relation, which = '') =>
  `INSERT OR REPLACE INTO ${quoted(relation)} (rowid, words)\n` +
  `  SELECT s."id" * ${cellsPerId} + c.cell, ${words(relation, 's.')}\n` +
  `  FROM (SELECT * FROM ${quote(relation.name)}${which}) s CROSS JOIN ${cells(relation)} c\n` +
  `  WHERE c.cell BETWEEN 0 AND ${cellsPerId - 1} AND ${sameTraits(relation, 'c.', 's.')} AND NOT ${isOdd(relation, 's.')}`

// The row that tells when it was made has a number that no record has.
const madeId = '-9223372036854775808'

export const trustSearch = (relation: Relation) =>
  `INSERT OR REPLACE INTO ${quoted(relation)} (rowid, words) SELECT ${madeId}, 'made ' || ${schemaVersion}`

export const isSearchTrusted = (relation: Relation) =>
  `SELECT 1 FROM ${quoted(relation)} WHERE rowid = ${madeId} AND words = 'made ' || ${schemaVersion}`
