// The listener for those who run the service: over TLS, on an address of its own, never the public one.
import { createServer } from 'node:https'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { trustedProxies } from '../../http/address.ts'
import { limitConnections, type ConnectionLimits } from '../../http/connections.ts'
import { listen, type ListenAddress } from '../../http/listen.ts'
import { limits } from '../../http/listeners.ts'
import { tlsOptions, type Certificate } from '../../http/tls.ts'
import type { Log } from '../../platform/log.ts'
import { TooManyInLine } from './password.ts'
import { createHostCheck } from './hosts.ts'
import { showMetrics } from './metrics-route.ts'
import { readCall, refused, sendAnswer, type ConsoleAnswer, type ConsoleCall } from './exchange.ts'

interface ConsoleOptions {
  readonly certificate: Certificate
  readonly host: string
  readonly port: number
  // Under which it answers, beside those of the certificate.
  readonly names: readonly string[]
  // null: anybody who gets here may read the metrics.
  readonly metricsToken: string | null
  readonly metrics: (current: Certificate) => Promise<string>
  readonly handle: (call: ConsoleCall, current: Certificate) => Promise<ConsoleAnswer>
  readonly log: Log
  readonly connections: ConnectionLimits
}

interface ConsoleListener {
  readonly port: number
  useCertificate(certificate: Certificate): void
  close(): Promise<void>
}

const times = { ...limits, handshakeTimeout: limits.headersTimeout }

export async function startConsole(options: ConsoleOptions): Promise<ConsoleListener> {
  const { certificate, host, port, log } = options
  let current = certificate
  const whyNot = createHostCheck([host, ...options.names])
  const answer = async (call: ConsoleCall): Promise<ConsoleAnswer> => {
    if (call.path !== '/metrics') return options.handle(call, current)
    const shown = await showMetrics(call, options.metricsToken, () => options.metrics(current))
    if (shown.status === 401) log.warn('metrics_refused', { address: call.address })
    return shown
  }
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const slot = limited.enter(request, response)
    if (!slot || (await slot.room) === false) return
    const call = readCall(request)
    const isMetrics = call.path === '/metrics'
    const answered = await Promise.try(
      () => whyNot(request.headersDistinct['host'] ?? [], current) ?? answer(call),
    ).catch((cause: unknown) => {
      if (cause instanceof TooManyInLine) return refused(429, 'rate_limited', { seconds: 2 }, { 'Retry-After': '2' })
      log.error(isMetrics ? 'metrics_failed' : 'console_failed', { cause })
      return refused(500, 'internal_error')
    })
    await sendAnswer(response, answered, slot, call.acceptEncoding)
  }
  const server = createServer({ ...tlsOptions(certificate), ...times }, (request, response) => {
    serve(request, response).catch((cause: unknown) => log.error('console_failed', { cause }))
  })
  // Ends silent connections.
  server.setTimeout(limits.keepAliveTimeout)
  const limited = limitConnections(server, trustedProxies([]), options.connections)
  // Node.js itself forgets those that are not over TLS yet.
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('clientError', (_error, socket) => void socket.destroy())
  const chosen = await listen(server, consolePlace(host, port))
  server.on('error', (cause) => log.error('listener_failed', { cause }))
  return {
    port: chosen,
    useCertificate(next) {
      current = next
      server.setSecureContext(tlsOptions(next))
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

export const consolePlace = (host: string, port: number): ListenAddress => ({
  host,
  port,
  portSetting: 'VITRINE_CONSOLE_PORT',
  hostSetting: 'VITRINE_CONSOLE_HOST',
})
