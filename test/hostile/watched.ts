// What an attack costs a service, seen from outside: its memory, its open descriptors, and how long good callers wait meanwhile.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { Agent } from 'node:https'
import { setTimeout as wait } from 'node:timers/promises'
import { limits } from '../../src/http/listeners.ts'
import { told } from '../support/how-much.ts'
import { patienceMs, until, type Server } from '../support/process.ts'

export const hasProc = process.platform === 'linux'

const idOf = ({ child }: Server) => String(child.pid)

export function memoryOf(server: Server): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${idOf(server)}/status`, 'utf8'))
  return Number(line?.[1]) * 1024
}

const descriptorsOf = (server: Server): number => readdirSync(`/proc/${idOf(server)}/fd`).length

/** What is open and how often, for a message. */
function kindsOf(server: Server): string {
  const folder = `/proc/${idOf(server)}/fd`
  const kinds = new Map<string, number>()
  for (const name of readdirSync(folder)) {
    const kind = kindOf(`${folder}/${name}`)
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  }
  return [...kinds].map(([kind, count]) => `${count} × ${kind}`).join(', ')
}

function kindOf(link: string): string {
  try {
    return readlinkSync(link).replace(/:\[\d+\]$/, '')
  } catch {
    return 'closed meanwhile'
  }
}

// A caller that vanishes while the service neither reads from it nor writes to it is noticed when the service ends the connection
// because nothing happens on it.
const untilNoticedMs = limits.keepAliveTimeout + patienceMs

const mega = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MB`

interface Before {
  readonly memory: number
  readonly descriptors: number
  /** Of the descriptors, for a message. */
  readonly kinds: string
}

export const lookAt = (server: Server): Before => ({
  memory: memoryOf(server),
  descriptors: descriptorsOf(server),
  kinds: kindsOf(server),
})

/** After an attack: no more descriptors, and memory within 30 % of what it was. A collector may need requests to begin. */
export async function assertRecovered(server: Server, before: Before, ask: () => Promise<unknown>) {
  const during = memoryOf(server)
  const seen = () => `(open: ${kindsOf(server)}; before: ${before.kinds})`
  const isClosed = () => descriptorsOf(server) <= before.descriptors
  await until('the connections are closed', isClosed, seen, untilNoticedMs)
  await until(`${mega(memoryOf(server))} are within 30 % of ${mega(before.memory)}`, async () => {
    for (let count = 0; count < 50; count += 1) await ask()
    return memoryOf(server) <= 1.3 * before.memory
  })
  told(`memory ${mega(before.memory)}, ${mega(during)} at the end, ${mega(memoryOf(server))} afterwards`)
}

export const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

/** Good callers, each on a connection that it keeps, for as long as they are let. */
export function startGoodCallers(server: Server, token: string, callers = 8) {
  const stopped = new AbortController()
  const agents = Array.from({ length: callers }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
  const taken: number[] = []
  const answered = agents.map(() => 0)
  const ask = async (agent: Agent, at: number) => {
    const begun = performance.now()
    const { status, text } = await server.ask('/stores?sort=-name', { token, agent })
    assert.equal(status, 200, text)
    taken.push(performance.now() - begun)
    answered[at] = (answered[at] ?? 0) + 1
  }
  const running = agents.map(async (agent, at) => {
    while (!stopped.signal.aborted) {
      await ask(agent, at)
      await wait(5)
    }
  })
  // `stop` reports a failure.
  for (const each of running) each.catch(() => {})
  return {
    /** How long each request took since it was last asked, the shortest first. */
    takeTimes: () => taken.splice(0).toSorted((one, other) => one - other),
    /** Until each has been answered again, so that all are connected. */
    async untilAllAnswered() {
      const before = [...answered]
      await until('each good caller is answered', () => answered.every((count, at) => count > (before[at] ?? 0)))
    },
    async stop() {
      stopped.abort()
      await Promise.all(running).finally(() => agents.forEach((agent) => agent.destroy()))
    },
  }
}
