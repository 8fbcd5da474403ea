// The journal in SQLite: every event on every relation names exactly the records it is about, whatever a till's statement is like.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { relations } from '../../../src/contract/relations.ts'
import { journalReading, journalTriggers, makeJournal } from '../../../src/sql/journal-sqlite.ts'
import { keptRows, prunedAtOnce, pruneEvery } from '../../../src/sql/journalled.ts'
import { tableStatements } from '../../../src/sql/schema.ts'
import { sqliteSchema } from '../../../src/sql/sqlite-schema.ts'
import { openSqlite } from '../../../src/platform/sqlite.ts'
import { allEvents } from '../../support/journal-rows.ts'

const columns = ['relation', 'id', 'kind', 'store_id', 'to_store_id', 'price_list_id']

function open(tables = tableStatements(sqliteSchema)) {
  const database = openSqlite(':memory:')
  for (const statement of [...tables, ...makeJournal()]) database.exec(statement)
  const read = database.prepare(`SELECT ${columns.join(', ')} FROM vitrine_journal WHERE seq > ? ORDER BY seq`)
  const head = () => Number(database.prepare(journalReading.head).get()?.['seq'])
  // What a statement writes into the journal.
  const named = (sql: string) => {
    const from = head()
    database.exec(sql)
    return read.all(from).map((row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)))
  }
  return { database, named, head }
}

test('every event on every relation names its record', () => {
  const { named } = open()
  for (const { name, sql, names } of allEvents) assert.deepEqual(named(sql), names, name)
  assert.equal(new Set(allEvents.map(({ names }) => names[0]?.relation)).size, relations.length)
})

const line = (id: number) => ({ relation: 'invoice_lines', id })

test('a row that REPLACE removes is named, with what it had', () => {
  const { database, named } = open()
  database.exec(`INSERT INTO invoices (id, kind, store_id) VALUES (1, 2, 21), (7, 1, 22);
    INSERT INTO invoice_lines (id, invoice_id) VALUES (1, 11), (2, 12)`)
  const old = { relation: 'invoices', id: 1, kind: 2, store_id: 21 }
  assert.deepEqual(named('INSERT OR REPLACE INTO invoices (id) VALUES (1)'), [old, { relation: 'invoices', id: 1 }])
  assert.deepEqual(named('UPDATE OR REPLACE invoices SET id = 7 WHERE id = 1'), [
    { relation: 'invoices', id: 7, kind: 1, store_id: 22 },
    { relation: 'invoices', id: 1, kind: '', store_id: '' },
    { relation: 'invoices', id: 7 },
  ])
  assert.deepEqual(named('INSERT OR REPLACE INTO invoice_lines (id, invoice_id) VALUES (1, 13)'), [line(11), line(13)])
  assert.deepEqual(named('UPDATE OR REPLACE invoice_lines SET id = 2 WHERE id = 1'), [line(12), line(13)])
})

test('a statement that is rolled back leaves nothing', () => {
  const { database, named } = open()
  assert.deepEqual(named('BEGIN; INSERT INTO invoices (id) VALUES (1); ROLLBACK'), [])
  const before = named('BEGIN; SAVEPOINT a; INSERT INTO invoices (id) VALUES (1); ROLLBACK TO a; COMMIT')
  assert.deepEqual(before, [])
  database.exec('INSERT INTO invoices (id) VALUES (1)')
  assert.throws(() => named('INSERT INTO invoices (id) VALUES (1)'), /UNIQUE/)
  assert.deepEqual(named('SELECT 1'), [])
})

test('no odd value of a till fails because of the journal', () => {
  const tables = relations.map(({ name, columns }) => `CREATE TABLE "${name}" (${Object.keys(columns).join(', ')})`)
  const { database, named } = open(tables)
  const odd = `'text', x'00ff', 1.5, NULL`
  for (const value of odd.split(', ')) {
    const rows = named(`INSERT INTO invoices (id, kind, store_id) VALUES (${value}, ${value}, ${value});
      UPDATE invoices SET paid = 1; DELETE FROM invoices; INSERT OR IGNORE INTO invoices (id) VALUES (${value}); DELETE FROM invoices`)
    assert.equal(rows.filter(({ relation }) => relation === 'invoices').length, 5, value)
  }
  assert.equal(database.prepare('SELECT last_insert_rowid() AS id').get()?.['id'], 1)
})

test('the triggers stand in the schema exactly as they are told', () => {
  const { database } = open()
  const found = database
    .prepare(journalReading.triggers)
    .all()
    .map(({ name, sql }) => ({ name, sql }))
  const told = journalTriggers().map(({ name, statement }) => ({ name, sql: statement }))
  assert.deepEqual(
    found,
    told.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
  )
})

test('a relation with another unique index than its key is told', () => {
  const { database } = open()
  const told = () =>
    database
      .prepare(journalReading.silentlyReplaced)
      .all()
      .map(({ relation }) => String(relation))
      .toSorted((one, other) => (one < other ? -1 : 1))
  assert.deepEqual(told(), [])
  database.exec('CREATE UNIQUE INDEX by_number ON payments (number); CREATE UNIQUE INDEX both ON quotes (number, id)')
  // A line with a new id may take a serial number from the line of another document, which is then without it.
  database.exec('CREATE UNIQUE INDEX by_serial ON quote_lines (product_id, name)')
  // A primary key that is the row's number has no index.
  database.exec(`DROP TABLE vendors; CREATE TABLE vendors (row_number INTEGER PRIMARY KEY, id UNIQUE, name);
    DROP TABLE product_stock; CREATE TABLE product_stock (id INTEGER PRIMARY KEY, product_id, store_id, UNIQUE (product_id, store_id))`)
  assert.deepEqual(told(), ['payments', 'product_stock', 'quote_lines', 'vendors'])
})

test('pruning keeps the newest rows, a bounded number at a time, and a mark that was pruned is told', () => {
  const { database, named, head } = open()
  const mark = database.prepare(journalReading.head).get()
  const tagOf = (seq: unknown) => database.prepare(journalReading.tagOf).get(Number(seq))?.['tag']
  const identity = database.prepare(journalReading.identity).get()?.['tag']
  assert.equal(tagOf(mark?.['seq']), mark?.['tag'])
  const count = () => Number(database.prepare('SELECT count(*) AS n FROM vitrine_journal').get()?.['n'])
  // As if `keptRows` rows had been written.
  database.exec(`INSERT INTO vitrine_journal (seq, relation) VALUES (${keptRows}, '')`)
  database.exec('BEGIN')
  const insert = database.prepare('INSERT INTO invoices (id) VALUES (?)')
  for (let id = 1; id <= pruneEvery; id += 1) insert.run(id)
  database.exec('COMMIT')
  assert.equal(tagOf(mark?.['seq']), undefined)
  assert.equal(count(), 2 + pruneEvery)
  assert.equal(database.prepare(journalReading.identity).get()?.['tag'], identity)
  // A backlog goes in pieces, and the newest stay.
  database.exec(`WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
    INSERT INTO vitrine_journal (seq, relation) SELECT i, '' FROM n; INSERT INTO vitrine_journal (seq, relation) VALUES (${keptRows + 64_000 - 1}, '')`)
  const before = count()
  named('INSERT INTO invoices (id) VALUES (900)')
  assert.equal(count(), before + 1 - prunedAtOnce)
  assert.equal(head(), keptRows + 64_000)
})
