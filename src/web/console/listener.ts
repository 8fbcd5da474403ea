// The listener for administrators: console and metrics, over TLS, on its own address.
import { createServer } from 'node:https'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { trustedProxies } from '../../http/address.ts'
import { limitConnections, type ConnectionLimits } from '../../http/connections.ts'
import { divertPlain } from '../../http/first-byte.ts'
import { listen, type ListenAddress } from '../../http/listen.ts'
import { limits } from '../../http/listeners.ts'
import { HangUp, send, toCall } from '../../http/node-request.ts'
import { sendUnparsed } from '../../http/parser-errors.ts'
import { tlsOptions, type Certificate } from '../../http/tls.ts'
import type { Log } from '../../platform/log.ts'
import { httpsRequiredReply, type HandleConsole } from './app.ts'

interface ConsoleListenerOptions {
  readonly certificate: Certificate
  readonly host: string
  readonly port: number
  readonly handle: HandleConsole
  readonly log: Log
  readonly connections: ConnectionLimits
}

interface ConsoleListener {
  readonly port: number
  useCertificate(certificate: Certificate): void
  close(): Promise<void>
}

const times = { ...limits, handshakeTimeout: limits.headersTimeout }
const trusted = trustedProxies([])

export async function startConsole(options: ConsoleListenerOptions): Promise<ConsoleListener> {
  const { certificate, host, port, handle, log, connections } = options
  let current = certificate
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const slot = limited.enter(request, response)
    if (slot) send(request, response, await handle(toCall(request, new HangUp(), true, trusted), current), slot, false)
  }
  const server = createServer({ ...tlsOptions(certificate), ...times }, (request, response) => {
    serve(request, response).catch((cause: unknown) => log.error('console_failed', { cause }))
  })
  // Ends silent connections.
  server.setTimeout(limits.keepAliveTimeout)
  divertPlain(server, { mostMs: limits.headersTimeout, onPlain: refusePlain, onLate: (socket) => socket.destroy() })
  const limited = limitConnections(server, trusted, connections)
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

// The answer does not depend on the request, so it is not read.
const refusePlain = (socket: Socket) => sendUnparsed(socket.resume(), httpsRequiredReply)

export const consoleAddress = (host: string, port: number): ListenAddress => ({
  host,
  port,
  portSetting: 'VITRINE_CONSOLE_PORT',
  hostSetting: 'VITRINE_CONSOLE_HOST',
})
