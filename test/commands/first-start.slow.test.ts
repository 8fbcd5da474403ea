// The first minutes of a newcomer: `npm start` in a fresh copy of the project, in a folder with a blank in its name, on
// the machine's own Node, and the line it prints, run as it stands.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { basename, delimiter, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import {
  cleanEnvironment,
  freePorts,
  repository,
  snapshot,
  startProcess,
  temporaryFolder,
  until,
  type Started,
} from '../support/process.ts'

const root = temporaryFolder('vitrine first ')
const project = join(root, 'my project')
const env = cleanEnvironment({
  ...freePorts,
  // As a shell outside of npm has it: what npm puts in front would hide the machine's own Node.
  PATH: (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .join(delimiter),
  NODE_COMPILE_CACHE: undefined,
  npm_config_cache: join(root, 'npm'),
  npm_config_update_notifier: 'false',
})
const hasTool = (name: string) => spawnSync(name, ['--version'], { env }).status === 0
const skip = hasTool('npm') ? false : 'there is no npm on PATH'
const skipCurl = hasTool('curl') ? skip : 'there is no curl on this machine'

const own = new Set(['node_modules', '.git', 'data'])
const started: Started[] = []

async function npmStart(): Promise<Started> {
  const npm = startProcess('npm', ['start'], { cwd: project, env, group: true })
  started.push(npm)
  const said = () => `${npm.child.exitCode ?? npm.child.signalCode ?? 'still running'}\n${npm.stderr()}${npm.stdout()}`
  await until(
    'the service listens',
    () => {
      if (npm.child.exitCode !== null || npm.child.signalCode !== null) assert.fail(said())
      return /^ {2}TLS /m.test(npm.stderr()) && npm.stdout().includes('"listening"')
    },
    said,
  )
  return npm
}

// Whatever was started is of npm's process group.
function isAnyLeft({ child }: Started): boolean {
  try {
    return process.kill(-(child.pid ?? assert.fail('not started')), 0)
  } catch {
    return false
  }
}

async function stop(npm: Started): Promise<void> {
  npm.child.kill('SIGTERM')
  await npm.ended
  await until('no process is left', () => !isAnyLeft(npm))
}

const vitrine = (...words: string[]) =>
  spawnSync('node', ['bin/vitrine.mjs', ...words], { cwd: project, env, encoding: 'utf8' })

interface ListedKey {
  readonly client_id: string
  readonly stores: number[] | null
  readonly price_list: number | null
  readonly permissions: string[]
}
const listKeys = () =>
  vitrine('keys', 'list', '--json')
    .stdout.trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as ListedKey)

// What the first start makes and no other one may change.
const madeOnce = () => {
  const all = Object.entries(snapshot(join(project, 'data')))
  return Object.fromEntries(all.filter(([name]) => /^(pos\.db|development-\w+\.pem)$/.test(name)))
}

