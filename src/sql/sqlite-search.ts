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
const words = (relation: Relation, row: string) =>
  relation.search.map((name) => `coalesce(${row}${quote(name)}, '')`).join(' || char(10) || ')

const cellBits = 20
const cellsPerId = 2 ** cellBits
const mostIndexedId = 2 ** (63 - cellBits) - 1
// The parts of a row's number.
export const idOf = (row: string) => `${row} >> ${cellBits}`
export const cellOf = (row: string) => `${row} & ${cellsPerId - 1}`
// The least that the number of a record's row can be.
export const rowOf = (id: string) => `(${id} << ${cellBits})`

// A record that has no place in the index; where there is one, the index is not used from then on. (A text that holds a NUL ends
// there when it is compared, and does not in the index; a BLOB is no text.)
const oddCell = -1
export const hasOdd = (relation: Relation) => `SELECT 1 FROM ${cells(relation)} WHERE cell = ${oddCell}`
const isOdd = (relation: Relation, row: string) =>
  `(typeof(${row}"id") <> 'integer' OR ${row}"id" NOT BETWEEN 0 AND ${mostIndexedId} OR instr(${words(relation, row)}, char(0)) > 0` +
  ` OR 'blob' IN (${relation.search.map((name) => `typeof(${row}${quote(name)})`).join(', ')}))`

const sameTraits = (relation: Relation, one: string, other: string) =>
  traitsOfRelation(relation)
    .map((name) => `${one}${quote(name)} IS ${other}${quote(name)}`)
    .join(' AND ')

// Puts rows into the index, given as something to select from: their combinations of traits, where they are new; whether one of them
// has no place; and their words. (A writer's own OR FAIL, say, holds within its triggers, too: nothing here may meet a conflict.)
function adding(relation: Relation, rows: string): string[] {
  const traits = traitsOfRelation(relation)
  const isKnown = `EXISTS (SELECT 1 FROM ${cells(relation)} c WHERE c.cell >= 0 AND ${sameTraits(relation, 'c.', 's.')})`
  const isTooMany = `(SELECT max(cell) FROM ${cells(relation)}) >= ${cellsPerId}`
  return [
    // A column of the point-of-sale system may take capitals and small letters for the same.
    `INSERT INTO ${cells(relation)} (${list(traits)})\n` +
      `    SELECT DISTINCT ${traits.map((name) => `s.${quote(name)} COLLATE BINARY`).join(', ')} FROM ${rows} s WHERE NOT ${isKnown}`,
    `INSERT INTO ${cells(relation)} (cell) SELECT ${oddCell}\n` +
      `    WHERE (EXISTS (SELECT 1 FROM ${rows} s WHERE ${isOdd(relation, 's.')}) OR ${isTooMany}) AND NOT EXISTS (${hasOdd(relation)})`,
    `INSERT OR REPLACE INTO ${quoted(relation)} (rowid, words)\n` +
      `    SELECT s."id" * ${cellsPerId} + c.cell, ${words(relation, 's.')} FROM ${rows} s CROSS JOIN ${cells(relation)} c\n` +
      `    WHERE c.cell BETWEEN 0 AND ${cellsPerId - 1} AND ${sameTraits(relation, 'c.', 's.')} AND NOT ${isOdd(relation, 's.')}`,
  ]
}

// As SQLite keeps them.
export const makeSearchTable = (relation: Relation) =>
  `CREATE VIRTUAL TABLE ${quoted(relation)} USING fts5 (words, tokenize = 'trigram', columnsize = 0)`
export const makeCellTable = (relation: Relation) =>
  `CREATE TABLE ${cells(relation)} (cell INTEGER PRIMARY KEY, ${list(traitsOfRelation(relation))})`

export function searchTriggers(relation: Relation): Trigger[] {
  const columns = [...new Set(['id', ...relation.search, ...traitsOfRelation(relation)])]
  const remove = (row: string) =>
    `DELETE FROM ${quoted(relation)} WHERE rowid BETWEEN ${row}."id" * ${cellsPerId} AND ${row}."id" * ${cellsPerId} + ${cellsPerId - 1};`
  const written = `(SELECT ${columns.map((name) => `new.${quote(name)} AS ${quote(name)}`).join(', ')})`
  const add = adding(relation, written).join(';\n  ')
  const changed = columns.map((name) => `old.${quote(name)} IS NOT new.${quote(name)}`).join(' OR ')
  const trigger = (event: string, when: string, body: string) => {
    const name = `${relation.name}_search_${event.toLowerCase()}`
    const on = `AFTER ${event} ON ${quote(relation.name)}${when}`
    return { name, statement: `CREATE TRIGGER ${quote(name)} ${on}\nBEGIN\n  ${body}\nEND` }
  }
  return [
    trigger('INSERT', '', `${remove('new')}\n  ${add};`),
    trigger('UPDATE', ` WHEN ${changed}`, `${remove('old')}\n  ${remove('new')}\n  ${add};`),
    trigger('DELETE', '', remove('old')),
  ]
}

// The tables, still empty, and the triggers: they may be on another table, which took them along when it was renamed.
export const makeSearch = (relation: Relation): string[] => [
  ...searchTriggers(relation).map(({ name }) => `DROP TRIGGER IF EXISTS ${quote(name)}`),
  `DROP TABLE IF EXISTS ${quoted(relation)}`,
  `DROP TABLE IF EXISTS ${cells(relation)}`,
  makeSearchTable(relation),
  makeCellTable(relation),
  `CREATE INDEX ${quote(`${searchCellTable(relation)}_by_traits`)} ON ${cells(relation)} (${list(traitsOfRelation(relation))})`,
  ...searchTriggers(relation).map(({ statement }) => statement),
]

// The combinations of what is there, in their order: those that a list asks for then follow one another.
export function numberCells(relation: Relation): string {
  const [number = ''] = fillSearch(relation)
  return `${number} ORDER BY ${traitsOfRelation(relation)
    .map((_, at) => at + 1)
    .join(', ')}`
}

// Rows that were there before the triggers, whatever of them is there already: all, or some at a time.
export const fillSearch = (relation: Relation, which = '') =>
  adding(relation, `(SELECT * FROM ${quote(relation.name)}${which})`)

// The row that tells when it was made has a number that no record has.
const madeId = '-9223372036854775808'

export const trustSearch = (relation: Relation) =>
  `INSERT OR REPLACE INTO ${quoted(relation)} (rowid, words) SELECT ${madeId}, 'made ' || ${schemaVersion}`

export const isSearchTrusted = (relation: Relation) =>
  `SELECT 1 FROM ${quoted(relation)} WHERE rowid = ${madeId} AND words = 'made ' || ${schemaVersion}` +
  ` AND NOT EXISTS (${hasOdd(relation)})`
