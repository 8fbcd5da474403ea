// The two listeners of the API: TLS with HTTP/1.1 and HTTP/2 on one port, and a plain one for trusted proxies only. Plain requests on
// the TLS port are refused like those on the plain port.
import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { createSecureServer, type Http2SecureServer } from 'node:http2'
import type { Duplex } from 'node:stream'
import type { ErrorCode } from '../errors.ts'
import type { Log } from '../platform/log.ts'
import { canonicalAddress, trustedProxies, type TrustedProxies } from './address.ts'
import type { AnonymousWindows } from './anonymous-windows.ts'
import { limitConnections, type ConnectionLimits, type Connections } from './connections.ts'
import { divertPlain } from './first-byte.ts'
import { listen } from './listen.ts'
import { HangUp, headerBytes, send, toCall, valuesOf, type NodeRequest, type NodeResponse } from './node-request.ts'
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
  // Called for every request that never reached a route.
  readonly onUnparsed: (code: ErrorCode) => void
}

interface Listeners {
  readonly https: number
  readonly http: number
  // For new connections.
  useCertificate(certificate: Certificate): void
  // Accepts no more connections, lets every accepted request finish, then closes.
  drain(): Promise<void>
}

export const limits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  // How often the two above are checked; the default is every 30 seconds.
  connectionsCheckingInterval: 5000,
  keepAliveTimeout: 65_000,
  // We refuse a request without Host ourselves, in our format.
  requireHostHeader: false,
}

// For the last bytes of an HTTP/2 session that has timed out.
const lastWriteMs = 1000

// With names of one letter, about the most that fit into the longest header list.
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
    // Against rapid reset: 200 is twice the number of streams that can be open.
    streamResetBurst: 200,
    streamResetRate: 33,
    // Longer lists than we accept, so that we can answer 431; far longer ones are reset.
    maxHeaderListPairs: mostHeaders,
    settings: { maxConcurrentStreams: 100, maxHeaderListSize: 4 * limits.maxHeaderSize },
  })
  // It listens nowhere: it gets the plain connections of the TLS port.
  const misdirected = createServer(limits)
  divertPlain(secure, {
    mostMs: limits.headersTimeout,
    onPlain: (socket) => misdirected.emit('connection', socket),
    // A server that does not listen does not check this by itself.
    onLate: (socket) => misdirected.emit('clientError', timedOut, socket),
  })
  const servers = [secure, plain]
  const [securePort, plainPort] = [watchPort(secure, options), watchPort(plain, options)]
  // HTTP/2 has no keep-alive timeout of its own. A session that is destroyed still waits for what it was writing, which a caller may
  // never read.
  secure.on('session', (session) => {
    const close = securePort.limited.closerOf(session.socket)
    session.setTimeout(limits.keepAliveTimeout, () => {
      session.destroy()
      setTimeout(close, lastWriteMs).unref()
    })
  })
  const isLast = () => isClosing
  serveOn(secure, options, { ...securePort, isTls: true, trusted: options.trusted, isLast })
  serveOn(plain, options, { ...plainPort, isTls: false, trusted: options.trusted, isLast })
  serveOn(misdirected, options, { ...securePort, isTls: false, trusted: trustedProxies([]), isLast: () => true })
  try {
    const https = await listen(secure, { host, port, portSetting: 'VITRINE_PORT' })
    const http = await listen(plain, { host, port: httpPort, portSetting: 'VITRINE_HTTP_PORT' })
    // For example out of descriptors: connections are refused, the service continues.
    for (const server of servers) server.on('error', (cause) => options.log.error('listener_failed', { cause }))
    return {
      https,
      http,
      useCertificate: (next) => secure.setSecureContext(tlsOptions(next)),
      async drain() {
        isClosing = true
        const ports = [securePort, plainPort]
        const cut = await Promise.all(ports.map(({ underWay }) => underWay.drain(limits.requestTimeout)))
        for (const requests of cut) if (requests > 0) options.log.warn('requests_cut', { requests })
      },
    }
  } catch (error) {
    for (const server of servers) server.close()
    throw error
  }
}

