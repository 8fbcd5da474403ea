// A start that fails once it listens: what is said to have failed does not go on.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openSqlite } from '../../src/platform/sqlite.ts'
import { freePorts, runVitrine, temporaryFolder } from '../support/process.ts'

const data = temporaryFolder()
after(() => rmSync(data, { recursive: true, force: true }))

test('no demo key can be made: status 2, a sentence, and the process is gone', async () => {
  const settings = { VITRINE_DATA_DIR: data, ...freePorts }
  for (const words of [
    ['demo', '--scale', '0.02'],
    ['company', 'enable'],
  ])
    assert.equal((await runVitrine(words, settings, data)).status, 0)
  const state = openSqlite(join(data, 'state.db'))
  state.exec(`CREATE TRIGGER none BEFORE INSERT ON keys BEGIN SELECT RAISE(ABORT, 'not one more'); END`)
  state.close()
  const { status, signal, stderr } = await runVitrine(['serve', '--demo'], settings, data)
  assert.deepEqual([status, signal, /not one more/.test(stderr)], [2, null, true], stderr)
})
