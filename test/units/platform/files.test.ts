// Files and folders that an operator names: folders are made with their parents, or a sentence says why not.
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { OperatorError } from '../../../src/errors.ts'
import { folderProblem, makeFolder } from '../../../src/platform/files.ts'
import { fileProblem } from '../../../src/platform/sqlite.ts'

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

const failure = (more: object) => Object.assign(new Error('why'), more)

test('what the system or SQLite refused becomes a sentence; what is no fault of the file does not', () => {
  for (const [more, expected] of [
    [{ code: 'EACCES' }, /^The file x may not be used by this user \(why\)\. See who owns it and its folder\.$/],
    [{ code: 'ENOENT' }, /^The file x cannot be used: why\.$/],
    [{ code: 'ERR_SQLITE_ERROR', errcode: 5 }, /is locked by another program \(why\)/],
    // The longer numbers hold more of the reason.
    [{ code: 'ERR_SQLITE_ERROR', errcode: 267 }, /is damaged \(why\)/],
    [{ code: 'ERR_SQLITE_ERROR', errcode: 13 }, /is on a full disk/],
  ] as const)
    assert.match(fileProblem('The file x', failure(more)) ?? '', expected)
  for (const other of [failure({}), 'text', null]) assert.equal(fileProblem('The file x', other), undefined)
})
