// A state in a file that fails under a running service: sign-in is refused (503 with Retry-After), no unknown token is let
// through, the listener still answers, and all recovers with the file, without a restart.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, copyFileSync, existsSync, openSync, closeSync, readFileSync, renameSync } from 'node:fs'
import { rmSync, statSync, truncateSync, unlinkSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { openSqlite } from '../../src/platform/sqlite.ts'
import { isLong, told } from '../support/how-much.ts'
import {
  assertCommonHeaders,
  startServer,
  temporaryFolder,
  until,
  type Answer,
  type NewKey,
  type Server,
} from '../support/process.ts'
import { behindProxy, newAddress, proxied, watchStatus, type Proxied } from '../support/proxied.ts'

// A listener that waits for the state would be held up for half a second and more.
const mostLagMs = 100

interface Service {
  readonly server: Server
  readonly via: Proxied
  readonly key: NewKey
  readonly token: string
  readonly path: string
}

async function serve(settings = {}, uid?: number): Promise<Service> {
  const server = await startServer({
    rows: { stores: [{ id: 1, name: 'Main' }] },
    settings: { ...behindProxy, VITRINE_READERS: '1', ...settings },
    ...(uid === undefined ? {} : { uid }),
  })
  const key = await server.makeKey('--rate', '1000000')
  const via = proxied(server)
  const { body, text } = await via.signIn(key)
  assert(body.access_token, text)
  const path = server.settings['VITRINE_STATE_URL']?.replace('sqlite:', '') ?? join(server.data, 'state.db')
  return { server, via, key, token: String(body.access_token), path }
}

function assertUnavailable({ status, headers, body, text }: Answer) {
  assert.deepEqual(
    [status, typeof body.error === 'string' ? body.error : body.error?.code],
    [503, 'temporarily_unavailable'],
    text,
  )
  assert(Number(headers['retry-after']) >= 1)
  assertCommonHeaders(headers)
}

interface Fault {
  readonly name: string
  /** Whether requests with a good token are still answered. */
  readonly readable: boolean | 'either'
  readonly harm: (service: Service) => (() => void | Promise<void>) | Promise<() => void>
}

async function endure({ name, readable, harm }: Fault, service: Service) {
  const { via, key, token } = service
  // What the token may do is remembered: that must not outlast the file.
  for (let turn = 0; turn < 3; turn += 1) assert.equal((await via.ask('/stores', { token })).status, 200)
  const mend = await harm(service)
  const status = watchStatus(via)
  let served = 0
  let refused = 0
  try {
    await until('nobody signs in any more', async () => (await via.signIn(key)).status === 503)
    for (let turn = 0; turn < 3 || status.count() < 20; turn += 1) {
      // Each of them waits for the state at most; all at once, as callers come.
      const [right, wrong, ...others] = await Promise.all([
        via.signIn(key),
        via.signIn({ ...key, client_secret: 'svc_sk_wrong' }),
        via.ask('/stores', { token: `svc_at_${'x'.repeat(52)}` }),
        via.ask('/stores'),
        via.ask('/ping', { token: key.client_secret }),
        via.ask('/stores', { token }),
      ])
      const known = others.pop() as Answer
      assertUnavailable(right)
      assertUnavailable(wrong)
      for (const answer of others) {
        if (answer.status !== 401) assertUnavailable(answer)
        assert.equal(answer.body.data, undefined)
        refused += 1
      }
      if (known.status === 200) served += 1
      else assertUnavailable(known)
      if (readable !== 'either') assert.equal(known.status === 200, readable, known.text)
    }
  } finally {
    const { count, middle, worst } = await status.stop()
    await mend()
    told(
      `${name}: ${count} times /status meanwhile, in ${middle} ms, at worst ${worst} ms; ${refused} refused, ${served} with a token served`,
    )
    if (isLong) assert(worst < mostLagMs, `/status took ${worst} ms`)
  }
  await until(
    'all is well',
    async () => {
      const answers = await Promise.all([via.signIn(key), via.ask('/stores', { token })])
      return answers.every((answer) => answer.status === 200)
    },
    () => service.server.stdout().slice(-2000),
  )
  assert.equal((await via.signIn({ ...key, client_secret: 'svc_sk_wrong' })).status, 401)
  assert.equal((await via.ask('/stores', { token: `svc_at_${'x'.repeat(52)}` })).status, 401)
}

const besides = ['-wal', '-shm']
const moveAll = (from: string, to: string) => {
  for (const suffix of ['', ...besides]) if (existsSync(from + suffix)) renameSync(from + suffix, to + suffix)
}

/** Everything in one file, as a backup has it. */
function backUp(path: string, copy: string) {
  const database = openSqlite(path, { lockTimeoutMs: 10_000 })
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
  copyFileSync(path, copy)
}

function replaceBy(make: (path: string) => void): Fault['harm'] {
  return ({ path }) => {
    const [aside, next] = [`${path}.aside`, `${path}.next`]
    backUp(path, aside)
    make(next)
    renameSync(next, path)
    for (const suffix of besides) rmSync(path + suffix, { force: true })
    return () => {
      for (const suffix of besides) rmSync(path + suffix, { force: true })
      renameSync(aside, path)
    }
  }
}

const faults: readonly Fault[] = [
  {
    name: 'locked by another process',
    readable: true,
    harm({ path }) {
      const locker = openSqlite(path, { lockTimeoutMs: 10_000 })
      locker.exec('BEGIN EXCLUSIVE')
      return () => {
        locker.exec('ROLLBACK')
        locker.close()
      }
    },
  },
  {
    name: 'moved away',
    readable: false,
    harm({ path }) {
      moveAll(path, `${path}.away`)
      return () => moveAll(`${path}.away`, path)
    },
  },
  {
    name: 'deleted, and put back from a backup',
    readable: false,
    harm({ path }) {
      backUp(path, `${path}.backup`)
      for (const suffix of ['', ...besides]) rmSync(path + suffix, { force: true })
      return () => renameSync(`${path}.backup`, path)
    },
  },
  {
    name: 'replaced by something that is no database',
    readable: false,
    harm: replaceBy((path) => writeFileSync(path, 'This is a letter, not a database. '.repeat(1000))),
  },
  {
    name: 'replaced by a database of another program',
    readable: false,
    harm: replaceBy((path) => {
      const other = openSqlite(path)
      other.exec('CREATE TABLE keys (access_key TEXT); CREATE TABLE tokens (hash BLOB)')
      other.close()
    }),
  },
  {
    name: 'overwritten with noise in its place',
    readable: 'either',
    harm({ path }) {
      backUp(path, `${path}.whole`)
      const whole = readFileSync(path)
      writeFileSync(path, Buffer.alloc(whole.length, 0xa5))
      return () => {
        // As an operator may do it without stopping the service: the good file is copied over the bad one.
        for (const suffix of besides) rmSync(path + suffix, { force: true })
        copyFileSync(`${path}.whole`, path)
      }
    },
  },
  {
    name: 'emptied, as whoever copies a backup over it does before the first byte',
    readable: false,
    harm({ path }) {
      backUp(path, `${path}.whole`)
      for (const suffix of besides) rmSync(path + suffix, { force: true })
      truncateSync(path)
      return () => copyFileSync(`${path}.whole`, path)
    },
  },
  {
    name: 'with every page but the first overwritten',
    readable: 'either',
    harm({ path }) {
      backUp(path, `${path}.whole`)
      const file = openSync(path, 'r+')
      for (let at = 4096; at < statSync(path).size; at += 4096) writeSync(file, Buffer.alloc(4096, 0xa5), 0, 4096, at)
      closeSync(file)
      return () => {
        renameSync(`${path}.whole`, path)
        for (const suffix of besides) rmSync(path + suffix, { force: true })
      }
    },
  },
]

describe('a state', () => {
  let service: Service
  before(async () => {
    service = await serve()
  })
  after(async () => {
    service.via.close()
    await service.server.remove()
  })
  for (const fault of faults)
    test(`${fault.name}: 503, nothing is let through, and all is well without a restart`, () => endure(fault, service))

  test('copied over by one in which a key was revoked: its token is refused from the next request on', async () => {
    const { server, via, path } = service
    const other = await server.makeKey()
    const token = await server.tokenOf(other)
    assert.equal((await via.ask('/ping', { token })).status, 200)
    backUp(path, `${path}.other`)
    const database = openSqlite(`${path}.other`)
    database.prepare('UPDATE keys SET revoked_at = 1 WHERE access_key = ?').run(other.client_id)
    database.exec('PRAGMA journal_mode = DELETE; PRAGMA journal_mode = WAL')
    database.close()
    assert.equal((await via.ask('/ping', { token })).status, 200)
    copyFileSync(`${path}.other`, path)
    for (let turn = 0; turn < 5; turn += 1) {
      const { status, text } = await via.ask('/ping', { token })
      assert([401, 503].includes(status), text)
    }
    await until('all is well', async () => (await via.ask('/ping', { token })).status === 401)
    assert.equal((await via.ask('/stores', { token: service.token })).status, 200)
  })

  test('replaced by an empty file: nobody gets in by it, and what was there before holds again afterwards', async () => {
    const { via, key, token, path } = service
    backUp(path, `${path}.aside`)
    for (const suffix of ['', ...besides]) rmSync(path + suffix, { force: true })
    writeFileSync(path, '')
    for (let turn = 0; turn < 5; turn += 1)
      for (const answer of await Promise.all([via.signIn(key), via.ask('/stores', { token }), via.ask('/stores')]))
        assert([401, 503].includes(answer.status), answer.text)
    renameSync(`${path}.aside`, path)
    for (const suffix of besides) rmSync(path + suffix, { force: true })
    await until('all is well', async () => (await via.ask('/stores', { token })).status === 200)
    assert.equal((await via.signIn(key)).status, 200)
  })
})

const isRoot = process.geteuid?.() === 0
const megabytes = 1
let disk = ''
const noDisk = isRoot && process.platform === 'linux' ? false : 'only root can mount a small disk'
test(
  'a state on a full disk: 503, nothing is let through, and all is well once there is room',
  { skip: noDisk },
  async (context) => {
    disk = temporaryFolder('vitrine-disk-')
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'none', disk], { encoding: 'utf8' })
    if (mounted.status !== 0) return context.skip(`no disk can be mounted here: ${mounted.stderr.trim()}`)
    let service: Service | undefined
    try {
      service = await serve({ VITRINE_STATE_URL: `sqlite:${join(disk, 'state.db')}` })
      const full: Fault = {
        name: 'on a full disk',
        readable: true,
        async harm({ via, key }) {
          const filler = join(disk, 'filler')
          const file = openSync(filler, 'w')
          const fill = (bytes: number) => {
            try {
              for (;;) writeSync(file, Buffer.alloc(bytes))
            } catch (error) {
              assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
            }
          }
          fill(65_536)
          fill(512)
          // The log has room of its own until it has to grow.
          await until('there is no room any more', async () => (await via.signIn(key, newAddress())).status === 503)
          closeSync(file)
          return () => unlinkSync(filler)
        },
      }
      await endure(full, service)
      await endure(full, service)
    } finally {
      service?.via.close()
      await service?.server.remove()
      spawnSync('umount', [disk])
      rmSync(disk, { recursive: true, force: true })
    }
  },
)

