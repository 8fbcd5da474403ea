// Folders that an operator names: they are made with their parents, or a sentence says why not.
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { OperatorError } from '../../../src/errors.ts'
import { folderProblem, makeFolder } from '../../../src/platform/files.ts'

const root = mkdtempSync(join(tmpdir(), 'vitrine-files-'))
after(() => rmSync(root, { recursive: true }))

test('a folder is made with those above it, and again without harm', () => {
  const folder = join(root, 'a', 'b', 'c')
  assert.equal(folderProblem(folder), undefined)
  makeFolder(folder)
  makeFolder(folder)
  assert.ok(existsSync(folder))
})

test('a file in the way is named', () => {
  writeFileSync(join(root, 'letter'), '')
  assert.throws(() => makeFolder(join(root, 'letter', 'x')), { message: /letter is not a folder/ })
})

test(
  'where the file system takes no folders, that is said and it ends',
  { skip: existsSync('/proc') ? false : 'no /proc' },
  () => {
    assert.throws(() => makeFolder('/proc/vitrine/data'), OperatorError)
  },
)
