// PostgreSQL: what a server has lost, and what an administrator does to a database. A cursor is continued exactly, or has expired, and a
// base is void.
import assert from 'node:assert/strict'
import { chmodSync, cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { openSource } from '../../src/engine/open-source.ts'
import type { PosSource } from '../../src/engine/source.ts'
import type { Expired, JournalReader, Mark, Snapshot } from '../../src/finder/snapshot.ts'
import { parsePostgresUrl } from '../../src/platform/postgres/url.ts'
import { journalTriggerNames } from '../../src/sql/journal-postgres.ts'
import { postgresSchema } from '../../src/sql/postgres-schema.ts'
import { schemaStatements } from '../../src/sql/schema.ts'
import { scriptOn } from '../support/own-company.ts'
import { ownFolder } from '../support/postgres-binaries.ts'
import { startPostgres, type PostgresServer } from '../support/postgres.ts'

let server: PostgresServer
let source: PosSource
const script = (text: string) => scriptOn(server.url, text)

const open = (): Promise<PosSource> => {
  const parsed = parsePostgresUrl(server.url, 'public', '/')
  if ('fault' in parsed) throw new Error(parsed.fault)
  return openSource({ kind: 'postgres', url: parsed.value, timeoutMs: 20_000 }, () => {})
}

before(async () => {
  // Nothing is written to the disk before a checkpoint but what a full buffer of the log drives out.
  const late = {
    synchronous_commit: 'off',
    wal_writer_delay: '10s',
    wal_writer_flush_after: '1GB',
    bgwriter_delay: '10s',
  }
  server = await startPostgres({ settings: late })
  await script(`${schemaStatements(postgresSchema).join(';')}; CREATE TABLE others (n integer); CREATE ROLE somebody`)
})
beforeEach(async () => {
  source = await open()
})
afterEach(() => source.close())
after(async () => server?.remove())

const withJournal = (work: (journal: JournalReader) => Promise<Expired | { ids: number[]; end: string }>) =>
  source.within(async (snapshot) => {
    const journal = await snapshot.journal()
    assert(journal)
    return work(journal)
  })

/** What a follower gets: the ids after its position, and its next position, or why it has expired. */
const follow = (position?: string) =>
  withJournal(async (journal) => {
    if (position === undefined) return { ids: [], end: await journal.end() }
    const confirmed = await journal.confirm(position)
    if ('expired' in confirmed) return confirmed.expired
    const { rows, end } = await journal.after(confirmed.position, {
      relations: ['vendors'],
      oneByOne: ['vendors'],
      limit: 1000,
    })
    return { ids: rows.map(({ id }) => Number(id)), end }
  })

async function endOf(position?: string): Promise<string> {
  const found = await follow(position)
  assert(typeof found === 'object')
  return found.end
}

async function losing(lose: () => Promise<void>): Promise<void> {
  await source.close()
  await lose()
  source = await open()
}
const crash = async () => {
  await server.kill()
  await server.start()
}

let last = 0
/** Vendors, each in a transaction of its own that the disk does not have yet. */
async function sell(count: number): Promise<number[]> {
  const ids = Array.from({ length: count }, () => (last += 1))
  for (const id of ids) await script(`INSERT INTO vendors (id) VALUES (${id})`)
  return ids
}

test('a crash that loses what was told expires the cursor, though as much is written again', async () => {
  await script('CHECKPOINT')
  const first = await endOf()
  const sold = await sell(3)
  const seen = await follow(first)
  assert(typeof seen === 'object')
  assert.deepEqual(seen.ids, sold)
  await losing(crash)
  last = 10
  await sell(3)
  assert.equal(await follow(seen.end), 'replaced')
  const told = await follow(first)
  assert(typeof told === 'object')
  assert.deepEqual(told.ids, [11, 12, 13])
})

test('numbers of transactions that are lost, and given again to sales, pass over none', async () => {
  await script('CHECKPOINT')
  for (let n = 0; n < 10; n += 1) await script('INSERT INTO others VALUES (1)')
  const end = await endOf()
  await losing(crash)
  const sold = await sell(2)
  const told = await follow(end)
  assert(typeof told === 'object')
  assert.deepEqual(told.ids, sold)
})

test('a crash that loses nothing, and a restart, expire nothing', async () => {
  const end = await endOf()
  const sold = await sell(2)
  const later = await endOf(end)
  await script('CHECKPOINT')
  for (const act of [crash, async () => (await server.stop(), server.start())]) {
    await losing(act)
    const [told, quiet] = [await follow(end), await follow(later)]
    assert(typeof told === 'object' && typeof quiet === 'object')
    assert.deepEqual([told.ids, quiet.ids], [sold, []])
  }
})

test('a folder of data that is put back expires what was told since it was copied', async () => {
  const [data, copy] = [join(server.folder, 'data'), join(server.folder, 'copy')]
  const end = await endOf()
  await losing(async () => {
    await server.stop()
    cpSync(data, copy, { recursive: true })
    await server.start()
  })
  await sell(2)
  const later = await endOf(end)
  await losing(async () => {
    await server.stop()
    rmSync(data, { recursive: true })
    cpSync(copy, data, { recursive: true })
    chmodSync(data, 0o700)
    ownFolder(data)
    await server.start()
  })
  const sold = await sell(3)
  assert.equal(await follow(later), 'replaced')
  const told = await follow(end)
  assert(typeof told === 'object')
  assert.deepEqual(told.ids, sold)
})

const relations = ['vendors', 'vitrine_journal']
const markOf = async (snapshot: Snapshot): Promise<Mark> => {
  const found = await snapshot.mark(relations.slice(0, 1))
  assert('mark' in found)
  return found.mark
}

/** Whether the base and the cursor of before survive. */
async function survives(sql: string): Promise<[base: boolean, cursor: boolean]> {
  const [mark, end] = [await source.within(markOf), await endOf()]
  for (const statement of sql.split(';')) await script(statement)
  const changes = await source.within((snapshot) => snapshot.changesSince(mark, relations.slice(0, 1)))
  const told = await follow(end)
  return [changes !== undefined, typeof told === 'object']
}

test('what changes no row of a table voids no base and no cursor', async () => {
  const harmless = relations.flatMap((name) => [
    `GRANT SELECT ON ${name} TO somebody`,
    `REVOKE SELECT ON ${name} FROM somebody`,
    `ALTER TABLE ${name} SET (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.01)`,
    `CLUSTER ${name} USING ${name}_pkey`,
    `VACUUM (FULL, FREEZE) ${name}`,
    `VACUUM FREEZE ${name}`,
    `ANALYZE ${name}`,
    `REINDEX TABLE ${name}`,
    `ALTER TABLE ${name} OWNER TO somebody; ALTER TABLE ${name} OWNER TO postgres`,
    `ALTER TABLE ${name} SET TABLESPACE pg_default`,
    `ALTER TABLE ${name} RENAME TO renamed; ALTER TABLE renamed RENAME TO ${name}`,
    `COMMENT ON TABLE ${name} IS 'ours'`,
  ])
  const catalogue = ['pg_attribute', 'pg_class', 'pg_trigger', 'pg_proc'].flatMap((name) => [
    `VACUUM FREEZE ${name}`,
    `VACUUM FULL ${name}`,
    `REINDEX TABLE ${name}`,
  ])
  await sell(5)
  for (const sql of [...harmless, 'CREATE INDEX own ON vendors (name); DROP INDEX own', ...catalogue])
    assert.deepEqual(await survives(sql), [true, true], sql)
})

test('another schema in the place of the one that was read voids both, though all in it has the same names', async () => {
  const [mark, end] = [await source.within(markOf), await endOf()]
  const changes = () => source.within((snapshot) => snapshot.changesSince(mark, relations.slice(0, 1)))
  assert(await changes())
  await script('ALTER SCHEMA public RENAME TO aside; CREATE SCHEMA public')
  await script(schemaStatements(postgresSchema).join(';'))
  // As in a restored dump.
  await script(
    `UPDATE vitrine_journal j SET tag = a.tag FROM aside.vitrine_journal a WHERE j.xid = '0' AND a.xid = '0'`,
  )
  assert.equal(await changes(), undefined)
  assert.equal(await follow(end), 'replaced')
  await script('DROP SCHEMA public CASCADE; ALTER SCHEMA aside RENAME TO public')
  assert(await changes(), 'and the first one is what it was')
})

test('what may change rows, or stop the journal for a moment, voids both', async () => {
  const [row = '', truncate = ''] = journalTriggerNames('vendors')
  const always = [row, truncate].map((name) => `ALTER TABLE vendors ENABLE ALWAYS TRIGGER ${name}`).join(';')
  const harmful = [
    'ALTER TABLE vendors ALTER COLUMN name TYPE text USING upper(name)',
    'ALTER TABLE vendors ADD COLUMN own integer DEFAULT 5',
    'ALTER TABLE vendors DROP COLUMN own',
    `ALTER TABLE vendors DISABLE TRIGGER ${row}; ALTER TABLE vendors ENABLE ALWAYS TRIGGER ${row}`,
    `ALTER TABLE vendors DISABLE TRIGGER ALL; ${always}`,
    'DELETE FROM vitrine_journal WHERE seq = (SELECT max(seq) FROM vitrine_journal)',
    'DELETE FROM vitrine_journal WHERE seq = (SELECT min(seq) FROM vitrine_journal WHERE seq > 0)',
    'DELETE FROM vitrine_journal',
    'TRUNCATE vitrine_journal',
  ]
  for (const sql of harmful) {
    await sell(3)
    assert.deepEqual(await survives(sql), [false, false], sql)
    // And both are as exact as before.
    assert.deepEqual(await survives('ANALYZE vendors'), [true, true], sql)
  }
  // A row without an id, at which the feed stops.
  const mark = await source.within(markOf)
  await script('TRUNCATE vendors')
  assert.equal(await source.within((snapshot) => snapshot.changesSince(mark, relations.slice(0, 1))), undefined)
  // A crash would empty it, and no trigger would tell.
  await script('ALTER TABLE vendors SET UNLOGGED')
  assert.equal(await source.within((snapshot) => snapshot.journal()), undefined)
})
