// Requests of every kind to a service, each kind one after the other on a connection of its own, until they are stopped: what
// was answered, and how long it took.
import { Agent } from 'node:https'
import { setTimeout as wait } from 'node:timers/promises'
import type { Answer, NewKey, Server } from './process.ts'

export const loadRoutes = [
  '/status',
  '/ping',
  '/resources',
  '/stores?sort=-name',
  '/products/1',
  '/auth/token',
] as const
export type LoadRoute = (typeof loadRoutes)[number]

export interface Seen {
  readonly route: LoadRoute
  /** Of this process, in milliseconds. */
  readonly startedAt: number
  readonly endedAt: number
  /** What the socket said when there was no answer. */
  readonly answer: Answer | Error
}

const pauseMs = 30
// Nothing may take as long; one that does would keep the test from its end.
const mostMs = 20_000
let addresses = 0

/** Token requests come each from an address of its own: their rate is not what this is about. */
const newAddress = () => {
  addresses += 1
  return `127.77.${(addresses >> 8) & 255}.${addresses & 255}`
}

export function startLoad(server: Server, key: NewKey, token: string) {
  const stopped = new AbortController()
  const seen: Seen[] = []
  const agent = new Agent({ keepAlive: true })
  const ask = (route: LoadRoute) => {
    if (route === '/auth/token') return server.signIn(key, { localAddress: newAddress() })
    return server.ask(route, { agent, ...(route === '/status' ? {} : { token }) })
  }
  const keepAsking = async (route: LoadRoute) => {
    while (!stopped.signal.aborted) {
      const startedAt = performance.now()
      const hung = wait(mostMs, new Error('no answer'), { ref: false })
      const answer = await Promise.race([ask(route), hung]).catch((error: unknown) => error as Error)
      seen.push({ route, startedAt, endedAt: performance.now(), answer })
      await wait(pauseMs)
    }
  }
  const callers = loadRoutes.map(keepAsking)
  return {
    /** So far. */
    seen,
    /** Whether each of these routes had such an answer to a request that began after a moment. */
    hasSeen: (routes: readonly LoadRoute[], status: number, after: number) =>
      routes.every((route) =>
        seen.some((each) => each.route === route && each.startedAt > after && statusOf(each) === status),
      ),
    /** Once the last answer is there. */
    async stop(): Promise<void> {
      stopped.abort()
      await Promise.all(callers)
      agent.destroy()
    },
  }
}

export const statusOf = ({ answer }: Seen) => (answer instanceof Error ? answer.message : answer.status)
