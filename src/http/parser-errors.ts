// Answers requests that the HTTP parser itself refuses: they never reach the pipeline, but get JSON and our headers.
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { ApiError, type ErrorCode } from '../errors.ts'
import type { Window } from '../state/state.ts'
import type { Reply } from './exchange.ts'
import { commonHeaders, errorReply, windowHeaders } from './replies.ts'

const codes: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'header_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

export const codeOfUnparsed = (error: NodeJS.ErrnoException): ErrorCode => codes[error.code ?? ''] ?? 'bad_request'

export function unparsedReply(code: ErrorCode, requestId: string, isTls: boolean, window: Window): Reply {
  const reply = errorReply(new ApiError(code), 'data', requestId)
  return { ...reply, headers: { ...commonHeaders(requestId, isTls), ...windowHeaders(window), ...reply.headers } }
}

// For the caller to read it.
const mostMs = 5000

// There is no response object, so the reply is written to the socket itself.
export function sendUnparsed(socket: Duplex, { status, headers, body }: Reply): void {
  if (!socket.writable) return void socket.destroy()
  const all = { ...headers, 'Content-Length': String(Buffer.byteLength(body)), Connection: 'close' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  const timer = setTimeout(() => socket.destroy(), mostMs)
  socket.once('close', () => clearTimeout(timer))
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${String(body)}`)
}
