// A state in a file that is locked, or has no room, under a running service: sign-in is refused (503 with Retry-After), no unknown token is let
// through, the listener still answers, and all recovers with the file, without a restart.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, openSync, rmSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
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

async function serve(settings = {}): Promise<Service> {
  const server = await startServer({
    rows: { stores: [{ id: 1, name: 'Main' }] },
    settings: { ...behindProxy, VITRINE_READERS: '1', ...settings },
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
  readonly readable: boolean
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
      assert.equal(known.status === 200, readable, known.text)
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

const locked: Fault = {
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
}

test('a state that is locked by another process: 503, nothing is let through, and all is well without a restart', async (context) => {
  const service = await serve()
  context.after(async () => {
    service.via.close()
    await service.server.remove()
  })
  await endure(locked, service)
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
