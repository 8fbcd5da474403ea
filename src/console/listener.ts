// The listener for those who run the service: over TLS, on an address of its own, never the public one.
import { createServer } from 'node:https'
import { listen, type Place } from '../http/listen.ts'
import type { Certificate } from '../http/tls.ts'
import type { Log } from '../log.ts'
import { TooManyAtOnce } from './password.ts'
import { readCall, refused, sendAnswer, type ConsoleAnswer, type ConsoleCall } from './exchange.ts'

interface ConsoleOptions {
  readonly certificate: Certificate
  readonly host: string
  readonly port: number
  readonly metrics: (current: Certificate) => Promise<string>
  readonly handle: (call: ConsoleCall, current: Certificate) => Promise<ConsoleAnswer>
  readonly log: Log
}

interface ConsoleListener {
  readonly port: number
  useCertificate(certificate: Certificate): void
  close(): Promise<void>
}

const limits = { maxHeaderSize: 16 * 1024, headersTimeout: 15_000, requestTimeout: 30_000, keepAliveTimeout: 5000 }
const minVersion = 'TLSv1.2'

export async function startConsole(options: ConsoleOptions): Promise<ConsoleListener> {
  const { certificate, host, port, log } = options
  let current = certificate
  const server = createServer({ ...certificate, ...limits, minVersion }, (request, response) => {
    const call = readCall(request)
    const isMetrics = call.path === '/metrics'
    Promise.try(() => (isMetrics ? showMetrics(call, () => options.metrics(current)) : options.handle(call, current)))
      .catch((cause: unknown) => {
        if (cause instanceof TooManyAtOnce) return refused(429, 'rate_limited', { seconds: 1 }, { 'Retry-After': '1' })
        log.error(isMetrics ? 'metrics_failed' : 'console_failed', { cause })
        return refused(500, 'internal_error')
      })
      .then((answer) => sendAnswer(response, answer, call.acceptEncoding))
      .catch((cause: unknown) => log.error('console_failed', { cause }))
  })
  server.on('clientError', (_error, socket) => void socket.destroy())
  const chosen = await listen(server, consolePlace(host, port))
  server.on('error', (cause) => log.error('listener_failed', { cause }))
  return {
    port: chosen,
    useCertificate(next) {
      current = next
      server.setSecureContext({ ...next, minVersion })
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export const consolePlace = (host: string, port: number): Place => ({
  host,
  port,
  portSetting: 'VITRINE_CONSOLE_PORT',
  hostSetting: 'VITRINE_CONSOLE_HOST',
})

async function showMetrics({ method }: ConsoleCall, read: () => Promise<string>): Promise<ConsoleAnswer> {
  if (method !== 'GET') return refused(405, 'method_not_allowed', { allowed: 'GET' }, { Allow: 'GET' })
  return { status: 200, headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }, body: await read() }
}
