// The two listeners: TLS with HTTP/1.1 and HTTP/2 on one port, and a plain one that refuses everybody but trusted proxies.
import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { createSecureServer, type Http2SecureServer } from 'node:http2'
import type { Duplex } from 'node:stream'
import type { ErrorCode } from '../errors.ts'
import type { Log } from '../platform/log.ts'
import { canonicalAddress, type TrustedProxies } from './address.ts'
import type { AnonymousWindows } from './anonymous-windows.ts'
import { limitConnections, type ConnectionLimits } from './connections.ts'
import { listen } from './listen.ts'
import { headerBytes, send, toCall, valuesOf, type NodeRequest, type NodeResponse } from './node-request.ts'
import { codeOfUnparsed, sendUnparsed, unparsedReply } from './parser-errors.ts'
import type { Handle } from './pipeline.ts'
import { tlsOptions, type Certificate } from './tls.ts'
import { trackUnderWay, type UnderWay } from './under-way.ts'

interface ListenerOptions {
  readonly handle: Handle
  readonly anonymous: AnonymousWindows
  readonly trusted: TrustedProxies
  readonly certificate: Certificate
  readonly host: string
  readonly port: number
  readonly httpPort: number
  readonly log: Log
  readonly connections: ConnectionLimits
  // Told of every request that never reached a route.
  readonly onUnparsed: (code: ErrorCode) => void
}

interface Listeners {
  readonly https: number
  readonly http: number
  // For new connections; the old ones go on.
  useCertificate(certificate: Certificate): void
  // Takes no more connections, lets every accepted request finish, then closes.
  drain(): Promise<void>
}

export const limits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  // How often the two above are looked at; every 30 seconds, unless told.
  connectionsCheckingInterval: 5000,
  keepAliveTimeout: 65_000,
  // We answer a request without Host ourselves.
  requireHostHeader: false,
}

// So many of one letter each are about as long as a header list may be.
const mostHeaders = 2000

export async function startListeners(options: ListenerOptions): Promise<Listeners> {
  const { certificate, host, port, httpPort } = options
  let isClosing = false
  const plain = createServer(limits)
  const secure = createSecureServer({
    ...tlsOptions(certificate),
    handshakeTimeout: limits.headersTimeout,
    allowHTTP1: true,
    http1Options: limits,
    // Taking back more streams than can be open twice over, and then more than 33 a second, ends the connection.
    streamResetBurst: 200,
    streamResetRate: 33,
    // Longer lists than we take, so that we can say so; far longer ones are reset.
    maxHeaderListPairs: mostHeaders,
    settings: { maxConcurrentStreams: 100, maxHeaderListSize: 4 * limits.maxHeaderSize },
  })
  // HTTP/2 has no limit of its own for callers that keep a connection and say nothing.
  secure.on('session', (session) => session.setTimeout(limits.keepAliveTimeout, () => session.destroy()))
  const servers = [secure, plain]
  const underWay = [serveOn(secure, true, options, () => isClosing), serveOn(plain, false, options, () => isClosing)]
  try {
    const https = await listen(secure, { host, port, portSetting: 'VITRINE_PORT' })
    const http = await listen(plain, { host, port: httpPort, portSetting: 'VITRINE_HTTP_PORT' })
    // Out of descriptors, say: connections are refused, the service goes on.
    for (const server of servers) server.on('error', (cause) => options.log.error('listener_failed', { cause }))
    return {
      https,
      http,
      useCertificate: (next) => secure.setSecureContext(tlsOptions(next)),
      async drain() {
        isClosing = true
        const cut = await Promise.all(underWay.map((each) => each.drain(limits.requestTimeout)))
        for (const requests of cut) if (requests > 0) options.log.warn('requests_cut', { requests })
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
  { handle, trusted, anonymous, log, connections, onUnparsed: tell }: ListenerOptions,
  isClosing: () => boolean,
): UnderWay {
  const turns = limitConnections(server, trusted, connections)
  const underWay = trackUnderWay(server)
  // Connections that end with an answer already sent: what comes after it, such as the rest of a body, gets no other.
  const ending = new WeakSet<object>()
  const refusal = (code: ErrorCode, remoteAddress: string | undefined, cause: string | undefined) => {
    const address = canonicalAddress(remoteAddress ?? '')
    const requestId = randomUUID()
    log.info('unparsed', { request_id: requestId, code, cause, address })
    tell(code)
    return unparsedReply(code, requestId, isTls, anonymous.count(address))
  }
  const serve = async (request: NodeRequest, response: NodeResponse) => {
    // A caller that hangs up is no error of ours.
    request.on('error', () => {})
    response.on('error', () => {})
    underWay.add(request, response)
    const turn = turns.enter(request, response)
    try {
      if (!turn || (await turn.room) === false) return
      const unparsed = whyNot(request)
      const reply = unparsed
        ? refusal(unparsed, request.socket.remoteAddress, unparsed)
        : await handle(toCall(request, response, isTls, trusted))
      underWay.beforeAnswer(request)
      if (send(request, response, reply, turn, isClosing() || unparsed !== undefined)) ending.add(request.socket)
    } catch (cause) {
      log.error('not_answered', { cause })
      response.destroy()
    }
  }
  const onRequest = (request: NodeRequest, response: NodeResponse) => void serve(request, response)
  const onUnparsed = (error: NodeJS.ErrnoException, socket: Duplex & { remoteAddress?: string }) => {
    // After CONNECT nobody else listens: a reset would end the process.
    socket.on('error', () => {})
    if (isGone(error)) return void socket.destroy()
    if (ending.has(socket)) return
    const reply = refusal(codeOfUnparsed(error), socket.remoteAddress, error.code)
    underWay.whenAnswered(socket, () => sendUnparsed(socket, reply))
  }
  const plain = server as Server
  plain.on('request', onRequest)
  plain.on('checkContinue', (request: NodeRequest, response: NodeResponse) => {
    ;(response as { writeContinue(): void }).writeContinue()
    onRequest(request, response)
  })
  plain.on('checkExpectation', onRequest)
  plain.on('clientError', onUnparsed)
  // With HTTP/2 it is a request like any other, with HTTP/1.1 a bare socket is left.
  plain.on('connect', (request: NodeRequest, target: Duplex | NodeResponse) => {
    if ('writeHead' in target) onRequest(request, target)
    else onUnparsed(new Error('CONNECT'), target)
  })
  return underWay
}

// There is nobody to answer: hung up, ended by us, or TLS never came about.
const isGone = ({ code = '' }: NodeJS.ErrnoException) => /^(ECONNRESET|ECANCELED|ERR_(TLS|SSL)_.*)$/.test(code)

// What the parser lets pass and we do not: other versions in the form of HTTP/1.1, a Host that is missing or ambiguous, and long
// header lists of HTTP/2.
function whyNot(request: NodeRequest): ErrorCode | undefined {
  if (!('stream' in request) && request.httpVersionMajor !== 1) return 'bad_request'
  if (!isHostClear(request)) return 'bad_request'
  return request.httpVersionMajor === 2 && headerBytes(request) > limits.maxHeaderSize ? 'header_too_large' : undefined
}

// RFC 9112, section 3.2: HTTP/1.1 has one Host. RFC 9113, section 8.3.1: HTTP/2 may have one beside :authority, if it says the same.
function isHostClear(request: NodeRequest): boolean {
  const [host, ...others] = valuesOf(request, 'host')
  if (host === undefined) return request.httpVersion !== '1.1'
  const [authority = host] = valuesOf(request, ':authority')
  return others.length === 0 && authority.toLowerCase() === host.toLowerCase()
}