describe('npm start', { skip }, () => {
  let first: Started
  let said = ''
  before(async () => {
    cpSync(repository, project, { recursive: true, filter: (source) => !own.has(basename(source)) })
    symlinkSync(join(repository, 'node_modules'), join(project, 'node_modules'))
    first = await npmStart()
    await until('the first call is shown', () => /^curl .*products.*$/m.test(first.stderr()))
    said = first.stderr()
  })
  after(() => {
    for (const npm of started) if (isAnyLeft(npm)) process.kill(-(npm.child.pid ?? 0), 'SIGKILL')
    rmSync(root, { recursive: true, force: true })
  })

  test('the demo company is made, and how far it is is told, but not line after line', () => {
    const progress = said.split('\n').filter((line) => /\d+ % \(/.test(line))
    assert.ok(progress.length >= 1 && progress.length <= 20, `${progress.length} lines of progress`)
    assert.ok(statSync(join(project, 'data', 'pos.db')).size > 1_000_000)
  })

  test('a certificate is made, and it is said that it is self-signed', () => {
    assert.match(said, /self-signed/i)
    assert.match(readFileSync(join(project, 'data', 'development-cert.pem'), 'utf8'), /BEGIN CERTIFICATE/)
    assert.equal(statSync(join(project, 'data', 'development-key.pem')).mode & 0o077, 0)
  })

  test('there is a key for each kind of restriction, each shown with its security code', () => {
    const keys = listKeys()
    const shown = [...said.matchAll(/svc_ak_\w+/g)].map(([text]) => text)
    assert.deepEqual(new Set(shown), new Set(keys.map(({ client_id }) => client_id)))
    assert.equal(new Set([...said.matchAll(/svc_sk_\w+/g)].map(([text]) => text)).size, keys.length)
    const kinds: readonly [kind: string, (key: ListedKey) => boolean][] = [
      [
        'none',
        ({ stores, price_list, permissions }) => stores === null && price_list === null && permissions.length === 15,
      ],
      ['stores', ({ stores }) => (stores?.length ?? 0) > 0],
      ['no store', ({ stores }) => stores?.length === 0],
      ['price list', ({ price_list }) => price_list !== null],
      ['without costs', ({ permissions }) => !permissions.includes('costs:read')],
      ['without balances', ({ permissions }) => !permissions.includes('customers:financial')],
    ]
    for (const [kind, isOne] of kinds) assert.ok(keys.some(isOne), kind)
  })

  test('the address of the documentation page is shown, and the page is there', { skip: skipCurl }, () => {
    const address = /https:\/\/127\.0\.0\.1:\d+\/docs$/m.exec(said)?.[0] ?? assert.fail(said)
    const words = ['-s', '--cacert', 'data/development-cert.pem', address]
    const { stdout } = spawnSync('curl', words, { cwd: project, env, encoding: 'utf8', maxBuffer: 2 ** 24 })
    assert.match(stdout, /<title>Vitrine API<\/title>/)
  })

  test('the line it prints works as it stands: two products in JSON', { skip: skipCurl }, () => {
    const lines = said.split('\n').filter((line) => line.startsWith('curl '))
    assert.equal(lines.length, 1)
    const done = spawnSync('sh', ['-c', lines[0] ?? ''], { cwd: project, env, encoding: 'utf8' })
    assert.equal(done.status, 0, done.stderr)
    const { data, meta } = JSON.parse(done.stdout) as {
      data: { id: number; name: string; price: number }[]
      meta: object
    }
    assert.equal(data.length, 2)
    assert.ok(data.every(({ id, name, price }) => id > 0 && name.length > 0 && typeof price === 'number'))
    assert.deepEqual(Object.keys(meta), ['page', 'per_page', 'total', 'total_pages'])
  })

  test('SIGTERM to npm ends it and leaves no process; a second start makes nothing anew and shows no code', async () => {
    await stop(first)
    const [before, keys] = [madeOnce(), listKeys()]
    assert.equal(Object.keys(before).length, 3)
    const second = await npmStart()
    assert.doesNotMatch(second.stderr() + second.stdout(), /svc_sk_/)
    assert.doesNotMatch(second.stderr(), /\d+ % \(/)
    const port = /https:\/\/127\.0\.0\.1:(\d+)/.exec(second.stderr())?.[1] ?? assert.fail(second.stderr())
    const code = /svc_sk_\w+/.exec(said)?.[0] ?? ''
    const again = /^curl .*$/m.exec(said)?.[0]?.replaceAll(/127\.0\.0\.1:\d+/g, `127.0.0.1:${port}`) ?? ''
    if (!skipCurl) {
      const done = spawnSync('sh', ['-c', again], { cwd: project, env, encoding: 'utf8' })
      assert.match(done.stdout, /^\{"data":\[\{"id":/)
    }
    assert.ok(!second.stdout().includes(code))
    assert.deepEqual(madeOnce(), before)
    assert.deepEqual(listKeys(), keys)
    await stop(second)
  })
})
