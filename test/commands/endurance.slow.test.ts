// What must neither stop the service nor weaken its limits: an unread log, a port that is taken, another user's database.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
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
