// A POS file is only read, and is noticed when it is replaced at the worst moment: between the check which file it is and its opening,
// and back again.
import assert from 'node:assert/strict'
import fs, { linkSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import { openPos } from '../../../src/engine/sqlite/pos-file.ts'
import { openSqlite } from '../../../src/platform/sqlite.ts'
import { makePos } from '../../support/pos.ts'

const folder = mkdtempSync(join(tmpdir(), 'vitrine-stamps-'))
const path = join(folder, 'pos.db')
const put = (name: string) => {
  linkSync(join(folder, name), `${path}.new`)
  renameSync(`${path}.new`, path)
  // It stays where both are one file.
  rmSync(`${path}.new`, { force: true })
}
for (const name of ['ours', 'another']) {
  makePos(join(folder, name), { stores: [{ id: 1, name }] })
  const database = openSqlite(join(folder, name))
  database.exec('PRAGMA journal_mode = DELETE')
  database.close()
}

// The next look at the path is followed by another file in its place.
const { statSync } = fs
let isArmed = false
const replace = (look: typeof statSync) => {
  Object.assign(fs, { statSync: look })
  syncBuiltinESMExports()
}
replace(((...words: Parameters<typeof statSync>) => {
  const found = statSync(...words)
  if (isArmed) put('another')
  isArmed = false
  return found
}) as typeof statSync)
after(() => {
  replace(statSync)
  rmSync(folder, { recursive: true })
})
beforeEach(() => put('ours'))

test('nothing can be written over a connection of the service', () => {
  const { sqlite } = openPos(path, 1000)
  for (const statement of ['DELETE FROM stores', 'CREATE TABLE x (y)'])
    assert.throws(() => sqlite.exec(statement), /readonly/)
  // Nor may the file be attached otherwise.
  assert.throws(() => sqlite.exec(`ATTACH 'file:${path}?mode=rw' AS other`), /not allowed/)
  sqlite.close()
})

test('a reader of the other file knows that it is not current', () => {
  isArmed = true
  const { sqlite, isCurrent, file } = openPos(path, 1000)
  const read = () => sqlite.prepare('SELECT name FROM stores').get()?.['name']
  assert.deepEqual([read(), isCurrent()], ['another', true])
  put('ours')
  assert.equal(isCurrent(), false)
  const now = openPos(path, 1000)
  assert.notEqual(now.file, file)
  for (const each of [sqlite, now.sqlite]) each.close()
})
