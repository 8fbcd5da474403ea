// Requests that the HTTP parser itself refuses: they never reach the pipeline, and still get JSON and our headers.
import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { ApiError, type ErrorCode } from '../errors.ts'
import type { Window } from '../state/state.ts'
import { commonHeaders, errorReply, windowHeaders } from './replies.ts'

const codes: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'header_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

export function refuseUnparsed(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  isTls: boolean,
  window: Window,
): ErrorCode {
  const code = codes[error.code ?? ''] ?? 'bad_request'
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return code
  }
  const requestId = randomUUID()
  const { status, body } = errorReply(new ApiError(code), 'data', requestId)
  const headers = {
    ...commonHeaders(requestId, isTls),
    ...windowHeaders(window),
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${String(body)}`)
  return code
}
