// The journal in a SQLite file: one table, and triggers on each relation that name every record whose rows are written, within the
// transaction of the till. Tills write with their own SQLite, from 3.40 on, so no function of ours is used. Columns of the journal have no
// type, because an unusual value must not fail the statement of a till.
//
// SQLite has one writer at a time, so `seq` is the order of commits. It is one more than the greatest `seq`, which pruning leaves. A copied
// or restored file may give the same `seq` again; then `tag` differs (53 bits, which JavaScript holds exactly).
import type { Relation } from '../contract/relation.ts'
import { relations } from '../contract/relations.ts'
import { quote } from './dialect.ts'
import { beforeColumns, journalled, journalTable, keptRows, prunedAtOnce, pruneEvery } from './journalled.ts'

interface Trigger {
  readonly name: string
  readonly relation: string
  // As `sqlite_schema` keeps it, so that a changed trigger is noticed.
  readonly statement: string
}

const table = quote(journalTable)
const names = relations.map(({ name }) => `'${name}'`).join(', ')
const keyColumns = relations.flatMap(({ name, key }) => key.map((column) => `('${name}', '${column}')`)).join(', ')
const contentColumns = ['relation', 'id', ...beforeColumns].join(', ')
const rowColumns = `seq, ${contentColumns}`
export const rowCells = rowColumns.split(',').length

// Whether an id is a whole number, which may be stored as a fraction. Tables of a POS may hold anything.
export const isWhole = (id: string) => `typeof(${id}) IN ('integer', 'real') AND ${id} = CAST(${id} AS integer)`

const makeTable = `CREATE TABLE ${table} (
  seq INTEGER PRIMARY KEY, relation, id, tag INTEGER NOT NULL DEFAULT (random() >> 11), kind, store_id, to_store_id, price_list_id,
  at INTEGER NOT NULL DEFAULT (unixepoch())
)`

// The first row is never pruned: its tag is the identity of the journal, its id is how many rows are kept. The second is the first head,
// so that a mark taken before the first write can be pruned like any other.
const begin = `INSERT INTO ${table} (seq, relation, id) VALUES (0, '', ${keptRows}), (1, '', NULL)`
export const keepRows = (count: number): string[] => [`UPDATE ${table} SET id = ${count} WHERE seq = 0`]

const pruneTrigger: Trigger = {
  name: `${journalTable}_prune`,
  relation: journalTable,
  statement:
    `CREATE TRIGGER "${journalTable}_prune" AFTER INSERT ON ${table} WHEN new.seq % ${pruneEvery} = 0\nBEGIN\n` +
    `DELETE FROM ${table} WHERE seq IN (SELECT seq FROM ${table} WHERE seq BETWEEN 1 AND new.seq - (SELECT id FROM ${table} WHERE seq = 0) ORDER BY seq LIMIT ${prunedAtOnce});\nEND`,
}

const into = (columns: readonly (readonly [string, string])[]) =>
  `INSERT INTO ${table} (relation, ${columns.map(([name]) => name).join(', ')})`

function triggersOf(relation: Relation): Trigger[] {
  const { named, before } = journalled(relation)
  const on = quote(relation.name)
  const trigger = (event: string, when: string, body: readonly string[]): Trigger => {
    const name = `vitrine_${relation.name}_${event}`
    return {
      name,
      relation: relation.name,
      statement: `CREATE TRIGGER ${quote(name)} ${when}\nBEGIN\n${body.map((each) => `${each};\n`).join('')}END`,
    }
  }
  const values = (row: string, own: typeof before = []) =>
    [
      `'${relation.name}'`,
      ...named.map(([, column]) => row + quote(column)),
      ...own.map(([, column]) => `ifnull(${row}${quote(column)}, '')`),
    ].join(', ')
  const all = [...named, ...before]
  const addOld = `${into(all)} VALUES (${values('old.', before)})`
  const differs = named.map(([, column]) => `new.${quote(column)} IS NOT old.${quote(column)}`).join(' OR ')
  // INSERT OR REPLACE and UPDATE OR REPLACE fire no delete trigger for the row that they remove. If the key is a pair, the removed row
  // names the same record as the new one.
  const replaced = `${into(all)} SELECT ${values('', before)} FROM ${on} WHERE "id" = new."id"`
  const replacing =
    relation.key.length > 1
      ? []
      : [
          trigger('replace', `BEFORE INSERT ON ${on}`, [replaced]),
          trigger('move', `BEFORE UPDATE ON ${on} WHEN new."id" IS NOT old."id"`, [replaced]),
        ]
  return [
    ...replacing,
    trigger('insert', `AFTER INSERT ON ${on}`, [`${into(named)} VALUES (${values('new.')})`]),
    trigger('update', `AFTER UPDATE ON ${on}`, [addOld, `${into(named)} SELECT ${values('new.')} WHERE ${differs}`]),
    trigger('delete', `AFTER DELETE ON ${on}`, [addOld]),
  ]
}

