// Columns that are kept from one run to the next are used only if nothing is wrong with them.
import assert from 'node:assert/strict'
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { findCollection } from '../../../src/catalogue/collections.ts'
import { createBuilder } from '../../../src/finder/columns.ts'
import { startEngine } from '../../../src/engine/open.ts'
import { readSavedBase, saveBase } from '../../../src/engine/saved-bases.ts'
import { createLog } from '../../../src/platform/log.ts'
import { schemaStatements } from '../../../src/sql/schema.ts'
import { sqliteSchema } from '../../../src/sql/sqlite-schema.ts'
import { openSqlite } from '../../../src/platform/sqlite.ts'
import { makePos } from '../../support/pos.ts'
import { totalOf } from '../../support/total-of.ts'
import { untilLoaded } from '../../support/until-loaded.ts'

const folder = mkdtempSync(join(tmpdir(), 'vitrine-saved-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const collection = findCollection('vendors')
const rows = [
  [2, 1, '2026-01-02T03:04:05', 'Étoile', 'b', 'Étoile', 'b', null, 'a@b.ht'],
  [9_007_199_254_740_995n, 0, null, 'zoé', null, 'zoé', null, '509', null],
]

function savedIn(name: string) {
  const builder = createBuilder(collection)
  builder.add('recent', rows)
  const base = builder.finish()
  const place = join(folder, name)
  saveBase(place, { base, mark: { opening: 'here', point: '7:8' } })
  return { place, base, file: join(place, 'vendors.columns') }
}

test('saved columns are read back as they were, in shared memory, readable by their owner alone', () => {
  const { place, base, file } = savedIn('whole')
  assert.deepEqual(readSavedBase(place, collection), { base, mark: { opening: 'here', point: '7:8' } })
  assert.ok(readSavedBase(place, collection)?.base.ids.buffer instanceof SharedArrayBuffer)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.equal(statSync(place).mode & 0o777, 0o700)
})

test('saved columns that are damaged, cut off, missing or of another catalogue are not used', () => {
  const { place, file } = savedIn('odd')
  const whole = readFileSync(file)
  for (const at of [whole.length - 1, whole.indexOf(10) + 1, 30, whole.indexOf('7:8')]) {
    const damaged = Buffer.from(whole)
    damaged[at] = (damaged[at] ?? 0) ^ 1
    writeFileSync(file, damaged)
    assert.equal(readSavedBase(place, collection), undefined, `byte ${at}`)
  }
  writeFileSync(file, whole.subarray(0, whole.length / 2))
  assert.equal(readSavedBase(place, collection), undefined)
  writeFileSync(file, whole)
  assert.equal(readSavedBase(place, { ...collection, texts: ['name'] }), undefined)
  assert.ok(readSavedBase(place, collection))
  assert.equal(readSavedBase(join(folder, 'nowhere'), collection), undefined)
})

async function serve(path: string, columnsFolder: string, ask: (total: () => Promise<number>) => Promise<void>) {
  const logged: Record<string, unknown>[] = []
  const log = createLog('info', (line) => logged.push(JSON.parse(line) as Record<string, unknown>))
  const engine = await startEngine(
    { kind: 'sqlite', path },
    { readers: 1, statementTimeoutMs: 30_000, log, columnsFolder },
  )
  await untilLoaded(engine)
  await ask(() => totalOf(engine, 'vendors'))
  await engine.close()
  return new Set(logged.filter(({ event }) => event === 'lists_by_columns').map(({ from }) => from))
}

test('an engine starts from saved columns, knows what was written meanwhile, and forgets them over another file', async () => {
  const path = join(folder, 'pos.db')
  const columns = join(folder, 'columns')
  makePos(path, { vendors: [{ id: 1, name: 'A', active: 1 }] }, schemaStatements(sqliteSchema))
  const backup = join(folder, 'backup.db')
  const scanned = await serve(path, columns, async (total) => assert.equal(await total(), 1))
  assert.deepEqual([...scanned], ['database'])
  copyFileSync(path, backup)
  assert.equal(readdirSync(columns).length, 16)
  const write = (sql: string) => {
    const database = openSqlite(path)
    database.exec(sql)
    database.close()
  }
  write(`INSERT INTO vendors (id, name, active) VALUES (2, 'B', 1)`)
  const read = await serve(path, columns, async (total) => {
    assert.equal(await total(), 2)
    write('DELETE FROM vendors WHERE id = 1')
    assert.equal(await total(), 1)
  })
  assert.deepEqual([...read], ['file'])
  for (const end of ['-wal', '-shm']) rmSync(path + end, { force: true })
  copyFileSync(backup, path)
  write(`INSERT INTO vendors (id, name, active) VALUES (3, 'C', 1), (4, 'D', 1)`)
  await serve(path, columns, async (total) => assert.equal(await total(), 3))
  assert.ok(existsSync(join(columns, 'vendors.columns')))
  // A column that was taken away or made meanwhile.
  for (const change of ['DROP COLUMN phone', 'ADD COLUMN phone TEXT']) {
    assert.deepEqual([...(await serve(path, columns, async () => {}))], ['file'])
    write(`ALTER TABLE vendors ${change}`)
    assert.deepEqual([...(await serve(path, columns, async (total) => assert.equal(await total(), 3)))], ['database'])
  }
})
