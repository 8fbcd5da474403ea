// What must neither stop the service nor weaken its limits: an unread log, a state that is replaced while it runs.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, copyFileSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { openSqlite } from '../../src/platform/sqlite.ts'
import { makePos } from '../support/pos.ts'
import {
  cleanEnvironment,
  freePorts,
  repository,
  runVitrine,
  startProcess,
  startServer,
  temporaryFolder,
  until,
} from '../support/process.ts'

const checkFile = join(repository, 'src', 'engine', 'sqlite', 'check.ts')
const nobody = 65_534
function notRoot(): string | false {
  if (process.geteuid?.() !== 0) return 'only root can act as another user'
  const reads = spawnSync(process.execPath, ['-e', 'fs.readFileSync(process.argv[1])', checkFile], {
    uid: nobody,
    cwd: '/',
  })
  return reads.status === 0 ? false : 'another user cannot read this folder'
}

test('a log that nobody reads any more does not end the service', async () => {
  const server = await startServer()
  try {
    server.child.stdout.destroy()
    for (let count = 0; count < 5; count += 1) assert.equal((await server.ask('/status')).status, 200)
  } finally {
    await server.remove()
  }
})

test('a state that is replaced while the service runs: what the command line writes there holds', async () => {
  const server = await startServer()
  try {
    const key = await server.makeKey()
    const token = await server.tokenOf(key)
    assert.equal((await server.ask('/ping', { token })).status, 200)
    const path = join(server.data, 'state.db')
    // As a backup is put back: everything in one file, moved over the old one.
    await runVitrine(['keys', 'list'], { VITRINE_DATA_DIR: server.data })
    const copy = openSqlite(path)
    copy.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    copy.close()
    copyFileSync(path, `${path}.restored`)
    renameSync(`${path}.restored`, path)
    for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
    const revoked = await runVitrine(['keys', 'revoke', key.client_id], { VITRINE_DATA_DIR: server.data })
    assert.equal(revoked.status, 0, revoked.stderr)
    const refused = await server.ask('/ping', { token })
    assert.ok(refused.status === 401 || refused.status === 503, String(refused.status))
    await until('it answers again', async () => (await server.ask('/ping', { token })).status === 401)
  } finally {
    await server.remove()
  }
})

test('serve --demo with a port taken makes nothing', async () => {
  const folder = temporaryFolder()
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  try {
    const port = String((taken.address() as AddressInfo).port)
    const settings = { VITRINE_DATA_DIR: join(folder, 'data'), ...freePorts, VITRINE_PORT: port }
    const { status, stderr } = await runVitrine(['serve', '--demo'], settings, folder)
    assert.equal(status, 2, stderr)
    assert.match(stderr, /in use/)
    assert.deepEqual(readdirSync(folder), [])
  } finally {
    taken.close()
    rmSync(folder, { recursive: true })
  }
})

test(
  'under another user than the POS database, the service refuses to start and leaves no file',
  { skip: notRoot() },
  () => {
    const folder = temporaryFolder()
    try {
      const [pos, own] = [join(folder, 'pos.db'), join(folder, 'own')]
      makePos(pos, {})
      mkdirSync(own)
      for (const each of [folder, own]) chmodSync(each, 0o777)
      chownSync(pos, 1, 1)
      const look = `import(${JSON.stringify(pathToFileURL(checkFile).href)}).then(({ checkSqliteFile }) => console.log(checkSqliteFile(${JSON.stringify(pos)}).join()))`
      const problems = (mode: number, uid: number) => {
        chmodSync(pos, mode)
        const before = readdirSync(folder)
        const said = spawnSync(process.execPath, ['-e', look], { encoding: 'utf8', uid, cwd: own }).stdout
        if (said.includes('belongs to another user')) assert.deepEqual(readdirSync(folder), before)
        return said.trim()
      }
      assert.match(problems(0o644, nobody), /belongs to another user/)
      assert.equal(problems(0o644, 1), '')
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
)

test('serve --demo on data of its own makes no keys', async () => {
  const folder = temporaryFolder()
  const data = join(folder, 'data')
  mkdirSync(data)
  makePos(join(data, 'pos.db'), {})
  const program = join(repository, 'bin', 'vitrine.mjs')
  const env = cleanEnvironment({ VITRINE_DATA_DIR: data, ...freePorts })
  const started = startProcess(process.execPath, [program, 'serve', '--demo', '--json'], { cwd: folder, env })
  try {
    await until('it listens', () => started.stdout().includes('"listening"'))
    assert.match(started.stderr(), /not the demo company/)
    assert.doesNotMatch(started.stderr(), /svc_sk_/)
    const listed = await runVitrine(['keys', 'list', '--json'], { VITRINE_DATA_DIR: data })
    assert.equal(listed.stdout, '')
  } finally {
    started.child.kill('SIGTERM')
    await started.ended
    rmSync(folder, { recursive: true })
  }
})