export const journalTriggers = (tables: readonly Relation[] = relations): Trigger[] => [
  pruneTrigger,
  ...tables.flatMap(triggersOf),
]

// To be run in one transaction. `tables` are the relations that are not views.
export const makeJournal = (tables: readonly Relation[] = relations): string[] => [
  makeTable,
  begin,
  ...journalTriggers(tables).map(({ statement }) => statement),
]

// Also drops the triggers of a renamed relation, which keep their names.
export const dropJournal: readonly string[] = [
  ...journalTriggers().map(({ name }) => `DROP TRIGGER IF EXISTS ${quote(name)}`),
  `DROP TABLE IF EXISTS ${table}`,
]

// An id that is no whole number names no record. None at all: any record may have changed.
const namesRecord = `(id IS NULL OR ${isWhole('id')})`

// The point of a mark is the `seq` and `tag` of the head. It is valid while the identity is the same and `tagOf` its `seq` gives its tag.
// Otherwise rows after it may have been pruned, or are those of another file.
const after =
  `SELECT ${rowColumns} FROM ${table} WHERE seq > ?1 AND relation IN (SELECT value FROM json_each(?2)) AND ${namesRecord}` +
  ` ORDER BY seq LIMIT ?3`

export const journalReading = {
  // → how many rows are kept at most
  keptRows: `SELECT id FROM ${table} WHERE seq = 0`,
  // → rows, time of the oldest
  reach: `SELECT count(*), min(at) FROM ${table} WHERE seq > 1`,
  // → tag
  identity: `SELECT tag FROM ${table} WHERE seq = 0`,
  // → seq, tag
  head: `SELECT seq, tag FROM ${table} ORDER BY seq DESC LIMIT 1`,
  // (seq) → tag, or no row
  tagOf: `SELECT tag FROM ${table} WHERE seq = ?`,
  // (seq, relations as JSON, most rows) → relation, id
  since: `SELECT relation, id FROM ${table} WHERE seq > ? AND relation IN (SELECT value FROM json_each(?)) AND ${namesRecord} ORDER BY seq LIMIT ?`,
  // (seq, most rows) → relation, how many rows name it
  written: `SELECT relation, count(*) FROM (SELECT relation FROM ${table} WHERE seq > ? ORDER BY seq LIMIT ?) GROUP BY relation`,
  // (seq, relations as JSON, most rows) → `rowCells` columns that the change feed reads
  after,
  // (the same, those of the relations whose rows come one by one) → the same columns, how many rows were read, the `seq` of the last. Rows of
  // the other relations that say the same come once, at the first.
  afterOnce:
    `SELECT min(seq) AS seq, ${contentColumns}, sum(count(*)) OVER (), max(max(seq)) OVER () FROM (${after})` +
    ` GROUP BY ${contentColumns}, CASE WHEN relation IN (SELECT value FROM json_each(?4)) THEN seq END ORDER BY 1`,
  // (seq, relations as JSON, ids as JSON) → the columns of `after`
  about:
    `SELECT ${rowColumns} FROM ${table} WHERE seq > ? AND relation IN (SELECT value FROM json_each(?))` +
    ` AND id IN (SELECT value FROM json_each(?)) ORDER BY seq`,
  // → sql: the definitions of all relations
  definitions: `SELECT sql FROM sqlite_schema WHERE lower(name) IN (${names}) ORDER BY lower(name)`,
  // → time of the oldest row, if one was pruned: the second row is the first to go
  oldest: `SELECT CASE WHEN seq > 1 THEN at END FROM ${table} WHERE seq > 0 ORDER BY seq LIMIT 1`,
  // → seq of the first row that may be pruned
  oldestSeq: `SELECT min(seq) FROM ${table} WHERE seq > 0`,
  // → name, sql: to compare with `journalTriggers`
  triggers: `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'vitrine~_%' ESCAPE '~' ORDER BY name`,
  // → relation: tables in which REPLACE may remove rows with other keys, which no trigger can name. Their lists are found by plain SQL. A
  // primary key of one INTEGER column has no index.
  silentlyReplaced:
    `WITH keys (relation, name) AS (VALUES ${keyColumns})` +
    ` SELECT DISTINCT k.relation FROM sqlite_schema s JOIN keys k ON k.relation = lower(s.name) WHERE s.type = 'table'` +
    ` AND (EXISTS (SELECT 1 FROM pragma_index_list(s.name) i WHERE i."unique"` +
    ` AND NOT EXISTS (SELECT 1 FROM pragma_index_info(i.name) c WHERE lower(c.name) = k.name))` +
    ` OR EXISTS (SELECT max(c.pk > 0 AND lower(c.name) = k.name) AS named FROM pragma_table_info(s.name) c WHERE c.pk > 0 GROUP BY 1 > 0 HAVING named = 0))`,
}
