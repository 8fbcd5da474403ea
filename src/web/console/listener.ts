// The listener for administrators: console and metrics, over TLS, on its own address.
import { timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:https'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { hashSecret } from '../../auth/secrets.ts'
import { trustedProxies } from '../../http/address.ts'
import { limitConnections, type ConnectionLimits } from '../../http/connections.ts'
import { divertPlain } from '../../http/first-byte.ts'
import { listen, type ListenAddress } from '../../http/listen.ts'
import { limits } from '../../http/listeners.ts'
import { sendUnparsed } from '../../http/parser-errors.ts'
import { tlsOptions, type Certificate } from '../../http/tls.ts'
import type { Log } from '../../platform/log.ts'
import { PasswordQueueFull } from './password.ts'
import { createHostCheck } from './hosts.ts'
import {
  httpsRequiredReply,
  readCall,
  refused,
  sendAnswer,
  sentence,
  type ConsoleAnswer,
  type ConsoleCall,
} from './exchange.ts'

interface ConsoleListenerOptions {
  readonly certificate: Certificate
  readonly host: string
  readonly port: number
  // Names it answers to, beside those of the certificate.
  readonly names: readonly string[]
  // null: every caller of this listener may read the metrics.
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

export async function startConsole(options: ConsoleListenerOptions): Promise<ConsoleListener> {
  const { certificate, host, port, log } = options
  let current = certificate
  const hostRefusal = createHostCheck([host, ...options.names])
  const answer = async (call: ConsoleCall): Promise<ConsoleAnswer> => {
    if (call.path !== '/metrics') return options.handle(call, current)
    const metrics = await showMetrics(call, options.metricsToken, () => options.metrics(current))
    if (metrics.status === 401) log.warn('metrics_refused', { address: call.address })
    return metrics
  }
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const slot = limited.enter(request, response)
    if (!slot) return
    const call = readCall(request)
    const isMetrics = call.path === '/metrics'
    const answered = await Promise.try(
      () => hostRefusal(request.headersDistinct['host'] ?? [], current) ?? answer(call),
    ).catch((cause: unknown) => {
      if (cause instanceof PasswordQueueFull)
        return refused(429, 'rate_limited', { seconds: 2 }, { 'Retry-After': '2' })
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
  divertPlain(server, { mostMs: limits.headersTimeout, onPlain: refusePlain, onLate: (socket) => socket.destroy() })
  const limited = limitConnections(server, trustedProxies([]), options.connections)
  // server.close() does not know connections without a TLS handshake.
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('clientError', (_error, socket) => void socket.destroy())
  const boundPort = await listen(server, consoleAddress(host, port))
  server.on('error', (cause) => log.error('listener_failed', { cause }))
  return {
    port: boundPort,
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

// The request is not looked at: the answer would be the same.
const refusePlain = (socket: Socket) => sendUnparsed(socket.resume(), httpsRequiredReply)

export const consoleAddress = (host: string, port: number): ListenAddress => ({
  host,
  port,
  portSetting: 'VITRINE_CONSOLE_PORT',
  hostSetting: 'VITRINE_CONSOLE_HOST',
})

async function showMetrics(
  { method, authorization }: ConsoleCall,
  token: string | null,
  read: () => Promise<string>,
): Promise<ConsoleAnswer> {
  if (token !== null && !isMetricsToken(authorization, token))
    return sentence(401, '/metrics wants the token of VITRINE_METRICS_TOKEN: Authorization: Bearer TOKEN.', {
      'WWW-Authenticate': `Bearer realm="metrics"${authorization.length > 0 ? ', error="invalid_token"' : ''}`,
    })
  if (method !== 'GET') return refused(405, 'method_not_allowed', { allowed: 'GET' }, { Allow: 'GET' })
  return { status: 200, headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }, body: await read() }
}

// Compares hashes, because timingSafeEqual needs equal lengths.
function isMetricsToken(authorization: readonly string[], token: string): boolean {
  const [, given = ''] = (authorization.length === 1 && /^bearer +(\S+) *$/i.exec(authorization[0] ?? '')) || []
  return timingSafeEqual(hashSecret(given), hashSecret(token))
}
