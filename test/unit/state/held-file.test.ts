// The state's file, held by the service: the error while it is missing, and that it is reopened once it is back.
import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openSqlite } from '../../../src/platform/sqlite.ts'
import { holdFile } from '../../../src/state/sqlite/held-file.ts'
import { openStore } from '../../../src/state/sqlite/store.ts'

test('a state that is missing: one sentence with a remedy, and the remedy helps', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-held-'))
  const [path, backup] = [join(folder, 'state.db'), join(folder, 'backup.db')]
  openStore(path, 0).close()
  const file = holdFile(path, 0, () => {})
  context.after(() => {
    file.close()
    rmSync(folder, { recursive: true })
  })
  assert.equal(file.current().isEnabled(0), true)
  const reader = openSqlite(path, { readOnly: true })
  reader.exec(`VACUUM INTO '${backup}'`)
  reader.close()

  rmSync(path)
  assert.throws(() => file.current(), /was replaced/)
  file.reopen()
  const isMissing = /^Error: The state database \S+ is missing\. Put it back, or a backup of it: .*\.$/
  assert.throws(() => file.current(), isMissing)
  assert.throws(() => openStore(path, 0, { empty: 'refused', readOnly: true }), isMissing)
  copyFileSync(backup, path)
  assert.equal(file.current().isEnabled(0), true)
})

test('the log of a state that was put back is not taken for that of the one before, even if it has its inode', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-held-'))
  const [path, backup] = [join(folder, 'state.db'), join(folder, 'backup.db')]
  openStore(path, 0).close()
  copyFileSync(path, backup)
  const file = holdFile(path, 0, () => {})
  assert.equal(file.current().isEnabled(0), true)
  const { ino } = statSync(`${path}-wal`)
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix)
  assert.throws(() => file.current(), /was replaced/)
  file.reopen()
  copyFileSync(backup, path)
  takeInodesUpTo(ino, folder)
  // As the listener does, which looks whether the state was written.
  const watch = openSqlite(path, { readOnly: true })
  context.after(() => {
    watch.close()
    file.close()
    rmSync(folder, { recursive: true })
  })
  watch.prepare('PRAGMA data_version').get()
  if (statSync(`${path}-wal`).ino !== ino) return context.skip('this file system gave another inode')
  assert.equal(file.current().isEnabled(0), true)
  assert.equal(existsSync(`${path}-wal.left`), false)
})

/** So that the next new file has this inode, where inodes are used again. */
function takeInodesUpTo(ino: number, folder: string): void {
  for (let count = 0; count < 100; count += 1) {
    const taken = join(folder, `taken-${count}`)
    writeFileSync(taken, '')
    if (statSync(taken).ino !== ino) continue
    rmSync(taken)
    return
  }
}

test('once it is closed, a late look opens it no more: everything stays in the one file', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-held-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'state.db')
  openStore(path, 0).close()
  const file = holdFile(path, 0, () => {})
  assert.equal(file.current().isEnabled(0), true)
  file.close()
  assert.throws(() => file.current())
  assert.equal(existsSync(`${path}-wal`), false)
})
