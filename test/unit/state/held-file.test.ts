// The state's file, held by the service: the error while it is missing, and that it is reopened once it is back.
import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
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
