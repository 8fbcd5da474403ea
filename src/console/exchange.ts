// A request to the console and its answer, as plain data, and how they come from and go to Node's.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { canonicalAddress } from '../http/address.ts'
import { splitTarget } from '../http/node-request.ts'
import { compressed } from '../http/compression.ts'
import type { Fault } from '../keys/faults.ts'
import { consoleFault, type ConsoleCode } from './faults.ts'

export interface ConsoleCall {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly address: string
  readonly cookie: string | null
  readonly acceptEncoding: string | undefined
  // It was sent by a page of another origin.
  readonly isForeign: boolean
  // The JSON object that was sent; null: none, or something else.
  body(): Promise<Readonly<Record<string, unknown>> | null>
}

export interface ConsoleAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  // The same bytes every time, in the same array: compressed once.
  readonly isFixed?: true
}

export const cookieName = '__Host-vitrine'
const largestBody = 64 * 1024

export const json = (value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): ConsoleAnswer => ({
  status,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(value),
})

export const refused = (
  status: number,
  code: ConsoleCode,
  values: Fault['values'] = {},
  headers: Readonly<Record<string, string>> = {},
): ConsoleAnswer => json({ error: { code, faults: [consoleFault(code, values)] } }, status, headers)

// Everything that is wrong with what somebody gave.
export const refusedFor = (faults: readonly Fault[], status = 400): ConsoleAnswer =>
  json({ error: { code: status === 404 ? 'not_found' : 'invalid_request', faults } }, status)

export function readCall(request: IncomingMessage): ConsoleCall {
  const [path, query] = splitTarget(request.url ?? '')
  const { headers } = request
  const site = headers['sec-fetch-site']
  const isOtherOrigin = headers.origin !== undefined && headers.origin !== `https://${headers.host}`
  return {
    method: request.method ?? 'GET',
    path,
    query: new URLSearchParams(query),
    address: canonicalAddress(request.socket.remoteAddress ?? ''),
    cookie: readCookie(headers.cookie ?? ''),
    acceptEncoding: headers['accept-encoding']?.toString(),
    isForeign: isOtherOrigin || (site !== undefined && site !== 'same-origin' && site !== 'none'),
    body: () => readBody(request),
  }
}

function readCookie(text: string): string | null {
  const found = text.split(';').find((pair) => pair.trim().startsWith(`${cookieName}=`))
  return found?.split('=')[1]?.trim() ?? null
}

async function readBody(request: IncomingMessage): Promise<Readonly<Record<string, unknown>> | null> {
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? '')) return null
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > largestBody) return null
    chunks.push(chunk)
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null
  } catch {
    return null
  }
}

const everywhere = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
}

export async function sendAnswer(
  response: ServerResponse,
  { status, headers = {}, body = '', ...rest }: ConsoleAnswer,
  acceptEncoding?: string,
): Promise<void> {
  const reply = await compressed({ status, headers: { ...everywhere, ...headers }, body, ...rest }, acceptEncoding)
  response.writeHead(status, { ...reply.headers, 'Content-Length': Buffer.byteLength(reply.body) })
  response.end(reply.body)
}
