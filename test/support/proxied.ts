// A service behind a trusted proxy, over kept plain connections: many callers from many addresses, without the cost of a
// handshake for each. Also how long /status takes while something else is going on.
import { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Answer, Asked, Server } from './process.ts'

export const behindProxy = {
  VITRINE_TRUST_PROXY: '127.0.0.1',
  VITRINE_ANONYMOUS_RATE: '1000000',
  VITRINE_LOG_LEVEL: 'error',
}

export interface Credentials {
  readonly client_id: string
  readonly client_secret: string
}

let addresses = 0

/** A new address, so that the rate limit of token requests does not matter. */
export const newAddress = () => `10.${((addresses += 1) >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`

export type Proxied = ReturnType<typeof proxied>

export function proxied(server: Server) {
  const agent = new Agent({ keepAlive: true })
  const ask = (path: string, { from = '10.200.0.1', ...asked }: Asked & { from?: string } = {}): Promise<Answer> =>
    server.ask(path, {
      agent,
      ...asked,
      isPlain: true,
      headers: { ...asked.headers, 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': from },
    })
  return {
    ask,
    signIn: ({ client_id, client_secret }: Credentials, from = newAddress()) =>
      ask('/auth/token', {
        from,
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret }).toString(),
      }),
    close: () => agent.destroy(),
  }
}

/** Asks /status every ten milliseconds; what it took, in milliseconds, once it is stopped. Anything but 200 fails. */
export function watchStatus({ ask }: Proxied) {
  const stopped = new AbortController()
  const times: number[] = []
  const work = (async () => {
    while (!stopped.signal.aborted) {
      const startedAt = performance.now()
      const { status } = await ask('/status')
      if (status !== 200) throw new Error(`/status answered ${status}`)
      times.push(performance.now() - startedAt)
      await wait(10)
    }
  })()
  work.catch(() => {})
  return {
    count: () => times.length,
    async stop() {
      stopped.abort()
      await work
      const sorted = times.toSorted((one, other) => one - other)
      const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0)
      return { count: sorted.length, middle: at(0.5), worst: at(1) }
    },
  }
}
