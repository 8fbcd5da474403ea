// Foreign text on a terminal: whatever stands in the data, the state, names of files, arguments or answers of a service, no command
// writes a raw control, bidirectional or invisible character, as text or as JSON. Every command is tried, also one added later.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { progressBar } from '../../src/terminal/progress.ts'
import { printable, printableJson, printableLine } from '../../src/terminal/printable.ts'
import { allCommands } from '../../bin/commands.ts'
import { createOutput } from '../../src/cli/output.ts'
import { createLog } from '../../src/platform/log.ts'
import { openSqlite } from '../../src/platform/sqlite.ts'
import { filledRow } from '../support/fixture.ts'
import { startOtherService } from '../support/other-service.ts'
import { makePos } from '../support/pos.ts'
import { freePorts, runVitrine, startServer, type Ended } from '../support/process.ts'

// Sets the title, clears the screen (also with one byte), turns the text round, hides a letter, begins a line of its own.
const hostile = 'A\u001B]0;x\u0007\u001B[2J\u009B2J\u202Ebc\u200B\u007F\r\t\nvitrine: B\u{E0041}'
// What the settings take: they refuse control characters in paths.
const hostilePath = 'A\u202Ebc\u200B\u2066'
const raw = /(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/u
const escaped = /\\x1b|\\u001b|\\u202e/

function assertSafe(what: string, written: string): void {
  const found = raw.exec(written)
  assert.equal(found, null, `${what}: a raw ${JSON.stringify(found?.[0])} in ${JSON.stringify(written)}`)
  assert.doesNotMatch(written, /^vitrine: B/m, `${what}: a line that is not the program's`)
}

suite('text is made safe to print', () => {
  test('every control and format character becomes visible; letters of any language stay', () => {
    for (let code = 0; code < 0x30000; code += 1) {
      const letter = String.fromCodePoint(code)
      if (/\p{Cs}/u.test(letter)) continue
      const isUnsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(letter)
      const shown = printableLine(letter)
      assert.equal(shown === letter, !isUnsafe, code.toString(16))
      if (isUnsafe) assert.match(shown, /^\\(x[0-9a-f]{2}|u[0-9a-f]{4}|u\{[0-9a-f]+\})$/)
    }
    assert.equal(printableLine('Café, Ayiti: Ti Gwo, 日本, \u{1F600}'), 'Café, Ayiti: Ti Gwo, 日本, \u{1F600}')
    assert.deepEqual([printable('a\nb\r'), printableLine('a\nb\r')], ['a\nb\\x0d', 'a\\x0ab\\x0d'])
  })

  test('JSON keeps its meaning', () => {
    const value = { [hostile]: [hostile, 'é', '\\x1b', '\u{1F600}'] }
    const json = printableJson(JSON.stringify(value))
    assertSafe('json', json)
    assert.deepEqual(JSON.parse(json), value)
  })

  test('results, remarks, progress lines and log lines; colours are the only sequences, and the program writes them itself', () => {
    const lines: string[] = []
    const stream = { isTTY: true, write: (text: string) => void lines.push(text) }
    const output = createOutput(false, stream, stream, {})
    output.result(null, [{ colour: 'red', text: hostile }, hostile, '\u001B[31m'])
    const [painted = ''] = lines
    assert.ok(painted.startsWith('\u001B[31mA\\x1b]0;x'))
    const [own, reset] = ['\u001B[31m', '\u001B[0m'] as const
    assert.deepEqual([painted.split(own).length, painted.split(reset).length], [2, 2])
    assert.equal(raw.exec(painted.replace(own, '').replace(reset, '')), null)
    lines.length = 0
    output.remark(hostile)
    createOutput(true, stream, stream).result({ text: hostile }, '')
    createLog('info', (line) => lines.push(line)).info('request', { path: hostile, cause: new Error(hostile) })
    const bar = progressBar({ stream: { write: (text: string) => void lines.push(text) } })
    bar.update({ what: hostile, done: 1, total: 2 })
    bar.finish()
    assert.equal(lines.length, 4)
    for (const line of lines) assertSafe('a line', line)
  })
})

suite('every command', { concurrency: 3 }, () => {
  const folder = mkdtempSync(join(tmpdir(), `vitrine-${hostilePath}-`))
  const files = join(folder, 'files')
  const settings = { VITRINE_DATA_DIR: folder, ...freePorts }
  const run = (words: readonly string[]) => runVitrine(words, settings, folder)
  const key = 'svc_ak_hostile'

  before(async () => {
    const currency = hostile.slice(0, 20)
    makePos(join(folder, 'pos.db'), {
      invoices: [filledRow('invoices', 1, { kind: 1, currency })],
      stores: [filledRow('stores', 1, { name: hostile })],
    })
    assert.equal((await run(['keys', 'create', '--name', 'K', '--permissions', 'all'])).status, 0)
    const state = openSqlite(join(folder, 'state.db'))
    const now = Date.now()
    state.prepare('UPDATE keys SET name = ?, access_key = ?').run(hostile, key)
    state.prepare('UPDATE permission_use SET access_key = ?, hour = 0').run(key)
    state
      .prepare('UPDATE audit SET by = ?, subject = ?, details = ?')
      .run(hostile, hostile, JSON.stringify({ name: hostile }))
    state.prepare('INSERT INTO usage VALUES (?, ?, ?, ?, 1, 1)').run(now - (now % 3_600_000), hostile, hostile, hostile)
    state.prepare("INSERT INTO accounts VALUES ('x', ?, 'viewer', x'', x'', 0, NULL)").run(hostile)
    state.prepare('INSERT INTO failures VALUES (?, ?, ?, 20, ?)').run(hostile, Buffer.alloc(0), now, now + 900_000)
    state.close()
    mkdirSync(files)
    // A header, a value, and names of files that are not read or are misspelt.
    const cell = hostile.replace('\r', '')
    writeFileSync(join(files, 'stores.csv'), `id,"${cell}",name\n1,"${cell}",x\n"${cell}",y,z\n`)
    writeFileSync(join(files, `x${hostile.replaceAll('/', '')}.txt`), '')
    writeFileSync(join(folder, 'views.sql'), `CREATE VIEW "${hostile}" AS SELECT 1; ${hostile}`)
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  // What shows stored text, beside the general run below; each must then be seen to show it.
  const showing: Readonly<Record<string, readonly (readonly string[])[]>> = {
    check: [['check', '--timeout', '30']],
    config: [['config']],
    demo: [['demo', '--scale', hostile]],
    import: [
      ['import', 'files'],
      ['import', '--dry-run', hostile],
    ],
    copy: [
      ['copy', '--plan', '--from', 'sqlite:pos.db', '--views', 'views.sql'],
      ['copy', '--plan', '--from', 'sqlite:pos.db', '--views', hostile],
    ],
    'keys list': [
      ['keys', 'list'],
      ['keys', 'list', '--json'],
    ],
    'keys show': [['keys', 'show', key]],
    'keys unused': [['keys', 'unused']],
    'keys update': [['keys', 'update', key, '--rate', '100']],
    'keys regenerate': [['keys', 'regenerate', key]],
    'blocks list': [['blocks', 'list']],
    'usage list': [['usage', 'list']],
    'audit list': [['audit', 'list']],
    'admin list': [['admin', 'list']],
    'schema apply': [['schema', 'apply']],
  }

  const tried = async (words: readonly string[], shows: boolean) => {
    const { stdout, stderr } = await run(words)
    const what = `vitrine ${JSON.stringify(words)}`
    assertSafe(what, stdout)
    assertSafe(what, stderr)
    if (shows) assert.match(stdout + stderr, escaped, `${what} shows nothing hostile`)
  }

  for (const { name, operands = [] } of allCommands.filter((command) => command.name !== 'serve')) {
    if (operands.length > 0 || !(name in showing))
      test(`${name}, of something hostile`, () => tried([...name.split(' '), ...operands.map(() => hostile)], false))
    for (const words of showing[name] ?? [])
      test(`${name} shows something hostile: ${printableJson(JSON.stringify(words))}`, () => tried(words, true))
  }

  test('commands, options and settings that do not exist', async () => {
    await tried([hostile], true)
    await tried(['keys', hostile], true)
    await tried(['keys', 'list', hostile, `--${hostile}`], true)
    await tried(['config', '--config', hostile], true)
    const { stdout, stderr } = await runVitrine(
      ['config'],
      { ...settings, VITRINE_HOST: hostile, VITRINE_PROT: '1' },
      folder,
    )
    assertSafe('config', stdout + stderr)
    assert.match(stderr, escaped)
  })

  test('serve: its first words and its log', async () => {
    const server = await startServer({ folder, settings: { VITRINE_DATA_DIR: folder } })
    try {
      const headers = { Authorization: 'Bearer \u009B2J', 'User-Agent': '\u009B2J' }
      for (const path of ['/%1b%5b2J', `/invoices?search=${encodeURIComponent(hostile)}`])
        assert.ok((await server.ask(path, { headers })).status >= 400)
    } finally {
      await server.stop()
    }
    assertSafe('serve', server.stdout())
    assertSafe('serve', server.stderr())
    assert.match(server.stdout(), escaped)
  })
})

suite('pull from a hostile service', { concurrency: 3 }, () => {
  const error = { error: { code: hostile, message: hostile, details: [{ parameter: hostile, message: hostile }] } }
  const said = {
    'a name of a resource': { '/resources': { body: { data: [{ name: hostile, fields: [] }] } } },
    'a refusal': { '/resources': { status: 403, headers: { 'X-Request-Id': '\u009B2J' }, body: error } },
    'a refusal to sign in': { '/auth/token': { status: 400, body: { error: hostile, error_description: hostile } } },
    'no JSON': { '/resources': { body: hostile } },
  }
  for (const [what, answers] of Object.entries(said))
    test(what, async () => {
      const service = await startOtherService((path) => (answers as Record<string, { body: unknown }>)[path])
      try {
        for (const words of [[], ['--json']]) {
          const { stdout, stderr, status }: Ended = await service.pull('--to', 'mirror', ...words)
          assert.equal(status, 1)
          assertSafe(what, stdout)
          assertSafe(what, stderr)
        }
      } finally {
        service.close()
      }
    })
})
