// A stop and a restart without downtime: under load on kept connections, no request fails when the service is told to stop, and
// none when the next one takes its place.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:https'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../support/free-port.ts'
import { makePos } from '../support/pos.ts'
import { startProcess, startServer, temporaryFolder, until, cleanEnvironment, type Server } from '../support/process.ts'

const rows = { stores: [{ id: 1, name: 'Main' }] }

async function fixedPorts() {
  const [https, http, console] = [await freePort(), await freePort(), await freePort()]
  return { VITRINE_PORT: String(https), VITRINE_HTTP_PORT: String(http), VITRINE_CONSOLE_PORT: String(console) }
}

// Callers that send requests over kept connections, and now and then over a new one. When the service closes a connection,
// the next request opens another.
function startCallers(server: Server, token: string, callers = 20, pauseMs = 100) {
  const stopped = new AbortController()
  const failures: string[] = []
  let answered = 0
  const keepAsking = async (at: number) => {
    const kept = new Agent({ keepAlive: true, maxSockets: 1 })
    while (!stopped.signal.aborted) {
      const isNew = at === 0
      await server
        .ask('/stores', { token, ...(isNew ? {} : { agent: kept }) })
        .then(({ status }) => (status === 200 ? (answered += 1) : failures.push(String(status))))
        .catch((error: NodeJS.ErrnoException) => failures.push(error.code ?? error.message))
      await wait(pauseMs * (0.5 + Math.random()))
    }
    kept.destroy()
  }
  const all = Array.from({ length: callers }, (_, at) => keepAsking(at))
  return {
    failures,
    answered: () => answered,
    async stop() {
      stopped.abort()
      await Promise.all(all)
    },
  }
}

test('the next start takes over: five times under load, no request fails', async (context) => {
  const ports = await fixedPorts()
  let server = await startServer({ rows, settings: ports })
  context.after(() => server.remove())
  const token = await server.token()
  const load = startCallers(server, token)
  context.after(() => load.stop())
  await until('requests are answered', () => load.answered() > 50)
  for (let turn = 0; turn < 5; turn += 1) {
    const before = load.answered()
    const next = await startServer({ folder: server.data, settings: ports })
    const { status, signal } = await server.ended
    assert.deepEqual([status, signal], [0, null], server.stderr())
    const isOver = (line: Record<string, unknown>) => line['event'] === 'took_over' && line['pid'] === server.child.pid
    await until('it is logged', () => next.logged().some(isOver))
    const words = `It has taken over from process ${server.child.pid}, which was told to stop`
    await until('it is said to people', () => next.stderr().includes(words))
    server = next
    await until('the next one answers', () => load.answered() > before + 100)
  }
  await load.stop()
  console.log(`taking over: ${load.answered()} requests, ${load.failures.length} failed`)
  assert.deepEqual(load.failures, [])
})

test('told to stop: what is asked on kept connections is answered until the caller was told to close', async (context) => {
  const server = await startServer({ rows })
  context.after(() => server.remove())
  const token = await server.token()
  const agent = new Agent({ keepAlive: true })
  const failures: string[] = []
  const over = new AbortController()
  let closed = 0
  const keepAsking = async () => {
    while (!over.signal.aborted) {
      const { status, headers } = await server.ask('/stores', { token, agent })
      if (status !== 200) failures.push(String(status))
      // The service wants no more of this caller.
      if (headers['connection'] === 'close') {
        closed += 1
        return
      }
      await wait(50 + Math.random() * 50)
    }
  }
  const callers = Array.from({ length: 20 }, () => keepAsking().catch((error: Error) => failures.push(error.message)))
  await wait(500)
  server.child.kill('SIGTERM')
  const { status } = await server.ended
  over.abort()
  await Promise.all(callers)
  agent.destroy()
  assert.deepEqual([status, failures, closed], [0, [], 20])
})

test('another program on the port, or another data folder, is no reason to share it', async (context) => {
  const ports = await fixedPorts()
  const server = await startServer({ rows, settings: ports })
  context.after(() => server.remove())
  await assert.rejects(startServer({ rows, settings: ports }), /is in use by another program; set VITRINE_PORT/)
  assert.equal((await server.ask('/status')).status, 200)
  assert.deepEqual(
    server.logged().filter(({ event }) => event === 'stopping'),
    [],
  )
})

test('on other ports, a second one serves beside the first', async (context) => {
  const server = await startServer({ rows })
  context.after(() => server.remove())
  const second = await startServer({ folder: server.data })
  assert.deepEqual([(await server.ask('/status')).status, (await second.ask('/status')).status], [200, 200])
  await second.stop()
  assert.equal((await server.ask('/status')).status, 200)
})

test('who serves is written down while it serves; what is left of one that was killed is no hindrance', async (context) => {
  const ports = await fixedPorts()
  const server = await startServer({ rows, settings: ports })
  const file = join(server.data, `serving-${ports.VITRINE_PORT}.json`)
  context.after(() => rmSync(server.data, { recursive: true, force: true }))
  const written = JSON.parse(readFileSync(file, 'utf8')) as { pid: number; since: string; ports: number[] }
  assert.deepEqual([written.pid, written.ports.length], [server.child.pid, 3])
  await server.stop('SIGKILL')
  assert(existsSync(file))
  const stranger = startProcess(process.execPath, ['-e', 'setInterval(() => {}, 1000)', 'vitrine', 'serve'], {
    env: cleanEnvironment(),
  })
  try {
    // What was left, a number that belongs to another program now, and nonsense.
    for (const text of [
      undefined,
      JSON.stringify({ ...written, pid: stranger.child.pid }),
      '{',
      '{"pid":-1,"ports":[]}',
      '',
    ]) {
      if (text !== undefined) writeFileSync(file, text)
      const next = await startServer({ folder: server.data, settings: ports })
      const over = next.logged().filter(({ event }) => /over/.test(String(event)))
      await next.stop()
      assert.deepEqual([over, stranger.child.exitCode, existsSync(file)], [[], null, false], text)
    }
  } finally {
    stranger.child.kill()
    await stranger.ended
  }
})

test('where nothing can be written down, it serves all the same, and says so', async (context) => {
  const ports = await fixedPorts()
  const folder = temporaryFolder()
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  makePos(join(folder, 'pos.db'), rows)
  mkdirSync(join(folder, `serving-${ports.VITRINE_PORT}.json`))
  const server = await startServer({ folder, settings: ports })
  assert.equal((await server.ask('/status')).status, 200)
  await until('it is logged', () => server.logged().some(({ event }) => event === 'not_taken_over'))
  assert.equal((await server.stop()).status, 0)
})
