// Search indexes in SQLite, beside each searched relation, kept by triggers.
//
// Most words of records are those of many: the name of a customer, the letters that numbers begin with. So records that agree in their
// traits and in their words, digits aside, are a group, and a text without a digit is looked for among groups, which know how many
// records they have: what it costs grows with the number of names, not of records. A text with a digit can only be in a column that
// has one: such columns are indexed record by record.
//
// All of it keeps its own copy of the words, so that a writer's INSERT OR REPLACE (which fires no delete trigger) cannot leave it
// wrong: each trigger removes what there is of a record, then adds.
import { traitsOfRelation } from '../catalogue/tallies.ts'
import type { Relation } from '../contract/relation.ts'
import { quote } from './dialect.ts'
import { schemaVersion, type Trigger } from './sqlite-derived.ts'
import { list } from './tally-terms.ts'

// Trigrams of columns that hold a digit. The number of a row is that of the record and, below it, that of its combination of traits.
export const searchTable = (relation: Relation) => `${relation.name}_search`
// The combinations of traits there are.
export const searchCellTable = (relation: Relation) => `${relation.name}_search_cells`
// Combinations of traits and words, with every digit a 0; and their trigrams.
export const groupTable = (relation: Relation) => `${relation.name}_search_groups`
export const groupWordTable = (relation: Relation) => `${relation.name}_search_words`
// Which record is in which group.
export const memberTable = (relation: Relation) => `${relation.name}_search_members`

const quoted = (relation: Relation) => quote(searchTable(relation))
const cells = (relation: Relation) => quote(searchCellTable(relation))
const groups = (relation: Relation) => quote(groupTable(relation))
const groupWords = (relation: Relation) => quote(groupWordTable(relation))
const members = (relation: Relation) => quote(memberTable(relation))

const joined = (relation: Relation, each: (column: string) => string) =>
  relation.search.map((name) => `coalesce(${each(quote(name))}, '')`).join(' || char(10) || ')
const words = (relation: Relation, row: string) => joined(relation, (column) => `${row}${column}`)
const holdsDigit = (text: string) => `${text} GLOB '*[0-9]*'`
const wordsWithDigits = (relation: Relation, row: string) =>
  joined(relation, (column) => `CASE WHEN ${holdsDigit(`${row}${column}`)} THEN ${row}${column} END`)
const maskedWords = (relation: Relation, row: string) =>
  [...'123456789'].reduce((text, digit) => `replace(${text}, '${digit}', '0')`, words(relation, row))

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

// As values of no type, whatever the type of the record's column: so the index of the combinations is used.
const sameTraits = (relation: Relation, cell: string, record: string) =>
  traitsOfRelation(relation)
    .map((name) => `${cell}${quote(name)} IS +${record}${quote(name)}`)
    .join(' AND ')

// Puts rows into the index, given as something to select from: their combinations of traits, where they are new; whether one of them
// has no place; their groups, where they are new; and themselves, unless they are there. (A writer's own OR FAIL, say, holds within its
// triggers, too: nothing here may meet a conflict.)
function adding(relation: Relation, rows: string): string[] {
  const traits = traitsOfRelation(relation)
  // The plus sign: they are to be found by their traits.
  const isKnown = `EXISTS (SELECT 1 FROM ${cells(relation)} c WHERE +c.cell >= 0 AND ${sameTraits(relation, 'c.', 's.')})`
  const isTooMany = `(SELECT max(cell) FROM ${cells(relation)}) >= ${cellsPerId}`
  const sameWords = `g.cell = c.cell AND g.words = ${maskedWords(relation, 's.')}`
  const withCells = `FROM ${rows} s CROSS JOIN ${cells(relation)} c`
  const hasPlace = `+c.cell BETWEEN 0 AND ${cellsPerId - 1} AND ${sameTraits(relation, 'c.', 's.')} AND NOT ${isOdd(relation, 's.')}`
  return [
    // A column of the point-of-sale system may take capitals and small letters for the same.
    `INSERT INTO ${cells(relation)} (${list(traits)})\n` +
      `    SELECT DISTINCT ${traits.map((name) => `s.${quote(name)} COLLATE BINARY`).join(', ')} FROM ${rows} s WHERE NOT ${isKnown}`,
    `INSERT INTO ${cells(relation)} (cell) SELECT ${oddCell}\n` +
      `    WHERE (EXISTS (SELECT 1 FROM ${rows} s WHERE ${isOdd(relation, 's.')}) OR ${isTooMany}) AND NOT EXISTS (${hasOdd(relation)})`,
    `INSERT INTO ${groups(relation)} (cell, words, n)\n` +
      `    SELECT DISTINCT c.cell, ${maskedWords(relation, 's.')}, 0 ${withCells}\n` +
      `    WHERE ${hasPlace} AND NOT EXISTS (SELECT 1 FROM ${groups(relation)} g WHERE ${sameWords})`,
    `INSERT INTO ${members(relation)} ("id", grp)\n` +
      `    SELECT s."id", min(g.grp) ${withCells} CROSS JOIN ${groups(relation)} g\n` +
      `    WHERE ${hasPlace} AND ${sameWords} AND NOT EXISTS (SELECT 1 FROM ${members(relation)} r WHERE r."id" = s."id")\n` +
      `    GROUP BY s."id"`,
    `INSERT OR REPLACE INTO ${quoted(relation)} (rowid, words)\n` +
      `    SELECT s."id" * ${cellsPerId} + g.cell, ${wordsWithDigits(relation, 's.')}\n` +
      `    FROM ${rows} s CROSS JOIN ${members(relation)} r CROSS JOIN ${groups(relation)} g\n` +
      `    WHERE r."id" = s."id" AND g.grp = r.grp AND ${holdsDigit(words(relation, 's.'))}`,
  ]
}

