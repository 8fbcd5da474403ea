// Far more requests than the readers can serve: those beyond the queue's limit get 503 with Retry-After at once, memory is
// bounded, another key is still served, and all recovers after the flood. In real processes.
import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { howMuch, isLong, told } from '../support/how-much.ts'
import { startServer, until, type Answer } from '../support/process.ts'
import { figuresOf, median, noProc } from '../support/process-figures.ts'
import { behindProxy, proxied, watchStatus } from '../support/proxied.ts'
import { makeSlowPos } from '../support/slow-pos.ts'

// One key may have 250 for each reader in line.
const readers = 2
const perKey = 250 * readers
const waves = howMuch(2, 10)
const mostGrowthMb = 150

const ms = (values: readonly number[]) =>
  `${Math.round(median(values))} ms, at most ${Math.round(Math.max(0, ...values))}`

interface Heard {
  readonly answer: Answer
  readonly ms: number
}

test(
  'a flood of one key: refused at once past the bound, others are served, memory is bounded, and all is well afterwards',
  { skip: noProc },
  async (context) => {
    const server = await startServer({
      prepare: (folder) => makeSlowPos(folder, { rows: 150_000, others: { stores: [{ id: 1, name: 'Main' }] } }),
      // Long enough that a slow machine has sent all requests before the queued ones time out and make room.
      settings: { ...behindProxy, VITRINE_READERS: String(readers), VITRINE_STATEMENT_TIMEOUT_MS: '9000' },
    })
    context.after(() => server.remove())
    const [greedy, modest] = [await server.token(), await server.token()]
    const via = proxied(server)
    // Simultaneous requests need as many connections.
    const agent = new Agent({ keepAlive: true, maxSockets: Infinity })
    const ask = async (target: string, token: string): Promise<Heard> => {
      const startedAt = performance.now()
      const answer = await via.ask(target, { token, agent })
      return { answer, ms: performance.now() - startedAt }
    }
    assert.equal((await ask('/stores', modest)).answer.status, 200)
    const before = figuresOf(server.child.pid)
    let most = before.megabytes
    const all: Heard[] = []
    const others: Heard[] = []
    const probes: Heard[] = []
    const status = watchStatus(via)
    for (let wave = 0; wave < waves; wave += 1) {
      // Each asks something of its own: nothing is answered from memory.
      // A few at a time, so that the caller's own work is not what is measured.
      const flood: Promise<unknown>[] = []
      for (let at = 0; at < perKey + 400; at += 1) {
        flood.push(ask(`/products?search=zz${wave}x${at}`, greedy).then((heard) => all.push(heard)))
        if (at % 25 === 24) await wait(20)
      }
      const over = new AbortController()
      const modestly = (async () => {
        for (let turn = 0; !over.signal.aborted; turn += 1) {
          others.push(await ask(`/stores?page=${wave * 1000 + turn + 1}`, modest))
          most = Math.max(most, figuresOf(server.child.pid).megabytes)
          await wait(20)
        }
      })()
      // The queue is full now. One request at a time shows how quickly it is refused.
      for (let at = 0; at < 40; at += 1) probes.push(await ask(`/products?search=yy${wave}x${at}`, greedy))
      await Promise.all(flood)
      over.abort()
      await modestly
    }
    const lag = await status.stop()

    all.push(...probes)
    const refused = all.filter(({ answer }) => answer.status === 503)
    for (const { answer } of refused) {
      assert.equal(answer.body.error.code, 'temporarily_unavailable')
      assert(Number(answer.headers['retry-after']) >= 1)
    }
    assert.deepEqual(new Set(all.map(({ answer }) => answer.status)), new Set([200, 503]))
    // Retry-After tells the two apart: 1 if the queue was full, 5 if the request timed out in it.
    const isAtOnce = ({ answer }: Heard) => answer.headers['retry-after'] === '1'
    const atOnce = refused.filter(isAtOnce).map(({ ms }) => ms)
    const probed = probes.filter(isAtOnce).map(({ ms }) => ms)
    assert(probed.length > 0, 'the line was never full')
    const inVain = refused.filter(({ answer }) => answer.headers['retry-after'] !== '1').map(({ ms }) => ms)
    assert(atOnce.length >= waves * 300, `only ${atOnce.length} were refused at once`)
    assert.deepEqual([...new Set(others.map(({ answer }) => answer.status))], [200], "another key's are served")
    assert(others.length > waves * 5)
    const grown = most - before.megabytes
    assert(grown < mostGrowthMb, `${grown} MB more`)

    agent.destroy()
    await until('all is well', async () => {
      const answers = await Promise.all([ask('/stores', greedy), ask('/stores?sort=-id', modest)])
      return answers.every(({ answer }) => answer.status === 200)
    })
    const after = await until('connections and threads are as before', () => {
      const now = figuresOf(server.child.pid)
      return now.files <= before.files + 20 && now.threads <= before.threads ? now : undefined
    })
    via.close()
    told(
      `overload: ${all.length} requests of one key, ${all.length - refused.length} answered; ${atOnce.length} refused at once (${ms(atOnce)}; asked one at a time ${ms(probed)}), ` +
        `${inVain.length} waited in vain (${ms(inVain)}); ${others.length} of another key all answered (${ms(others.map((each) => each.ms))}); ` +
        `/status ${lag.middle} ms, at worst ${lag.worst}; ${Math.round(before.megabytes)} MB before, ${Math.round(most)} at most, ${Math.round(after.megabytes)} after`,
    )
    if (isLong) assert(median(probed) < 100, `refused after ${median(probed)} ms`)
  },
)

test(
  'callers that hang up while they wait leave nothing behind, and are not worked for',
  { skip: noProc },
  async (context) => {
    const server = await startServer({
      prepare: (folder) => makeSlowPos(folder, { rows: 400_000, others: { stores: [{ id: 1, name: 'Main' }] } }),
      settings: { ...behindProxy, VITRINE_READERS: '2', VITRINE_STATEMENT_TIMEOUT_MS: '20000' },
    })
    context.after(() => server.remove())
    const token = await server.token()
    const via = proxied(server)
    assert.equal((await via.ask('/stores', { token })).status, 200)
    const before = figuresOf(server.child.pid)
    const agent = new Agent({ keepAlive: false, maxSockets: Infinity })
    const asked = Array.from({ length: 200 }, (_, at) =>
      via.ask(`/products?search=zz${at}`, { token, agent }).then(
        () => 'answered',
        () => 'hung up',
      ),
    )
    await wait(300)
    agent.destroy()
    const ends = await Promise.all(asked)
    // Two hundred of them would take a minute.
    const startedAt = performance.now()
    const { status } = await via.ask('/products?search=yy', { token })
    const ms = performance.now() - startedAt
    assert.equal(status, 200)
    await until('nothing is left', () => {
      const now = figuresOf(server.child.pid)
      return now.files <= before.files + 5 && now.threads <= before.threads
    })
    via.close()
    const gone = ends.filter((end) => end === 'hung up').length
    assert(gone > 150)
    told(`hung up: ${gone} callers; the next one was answered after ${Math.round(ms)} ms`)
    assert(ms < 15_000, `${ms} ms`)
  },
)
