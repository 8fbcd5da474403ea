// Turns a request of node:http or node:http2 into a Call, and a Reply into their response. The only file that knows both.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { constants, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import { plainAddress } from '../platform/addresses.ts'
import { callerAddress, canonicalAddress, isForwardedTls, type TrustedProxies } from './address.ts'
import { readBody } from './body.ts'
import type { Call, Reply } from './exchange.ts'
import type { AnswerSlot } from './unsent.ts'

export type NodeRequest = IncomingMessage | Http2ServerRequest
export type NodeResponse = ServerResponse | Http2ServerResponse

export function toCall(request: NodeRequest, hangUp: HangUp, isTls: boolean, trusted: TrustedProxies): Call {
  const { headers } = request
  const peer = {
    address: request.socket.remoteAddress ?? '',
    forwardedFor: single(headers['x-forwarded-for']),
    forwardedProto: single(headers['x-forwarded-proto']),
  }
  const caller = callerAddress(peer, trusted)
  const [path, query] = splitTarget(request.url ?? '')
  return {
    method: request.method ?? '',
    path,
    query,
    host: single(headers[':authority'] ?? headers.host),
    authorization: valuesOf(request, 'authorization'),
    contentType: single(headers['content-type']),
    acceptEncoding: single(headers['accept-encoding']),
    acceptLanguage: headers['accept-language'],
    address: canonicalAddress(caller),
    fullAddress: plainAddress(caller) ?? null,
    isSecure: isTls || isForwardedTls(peer, trusted),
    hangUp,
    port: request.socket.localPort,
    header: (name) => valuesOf(request, name),
    body: (mostBytes) => readBody(request, request.httpVersionMajor === 1, mostBytes),
  }
}

export class HangUp {
  hasHappened = false
  #controller: AbortController | undefined

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.hasHappened) this.#controller.abort()
    return this.#controller.signal
  }

  happen(): void {
    this.hasHappened = true
    this.#controller?.abort()
  }
}

// Returns whether the connection ends with this answer.
export function send(
  request: NodeRequest,
  response: NodeResponse,
  reply: Reply,
  slot: AnswerSlot,
  isClosing: boolean,
): boolean {
  if (response.destroyed || response.writableEnded) return false
  const body = typeof reply.body === 'string' ? Buffer.from(reply.body) : reply.body
  const headers: Record<string, string | number> = { ...reply.headers, 'Content-Length': body.byteLength }
  // The rest of an unread body must not be taken for the next request, nor keep its sender waiting.
  const isUnread = !isComplete(request)
  if ('stream' in response) {
    const { stream } = response
    if (isUnread) stream.once('finish', () => stream.close(constants.NGHTTP2_NO_ERROR))
  } else if (isClosing || isUnread) headers['Connection'] = 'close'
  ;(response as ServerResponse).writeHead(reply.status, headers)
  // RFC 9110, section 9.3.2.
  if (request.method === 'HEAD') response.end()
  else sendBody(response as ServerResponse, body, slot)
  return headers['Connection'] === 'close'
}

// Whole if the connection takes it, else in pieces, each after the one before has gone.
export function sendBody(response: ServerResponse, body: Uint8Array, slot: AnswerSlot): void {
  if (body.byteLength === 0) return void response.end()
  slot.hold(body)
  const sendFrom = (start: number) => {
    const end = start + slot.hand(body.byteLength - start)
    // Not the event `finish`, which HTTP/2 also emits for a stream that was reset.
    if (end === body.byteLength) response.end(body.subarray(start), () => slot.took())
    else
      response.write(body.subarray(start, end), (error) => {
        if (error) return
        slot.took()
        sendFrom(end)
      })
  }
  sendFrom(0)
}

// HTTP/2 allows longer header lists than the parser of HTTP/1.1. This counts as that parser does, so that one limit holds for both.
export function headerBytes({ rawHeaders }: NodeRequest): number {
  let bytes = 0
  for (const text of rawHeaders) bytes += text.length + 2
  return bytes
}

// Whether the whole request has arrived. An HTTP/2 request without a body is never `complete`, because its stream is not read.
export const isComplete = (request: NodeRequest) => request.complete || !hasBody(request)

const hasBody = (request: NodeRequest) =>
  'stream' in request
    ? !request.stream.endAfterHeaders
    : request.headers['transfer-encoding'] !== undefined || (request.headers['content-length'] ?? '0') !== '0'

// node:http keeps only the first of several Authorization or Host headers, but several must be noticed.
export function valuesOf({ rawHeaders }: NodeRequest, name: string): string[] {
  const values: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const each = rawHeaders[at] ?? ''
    if (each.length === name.length && each.toLowerCase() === name) values.push(rawHeaders[at + 1] ?? '')
  }
  return values
}

// A proxy may send a whole URL; only its path and query matter.
function splitTarget(target: string): [path: string, query: string] {
  const own = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '')
  // HTTP/2 accepts bytes that should have been escaped; HTTP/1.1 does not.
  const local = own.replaceAll(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`)
  const at = local.indexOf('?')
  return at === -1 ? [local, ''] : [local.slice(0, at), local.slice(at + 1)]
}

const single = (value: string | string[] | undefined) => (Array.isArray(value) ? value.join(', ') : value)
