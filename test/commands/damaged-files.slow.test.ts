// Files that are damaged, locked or not for this user: `serve` ends with 2 and commands with 1, and each says which file it is and
// what to do.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, closeSync, mkdirSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { after, describe, test } from 'node:test'
import { fileProblem, openSqlite } from '../../src/platform/sqlite.ts'
import { makePos } from '../support/pos.ts'
import { freePorts, runVitrine, startProcess, temporaryFolder } from '../support/process.ts'

const root = temporaryFolder()
after(() => rmSync(root, { recursive: true }))

let folders = 0
async function makeFolder() {
  const folder = join(root, String((folders += 1)))
  mkdirSync(folder)
  makePos(join(folder, 'pos.db'), { stores: [{ id: 1, name: 'Main' }] })
  const settings = { VITRINE_DATA_DIR: folder, ...freePorts }
  const run = (...words: string[]) => runVitrine(words, settings)
  const made = await run('keys', 'create', '--name', 'Test', '--permissions', 'all')
  assert.equal(made.status, 0, made.stderr)
  return { folder, settings, run }
}

// Noise in place of all pages after the first, or of all.
function damage(path: string, from: number): void {
  const file = openSync(path, 'r+')
  for (let at = from; at < statSync(path).size; at += 4096) writeSync(file, Buffer.alloc(4096, 0xa5), 0, 4096, at)
  closeSync(file)
}

const isOneSentence = (stderr: string) => assert.match(stderr, /^vitrine: \S.*[.]\n$/)
const create = ['keys', 'create', '--name', 'Other', '--permissions', 'all']

describe('a damaged state', () => {
  for (const [what, from] of [
    ['but for its first page', 4096],
    ['after its header', 100],
  ] as const)
    test(what, async () => {
      const { folder, run } = await makeFolder()
      const path = join(folder, 'state.db')
      damage(path, from)
      for (const [words, expected] of [
        [['serve'], [2]],
        [create, [1, 2]],
        [
          ['keys', 'list'],
          [1, 2],
        ],
        [
          ['audit', 'list'],
          [1, 2],
        ],
      ] as const) {
        const { status, stderr, stdout } = await run(...words)
        assert((expected as readonly (number | null)[]).includes(status), `${words.join(' ')}: ${status} ${stderr}`)
        assert(stderr.includes(`The state database ${path} is damaged (`), stderr)
        assert.match(stderr, /put a backup in its place\.\n$/)
        isOneSentence(stderr)
        assert.equal(stdout, '')
      }
    })
})

test('a state that somebody has locked: keys create says so', async () => {
  const { folder, run } = await makeFolder()
  const path = join(folder, 'state.db')
  const writer = openSqlite(path)
  writer.exec('BEGIN IMMEDIATE')
  try {
    const { status, stderr } = await run(...create)
    assert.equal(status, 1)
    assert(stderr.includes(`The state database ${path} is locked by another program (`), stderr)
    isOneSentence(stderr)
    assert.equal((await run('keys', 'list')).status, 0)
  } finally {
    writer.close()
  }
})

describe('schema apply', () => {
  test('on a damaged file', async () => {
    const { folder, run } = await makeFolder()
    const path = join(folder, 'pos.db')
    damage(path, 4096)
    const { status, stderr } = await run('schema', 'apply', '--json')
    assert.equal(status, 1)
    assert(stderr.includes(`The POS database ${path} is damaged (`), stderr)
    isOneSentence(stderr)
  })

  test('on a file that somebody has locked', async () => {
    const { folder, run } = await makeFolder()
    const path = join(folder, 'pos.db')
    const writer = openSqlite(path)
    writer.exec('BEGIN IMMEDIATE')
    try {
      const { status, stderr } = await run('schema', 'apply', '--json')
      assert.equal(status, 1)
      assert(stderr.includes(`The POS database ${path} is locked by another program (`), stderr)
      isOneSentence(stderr)
    } finally {
      writer.close()
    }
  })
})

const nobody = 65_534
const isRoot = process.geteuid?.() === 0
const program = join(import.meta.dirname, '..', '..', 'bin', 'main.ts')
const isSeenByNobody =
  isRoot &&
  spawnSync(process.execPath, ['-e', 'fs.readFileSync(process.argv[1])', program], { uid: nobody, cwd: '/' }).status ===
    0

test(
  'a POS database that this user may not read: serve says so, and ends with 2',
  { skip: isSeenByNobody ? false : 'nobody else can be played here' },
  async () => {
    const { folder, settings } = await makeFolder()
    for (const name of ['', 'state.db']) chownSync(join(folder, name), nobody, nobody)
    chmodSync(root, 0o755)
    chmodSync(join(folder, 'pos.db'), 0o600)
    const { PATH } = process.env
    const { ended } = startProcess(process.execPath, [program, 'serve'], {
      cwd: folder,
      env: { PATH, ...settings, NODE_COMPILE_CACHE: '' },
      uid: nobody,
    })
    const { status, stderr } = await ended
    assert.equal(status, 2, stderr)
    assert(stderr.includes(`The POS database ${join(folder, 'pos.db')} may not be used by this user (`), stderr)
    isOneSentence(stderr)
  },
)

const failure = (more: object) => Object.assign(new Error('why'), more)

test('what the system or SQLite refused becomes a sentence; what is no fault of the file does not', () => {
  const name = 'The file x'
  for (const [more, expected] of [
    [{ code: 'EACCES' }, 'The file x may not be used by this user (why). See who owns it and its folder.'],
    [{ code: 'ENOENT' }, 'The file x cannot be used: why.'],
    [{ code: 'ERR_SQLITE_ERROR', errcode: 5 }, /is locked by another program \(why\)/],
    // The longer numbers hold more of the reason.
    [{ code: 'ERR_SQLITE_ERROR', errcode: 267 }, /is damaged \(why\)/],
    [{ code: 'ERR_SQLITE_ERROR', errcode: 13 }, /is on a full disk/],
  ] as const) {
    const said = fileProblem(name, failure(more)) ?? ''
    if (typeof expected === 'string') assert.equal(said, expected)
    else assert.match(said, expected)
  }
  for (const other of [failure({}), 'text', null]) assert.equal(fileProblem(name, other), undefined)
})