const trigrams = (table: string) =>
  `CREATE VIRTUAL TABLE ${table} USING fts5 (words, tokenize = 'trigram', columnsize = 0)`

// As SQLite keeps them.
export const searchTables = (relation: Relation): Readonly<Record<string, string>> => ({
  [searchTable(relation)]: trigrams(quoted(relation)),
  [searchCellTable(relation)]:
    `CREATE TABLE ${cells(relation)} (cell INTEGER PRIMARY KEY, ${list(traitsOfRelation(relation))})`,
  [groupTable(relation)]:
    `CREATE TABLE ${groups(relation)} (grp INTEGER PRIMARY KEY, cell INTEGER, words TEXT, n INTEGER)`,
  [groupWordTable(relation)]: trigrams(groupWords(relation)),
  [memberTable(relation)]: `CREATE TABLE ${members(relation)} ("id" INTEGER PRIMARY KEY, grp INTEGER)`,
})

const searchIndexes = (relation: Relation) =>
  [
    [searchCellTable(relation), 'traits', list(traitsOfRelation(relation))],
    [groupTable(relation), 'words', 'words, cell'],
    [memberTable(relation), 'group', 'grp'],
  ].map(([table = '', by, columns]) => `CREATE INDEX ${quote(`${table}_by_${by}`)} ON ${quote(table)} (${columns})`)

export const searchTriggers = (relation: Relation): Trigger[] => [
  ...groupTriggers(relation),
  ...recordTriggers(relation),
]

function after(event: string, table: string, body: string, when = '', of = table): Trigger {
  const name = `${of}_${event.toLowerCase()}`
  return {
    name,
    statement: `CREATE TRIGGER ${quote(name)} AFTER ${event} ON ${quote(table)}${when}\nBEGIN\n  ${body}\nEND`,
  }
}

// Words of a new group are indexed, and its records counted; without any it goes, so that nothing is kept of what was erased.
function groupTriggers(relation: Relation): Trigger[] {
  const count = (by: string, row: string) => `UPDATE ${groups(relation)} SET n = n ${by} 1 WHERE grp = ${row}.grp;`
  const index = `INSERT INTO ${groupWords(relation)} (rowid, words) VALUES (new.grp, new.words);`
  const removeEmpty = `DELETE FROM ${groups(relation)} WHERE grp = new.grp;`
  return [
    after('INSERT', groupTable(relation), index),
    after('UPDATE', groupTable(relation), removeEmpty, ' WHEN new.n = 0'),
    after('DELETE', groupTable(relation), `DELETE FROM ${groupWords(relation)} WHERE rowid = old.grp;`),
    after('INSERT', memberTable(relation), count('+', 'new')),
    after('DELETE', memberTable(relation), count('-', 'old')),
  ]
}

function recordTriggers(relation: Relation): Trigger[] {
  const columns = [...new Set(['id', ...relation.search, ...traitsOfRelation(relation)])]
  const remove = (row: string) =>
    `DELETE FROM ${quoted(relation)} WHERE rowid BETWEEN ${row}."id" * ${cellsPerId} AND ${row}."id" * ${cellsPerId} + ${cellsPerId - 1};\n` +
    `  DELETE FROM ${members(relation)} WHERE "id" = ${row}."id";`
  const written = `(SELECT ${columns.map((name) => `new.${quote(name)} AS ${quote(name)}`).join(', ')})`
  const add = adding(relation, written).join(';\n  ')
  const changed = columns.map((name) => `old.${quote(name)} IS NOT new.${quote(name)}`).join(' OR ')
  const onRecord = (event: string, body: string, when = '') =>
    after(event, relation.name, body, when, searchTable(relation))
  return [
    onRecord('INSERT', `${remove('new')}\n  ${add};`),
    onRecord('UPDATE', `${remove('old')}\n  ${remove('new')}\n  ${add};`, ` WHEN ${changed}`),
    onRecord('DELETE', remove('old')),
  ]
}

// The tables, still empty, and the triggers: they may be on another table, which took them along when it was renamed.
export const makeSearch = (relation: Relation): string[] => [
  ...searchTriggers(relation).map(({ name }) => `DROP TRIGGER IF EXISTS ${quote(name)}`),
  ...Object.keys(searchTables(relation)).map((table) => `DROP TABLE IF EXISTS ${quote(table)}`),
  ...Object.values(searchTables(relation)),
  ...searchIndexes(relation),
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
