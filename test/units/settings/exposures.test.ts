// Settings that leave files with secrets or data open to other users, given their modes and those of the folders above, and trusted
// proxies that include public addresses.
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { findExposures } from '../../../src/settings/exposures.ts'
import { loadSettings } from '../../../src/settings/load.ts'

const root = mkdtempSync(join(tmpdir(), 'vitrine-exposed-'))
// Like a system folder: others can reach its files.
chmodSync(root, 0o755)
after(() => rmSync(root, { recursive: true }))

let made = 0
function folder(mode = 0o755): string {
  const path = join(root, String((made += 1)))
  mkdirSync(path)
  chmodSync(path, mode)
  return path
}
function file(path: string, mode: number, text = ''): string {
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}

function exposures(env: Record<string, string>, cwd: string, configPath?: string) {
  const loaded = loadSettings({ env, cwd, ...(configPath === undefined ? {} : { configPath }) })
  assert.ok('settings' in loaded, JSON.stringify(loaded))
  return findExposures(loaded.settings, loaded.secretFiles)
}

function found(env: Record<string, string>, cwd = folder(), configPath?: string): string[] {
  return exposures(env, cwd, configPath).map(({ code, message, remedy }) => {
    assert.match(message, /^[A-Z].*\.$/)
    assert.match(remedy, code === 'open_to_others' ? /chmod o= / : /proxies/)
    return `${code} ${message}`
  })
}

const isWindows = process.platform === 'win32'

suite('files', { skip: isWindows ? 'Windows has other rights' : false }, () => {
  for (const [mode, says] of [
    [0o600, null],
    [0o640, null],
    [0o660, null],
    [0o644, 'read'],
    [0o666, 'changed'],
    [0o602, 'changed'],
  ] as const)
    test(`a private key of mode ${mode.toString(8)}: ${says ?? 'nothing is said'}`, () => {
      const at = folder()
      const key = file(join(at, 'key.pem'), mode)
      const expected = `open_to_others The certificate's private key, ${key}, may be ${says} by every user of this machine.`
      assert.deepEqual(
        found({ VITRINE_TLS_CERT: 'c', VITRINE_TLS_KEY: 'key.pem' }, at),
        says === null ? [] : [expected],
      )
    })

  test('a folder on the way that is closed to others is enough; a link is looked through', () => {
    const [closed, open] = [folder(0o700), folder()]
    const key = file(join(closed, 'key.pem'), 0o644)
    assert.deepEqual(found({ VITRINE_TLS_CERT: 'c', VITRINE_TLS_KEY: key }), [])
    symlinkSync(file(join(open, 'real.pem'), 0o644), join(closed, 'link.pem'))
    const told = found({ VITRINE_TLS_CERT: 'c', VITRINE_TLS_KEY: join(closed, 'link.pem') })
    assert.equal(told.length, 1)
  })

  test('the state and files in the data folder; not the file of a POS elsewhere', () => {
    const [at, elsewhere] = [folder(), folder()]
    mkdirSync(join(at, 'data'))
    chmodSync(join(at, 'data'), 0o755)
    for (const name of ['pos.db', 'state.db', 'development-key.pem']) file(join(at, 'data', name), 0o644)
    assert.deepEqual(
      found({}, at).map((each) => each.replace(/,.*/, '')),
      ["open_to_others The certificate's private key", 'open_to_others The state', 'open_to_others The POS data'],
    )
    const pos = file(join(elsewhere, 'pos.db'), 0o644)
    chmodSync(join(at, 'data'), 0o700)
    assert.deepEqual(found({ VITRINE_DATABASE_URL: `sqlite:${pos}` }, at), [])
  })

  test('the remedy for the state closes the files of SQLite beside it, too, where there are any', () => {
    const at = folder()
    const state = file(join(at, 'own.db'), 0o644)
    const remedies = () => exposures({ VITRINE_STATE_URL: 'sqlite:own.db' }, at).map(({ remedy }) => remedy)
    assert.deepEqual(remedies(), [`Close it to them: chmod o= ${state}`])
    for (const suffix of ['-wal', '-shm']) file(state + suffix, 0o644)
    assert.deepEqual(remedies(), [`Close it to them: chmod o= ${state} ${state}-wal ${state}-shm`])
  })

  test('a config file, or the file of a setting, that holds a password; one without may be read by all', () => {
    const at = folder()
    const [secret, plain] = ['postgres://vitrine:geheim@db.example/pos', 'postgres://vitrine@db.example/pos']
    const config = (url: string) => file(join(at, `${(made += 1)}.conf`), 0o644, `VITRINE_STATE_URL=${url}\n`)
    const own = config(secret)
    assert.match(found({}, at, own)[0] ?? '', new RegExp(`^open_to_others The file with secrets, ${own}, may be read`))
    assert.deepEqual(found({}, at, config(plain)), [])
    for (const [url, count] of [
      [secret, 1],
      [plain, 0],
    ] as const) {
      file(join(at, 'url'), 0o644, `${url}\n`)
      assert.equal(found({ VITRINE_STATE_URL_FILE: 'url' }, at).length, count)
    }
    assert.doesNotMatch(JSON.stringify(found({}, at, own)), /geheim/)
    // In the environment it is in no file.
    assert.deepEqual(found({ VITRINE_STATE_URL: secret }, at), [])
  })
})

suite('proxies', () => {
  const strangers = [
    '0.0.0.0/0',
    '::/0',
    '0.0.0.0/1',
    '128.0.0.0/1',
    '2000::/3',
    '::ffff:0.0.0.0/96',
    '0:0:0:0:0:ffff:0:0/96',
  ]
  const own = ['127.0.0.1', '::1', '10.0.0.0/8', '192.168.0.0/16', 'fc00::/7', 'fd00::/8', '::ffff:10.0.0.0/104']
  for (const range of strangers)
    test(`${range} trusts public addresses`, () => {
      const [told = '', ...more] = found({ VITRINE_TRUST_PROXY: `127.0.0.1,${range}` })
      assert.ok(told.startsWith(`trusts_everybody VITRINE_TRUST_PROXY trusts ${range}: `), told)
      assert.deepEqual(more, [])
    })
  test(`${own.join(', ')} do not`, () => assert.deepEqual(found({ VITRINE_TRUST_PROXY: own.join(',') }), []))
})
