// The two listeners: TLS with HTTP/1.1 and HTTP/2 on one port, and a plain one that refuses everybody but trusted proxies.
import { createServer, type Server } from 'node:http'
import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { OperatorError } from '../errors.ts'
import type { Log } from '../log.ts'
import { canonicalAddress, type TrustedProxies } from './address.ts'
import type { AnonymousWindows } from './anonymous-windows.ts'
import { send, toCall, type NodeRequest, type NodeResponse } from './node-request.ts'
import { refuseUnparsed } from './parser-errors.ts'
import type { Handle } from './pipeline.ts'
import type { Certificate } from './tls.ts'

export interface ListenerOptions {
  readonly handle: Handle
  readonly anonymous: AnonymousWindows
  readonly trusted: TrustedProxies
  readonly certificate: Certificate
  readonly host: string
  readonly port: number
  readonly httpPort: number
  readonly log: Log
}

export interface Listeners {
  readonly https: number
  readonly http: number
  // For new connections; the old ones go on.
  useCertificate(certificate: Certificate): void
  // Takes no more connections, lets every accepted request finish, then closes.
  drain(): Promise<void>
}

const limits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
}

export async function startListeners(options: ListenerOptions): Promise<Listeners> {
  const { certificate, host, port, httpPort } = options
  let isClosing = false
  const sessions = new Set<ServerHttp2Session>()
  const plain = createServer({ ...limits, requireHostHeader: false })
  const secure = createSecureServer({
    ...certificate,
    ...limits,
    minVersion: 'TLSv1.2',
    allowHTTP1: true,
    settings: { maxConcurrentStreams: 100, maxHeaderListSize: limits.maxHeaderSize },
  })
  Object.assign(secure, { headersTimeout: limits.headersTimeout, requestTimeout: limits.requestTimeout })
  secure.on('session', (session) => {
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
  })
  serveOn(plain, false, options, () => isClosing)
  serveOn(secure, true, options, () => isClosing)
  const servers = [secure, plain]
  try {
    const https = await listen(secure, host, port, 'VITRINE_PORT')
    const http = await listen(plain, host, httpPort, 'VITRINE_HTTP_PORT')
    return {
      https,
      http,
      useCertificate: (next) => secure.setSecureContext({ ...next, minVersion: 'TLSv1.2' }),
      async drain() {
        isClosing = true
        const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)))
        for (const session of sessions) session.close()
        await Promise.all(closed)
      },
    }
  } catch (error) {
    for (const server of servers) server.close()
    throw error
  }
}

function serveOn(
  server: Server | Http2SecureServer,
  isTls: boolean,
  { handle, trusted, anonymous, log }: ListenerOptions,
  isClosing: () => boolean,
) {
  const serve = async (request: NodeRequest, response: NodeResponse) => {
    // A caller that hangs up is no error of ours.
    request.on('error', () => {})
    response.on('error', () => {})
    try {
      send(request, response, await handle(toCall(request, isTls, trusted)), isClosing())
    } catch (cause) {
      log.error('not_answered', { cause })
      response.destroy()
    }
  }
  const onRequest = (request: NodeRequest, response: NodeResponse) => void serve(request, response)
  const onUnparsed = (error: NodeJS.ErrnoException, socket: Duplex & { remoteAddress?: string }) => {
    const address = canonicalAddress(socket.remoteAddress ?? '')
    const code = refuseUnparsed(error, socket, isTls, anonymous.count(address))
    log.info('unparsed', { code, cause: error.code, address })
  }
  const plain = server as Server
  plain.on('request', onRequest)
  plain.on('checkContinue', (request: NodeRequest, response: NodeResponse) => {
    ;(response as { writeContinue(): void }).writeContinue()
    onRequest(request, response)
  })
  plain.on('checkExpectation', onRequest)
  plain.on('clientError', onUnparsed)
  plain.on('connect', (_request: NodeRequest, socket: Duplex) => onUnparsed(new Error('CONNECT'), socket))
}

function listen(server: Server | Http2SecureServer, host: string, port: number, setting: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const where = `${host}:${port}`
      const why: Record<string, string> = {
        EADDRINUSE: `Port ${port} on ${host} is in use by another program; set ${setting} to another one.`,
        EACCES: `There is no permission to listen on ${where}; set ${setting} to a port above 1023.`,
        EADDRNOTAVAIL: `${host} is not an address of this machine; set VITRINE_HOST to one that is.`,
      }
      reject(new OperatorError(why[error.code ?? ''] ?? `Listening on ${where} failed: ${error.message}.`))
    })
    server.listen({ host, port }, () => resolve((server.address() as AddressInfo).port))
  })
}
