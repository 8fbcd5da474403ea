// Search indexes in SQLite: beside each searched relation a table of the trigrams of its words, kept by triggers. It keeps its own
// copy of the words, so that a writer's INSERT OR REPLACE (which fires no delete trigger) cannot leave it wrong: each trigger
// removes by row id, then adds.
import type { Relation } from '../contract/relation.ts'
import { quote } from './dialect.ts'
import { schemaVersion, type Trigger } from './sqlite-derived.ts'

export const searchTable = (relation: Relation) => `${relation.name}_search`

const quoted = (relation: Relation) => quote(searchTable(relation))
const words = (relation: Relation, row: string) =>
  relation.search.map((name) => `coalesce(${row}${quote(name)}, '')`).join(' || char(10) || ')

// As SQLite keeps it.
export const makeSearchTable = (relation: Relation) =>
  `CREATE VIRTUAL TABLE ${quoted(relation)} USING fts5 (words, tokenize = 'trigram', detail = none, columnsize = 0)`

export function searchTriggers(relation: Relation): Trigger[] {
  const remove = (row: string) => `DELETE FROM ${quoted(relation)} WHERE rowid = ${row}."id";`
  const add = `INSERT INTO ${quoted(relation)} (rowid, words) VALUES (new."id", ${words(relation, 'new.')});`
  const changed = ['id', ...relation.search].map((name) => `old.${quote(name)} IS NOT new.${quote(name)}`).join(' OR ')
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
export const makeSearch = (relation: Relation) => [
  ...searchTriggers(relation).map(({ name }) => `DROP TRIGGER IF EXISTS ${quote(name)}`),
  `DROP TABLE IF EXISTS ${quoted(relation)}`,
  makeSearchTable(relation),
  ...searchTriggers(relation).map(({ statement }) => statement),
]

// The words of rows that were there before the triggers, whatever of them is there already: of all rows, or of some at a time.
export const fillSearch = (relation: Relation, which = '') =>
  `INSERT OR REPLACE INTO ${quoted(relation)} (rowid, words)\n` +
  `  SELECT "id", ${words(relation, '')} FROM ${quote(relation.name)}${which}`

// The row that tells when it was made has an id that no record has.
const madeId = '-9223372036854775808'

export const trustSearch = (relation: Relation) =>
  `INSERT OR REPLACE INTO ${quoted(relation)} (rowid, words) SELECT ${madeId}, 'made ' || ${schemaVersion}`

export const isSearchTrusted = (relation: Relation) =>
  `SELECT 1 FROM ${quoted(relation)} WHERE rowid = ${madeId} AND words = 'made ' || ${schemaVersion}`