const timedOut = Object.assign(new Error('the request did not arrive in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })

const ignore = () => {}

interface Port {
  readonly limited: Connections
  readonly underWay: UnderWay
}

const watchPort = (server: Server | Http2SecureServer, { trusted, connections }: ListenerOptions): Port => ({
  limited: limitConnections(server, trusted, connections),
  underWay: trackUnderWay(server),
})

interface Service extends Port {
  readonly isTls: boolean
  readonly trusted: TrustedProxies
  // Whether a connection ends with its next answer.
  readonly isLast: () => boolean
}

function serveOn(
  server: Server | Http2SecureServer,
  { handle, anonymous, log, onUnparsed: countUnparsed }: ListenerOptions,
  { limited, underWay, isTls, trusted, isLast }: Service,
): void {
  // Connections whose last answer is sent: whatever follows, such as the rest of a body, gets no further answer.
  const ending = new WeakSet<object>()
  const refusal = (code: ErrorCode, remoteAddress: string | undefined, cause: string | undefined) => {
    const address = canonicalAddress(remoteAddress ?? '')
    const requestId = randomUUID()
    log.info('unparsed', { request_id: requestId, code, cause, address })
    countUnparsed(code)
    return unparsedReply(code, requestId, isTls, anonymous.count(address))
  }
  const serve = async (request: NodeRequest, response: NodeResponse) => {
    // A caller that hangs up is not our error.
    request.on('error', ignore)
    response.on('error', ignore)
    underWay.add(request)
    const hangUp = new HangUp()
    const slot = limited.enter(request, response, () => {
      underWay.remove(request)
      // Not `writableFinished`, which HTTP/2 also sets for a stream that was reset.
      if (!response.writableEnded) hangUp.happen()
    })
    try {
      if (!slot) return
      const unparsed = refusalOf(request)
      const reply = unparsed
        ? refusal(unparsed, request.socket.remoteAddress, unparsed)
        : await handle(toCall(request, hangUp, isTls, trusted))
      underWay.beforeAnswer(request)
      if (send(request, response, reply, slot, isLast() || unparsed !== undefined)) ending.add(request.socket)
    } catch (cause) {
      log.error('not_answered', { cause })
      response.destroy()
    }
  }
  const onRequest = (request: NodeRequest, response: NodeResponse) => void serve(request, response)
  const onUnparsed = (error: NodeJS.ErrnoException, socket: Duplex & { remoteAddress?: string }) => {
    if (isGone(error)) return void socket.destroy()
    if (ending.has(socket)) return
    // The parser reports each further piece of what it refuses. The connection stays open, or a caller that still sends could not read
    // the answer.
    ending.add(socket)
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
  // With HTTP/2 CONNECT is a request like any other; with HTTP/1.1 it leaves a bare socket.
  plain.on('connect', (request: NodeRequest, target: Duplex | NodeResponse) => {
    if ('writeHead' in target) return onRequest(request, target)
    // There is no other error listener: a reset would end the process.
    target.on('error', () => {})
    onUnparsed(new Error('CONNECT'), target)
  })
}

// The caller hung up, we ended the connection, or the TLS handshake failed.
const isGone = ({ code = '' }: NodeJS.ErrnoException) => /^(ECONNRESET|ECANCELED|ERR_(TLS|SSL)_.*)$/.test(code)

// Requests that the parser accepts and we refuse: another version in the form of HTTP/1.1, a missing or ambiguous Host, and long
// header lists of HTTP/2.
function refusalOf(request: NodeRequest): ErrorCode | undefined {
  if (!('stream' in request) && request.httpVersionMajor !== 1) return 'bad_request'
  if (!isHostUnique(request)) return 'bad_request'
  return request.httpVersionMajor === 2 && headerBytes(request) > limits.maxHeaderSize ? 'header_too_large' : undefined
}

// RFC 9112, section 3.2: HTTP/1.1 has one Host. RFC 9113, section 8.3.1: HTTP/2 may have one beside :authority, if both are equal.
function isHostUnique(request: NodeRequest): boolean {
  const [host, ...others] = valuesOf(request, 'host')
  if (host === undefined) return request.httpVersion !== '1.1'
  const [authority = host] = valuesOf(request, ':authority')
  return others.length === 0 && authority.toLowerCase() === host.toLowerCase()
}