const nobody = 65_534
function cannotBeNobody(): string | false {
  if (!isRoot) return false
  const program = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts')
  const reads = spawnSync(process.execPath, ['-e', 'fs.readFileSync(process.argv[1])', program], {
    uid: nobody,
    cwd: '/',
  })
  return reads.status === 0 ? false : 'another user cannot read this folder'
}

test(
  'a state that was made read-only: 503 for those who sign in, tokens go on',
  { skip: cannotBeNobody() },
  async (context) => {
    const service = await serve({}, isRoot ? nobody : undefined)
    context.after(async () => {
      service.via.close()
      await service.server.remove()
    })
    await endure(
      {
        name: 'read-only',
        readable: 'either',
        harm: ({ path }) => {
          // What is open stays open: a file that can only be read is put in its place.
          backUp(path, `${path}.whole`)
          copyFileSync(`${path}.whole`, `${path}.next`)
          chmodSync(`${path}.next`, 0o444)
          renameSync(`${path}.next`, path)
          for (const suffix of besides) rmSync(path + suffix, { force: true })
          return () => {
            if (isRoot) chownSync(`${path}.whole`, nobody, nobody)
            chmodSync(`${path}.whole`, 0o600)
            renameSync(`${path}.whole`, path)
            for (const suffix of besides) rmSync(path + suffix, { force: true })
          }
        },
      },
      service,
    )
  },
)
