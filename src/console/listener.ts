// The listener for those who run the service: over TLS, on an address of its own, never the public one.
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { listen, type Place } from '../http/listen.ts'
import type { Certificate } from '../http/tls.ts'
import type { Log } from '../log.ts'

export interface ConsoleOptions {
  readonly certificate: Certificate
  readonly host: string
  readonly port: number
  readonly metrics: (current: Certificate) => Promise<string>
  readonly log: Log
}

export interface ConsoleListener {
  readonly port: number
  useCertificate(certificate: Certificate): void
  close(): Promise<void>
}

const limits = { maxHeaderSize: 16 * 1024, headersTimeout: 15_000, requestTimeout: 30_000, keepAliveTimeout: 5000 }
const minVersion = 'TLSv1.2'
const headers = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' }

export async function startConsole({
  certificate,
  host,
  port,
  metrics,
  log,
}: ConsoleOptions): Promise<ConsoleListener> {
  let current = certificate
  const server = createServer({ ...certificate, ...limits, minVersion }, (request, response) => {
    const path = (request.url ?? '').split('?')[0]
    if (path !== '/metrics') return send(response, 404, 'There is nothing here but /metrics.\n')
    if (request.method !== 'GET') return send(response, 405, 'Only GET is answered.\n', { Allow: 'GET' })
    metrics(current).then(
      (text) => send(response, 200, text),
      (cause: unknown) => {
        log.error('metrics_failed', { cause })
        send(response, 500, 'The metrics could not be read; the log tells why.\n')
      },
    )
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

function send(response: ServerResponse, status: number, text: string, more: Record<string, string> = {}): void {
  const type = status === 200 ? 'text/plain; version=0.0.4; charset=utf-8' : 'text/plain; charset=utf-8'
  response.writeHead(status, { ...headers, ...more, 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) })
  response.end(text)
}
