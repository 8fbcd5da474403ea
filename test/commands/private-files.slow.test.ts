// Only its own user can read what Vitrine makes, whatever the umask at the start. Existing files keep their mode, and the files
// that SQLite puts beside the file of a POS get that file's mode.
import assert from 'node:assert/strict'
import { chmodSync, copyFileSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { filledRow } from '../support/fixture.ts'
import { makePos } from '../support/pos.ts'
import { runVitrine, startServer, temporaryFolder, until } from '../support/process.ts'

// Of most machines; the processes below inherit it.
process.umask(0o022)
const root = temporaryFolder('vitrine-private-')
// Others come as far as this.
chmodSync(root, 0o755)
after(() => rmSync(root, { recursive: true, force: true }))

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

// Every folder and file in it, and it itself.
const modesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    ['.', ...readdirSync(folder, { recursive: true }).map(String)].map((name) => [name, modeOf(join(folder, name))]),
  )
function assertPrivate(folder: string, ...expected: string[]): void {
  const modes = modesIn(folder)
  for (const name of expected) assert.ok(name in modes, `${name} is not in ${JSON.stringify(modes)}`)
  for (const [name, mode] of Object.entries(modes))
    assert.equal(mode, statSync(join(folder, name)).isDirectory() ? '700' : '600', name)
}

async function run(words: readonly string[], settings: Readonly<Record<string, string>>, cwd = root) {
  const ended = await runVitrine(words, settings, cwd)
  assert.equal(ended.status, 0, ended.stderr)
  return ended
}

suite('private files', { skip: process.platform === 'win32' ? 'Windows has other rights' : false }, () => {
  test('the demo company, and the state of a key', async () => {
    const data = join(root, 'demo', 'data')
    await run(['demo', '--scale', '0.01'], { VITRINE_DATA_DIR: data })
    await run(['keys', 'create', '--name', 'K', '--permissions', 'all'], { VITRINE_DATA_DIR: data })
    assertPrivate(join(root, 'demo'), 'data/pos.db', 'data/state.db')
  })

  test('an import, and the schema', async () => {
    const files = join(root, 'files')
    mkdirSync(files)
    writeFileSync(join(files, 'stores.csv'), 'id,name\n1,Centre\n')
    await run(['import', files], { VITRINE_DATA_DIR: join(root, 'imported') })
    assertPrivate(join(root, 'imported'), 'pos.db')
    await run(['schema', 'apply'], { VITRINE_DATA_DIR: join(root, 'made') })
    assertPrivate(join(root, 'made'), 'pos.db')
  })

  test('a service that runs: certificate, state and their like, and the logs beside the databases', async (context) => {
    const data = join(root, 'serving')
    await run(['demo', '--scale', '0.01'], { VITRINE_DATA_DIR: data })
    const server = await startServer({ folder: data, settings: { VITRINE_PORT: '0' } })
    context.after(() => server.stop())
    await server.token()
    assert.equal((await server.ask('/stores', { token: await server.token() })).status, 200)
    await until('the state has a log', () => readdirSync(data).includes('state.db-wal'))
    assertPrivate(data, 'development-key.pem', 'development-cert.pem', 'state.db-wal', 'state.db-shm', 'pos.db-shm')
  })

  test('what is there keeps its mode, also when it is made anew', async () => {
    const data = join(root, 'opened')
    mkdirSync(data)
    chmodSync(data, 0o750)
    const pos = join(data, 'pos.db')
    await run(['demo', '--scale', '0.01'], { VITRINE_DATA_DIR: data })
    assert.deepEqual([modeOf(data), modeOf(pos)], ['750', '600'])
    chmodSync(pos, 0o640)
    await run(['demo', '--scale', '0.01', '--force'], { VITRINE_DATA_DIR: data })
    assert.deepEqual([modeOf(data), modeOf(pos)], ['750', '640'])
  })

  test('what SQLite puts beside the file of a POS is for those whom that file is for', async (context) => {
    const folder = join(root, 'tills')
    mkdirSync(folder)
    const pos = join(folder, 'pos.db')
    makePos(pos, { stores: [filledRow('stores', 1)] })
    chmodSync(pos, 0o660)
    const server = await startServer({
      folder: join(root, 'beside'),
      settings: { VITRINE_DATABASE_URL: `sqlite:${pos}` },
    })
    context.after(() => server.stop())
    assert.equal((await server.ask('/stores', { token: await server.token() })).status, 200)
    for (const suffix of ['-wal', '-shm']) assert.equal(modeOf(pos + suffix), '660')
  })

  test('a key, a state and a config file that others may read: the start and the doctor say so, with what to do', async (context) => {
    const data = join(root, 'exposed')
    await run(['demo', '--scale', '0.01'], { VITRINE_DATA_DIR: data })
    const first = await startServer({ folder: data })
    await first.stop()
    const [cert, key] = [join(root, 'cert.pem'), join(root, "the key's.pem")]
    copyFileSync(join(data, 'development-cert.pem'), cert)
    copyFileSync(join(data, 'development-key.pem'), key)
    assert.doesNotMatch(first.stderr(), /WARNING/)
    chmodSync(key, 0o644)
    const settings = { VITRINE_TLS_CERT: cert, VITRINE_TLS_KEY: key, VITRINE_TRUST_PROXY: '0.0.0.0/0' }
    const server = await startServer({ folder: data, settings })
    context.after(() => server.stop())
    const remedy = `chmod o= '${key.replace("'", "'\\''")}'`
    await until('it is told', () => server.stderr().includes('VITRINE_TRUST_PROXY trusts 0.0.0.0/0'))
    assert.ok(server.stderr().includes(remedy), server.stderr())
    // The log comes over a pipe of its own.
    const told = await until('it is logged', () => {
      const lines = server.logged().filter(({ event }) => event === 'exposed')
      return lines.length === 2 ? lines : undefined
    })
    assert.deepEqual(
      told.map(({ level, remedy: said }) => [level, String(said)]),
      [
        ['warn', `Close it to them: ${remedy}`],
        ['warn', 'Name the addresses of your proxies, and no others.'],
      ],
    )
    const { stdout } = await server.runProcess('check', '--quick', '--json')
    const { findings } = JSON.parse(stdout) as { findings: { code: string; severity: string; remedy: string }[] }
    assert.deepEqual(
      findings
        .filter(({ code }) => ['open_to_others', 'trusts_everybody'].includes(code))
        .map(({ severity }) => severity),
      ['warns', 'warns'],
    )
  })
})
