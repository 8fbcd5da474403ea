// A request to the console and its answer as plain values, and their conversion from and to Node's.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { canonicalAddress } from '../../http/address.ts'
import { readBody } from '../../http/body.ts'
import type { Reply } from '../../http/exchange.ts'
import { sendBody, splitTarget } from '../../http/node-request.ts'
import { compressed } from '../../http/compression.ts'
import { transportSecurity } from '../../http/replies.ts'
import type { AnswerSlot } from '../../http/unsent.ts'
import type { InputFault } from '../../keys/faults.ts'
import { pageHeaders } from '../page/bundle.ts'
import { consoleFault, type ConsoleCode } from './faults.ts'

export interface ConsoleCall {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly address: string
  // The session's cookie and the value that the page sends in a header. Browsers send a cookie to every port of a machine, but only
  // pages of this origin have the value.
  readonly credential: string | null
  readonly authorization: readonly string[]
  readonly acceptEncoding: string | undefined
  // Sent by a page of another origin.
  readonly isForeign: boolean
  // null: not a JSON object.
  body(): Promise<Readonly<Record<string, unknown>> | null>
}

export interface ConsoleAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  // The cookie of a new session; null deletes it.
  readonly cookie?: string | null
  // The body is the same array every time, so it is compressed once.
  readonly isFixed?: true
}

// The port keeps the cookies of two services on one machine apart.
const cookieName = (port: number | undefined) => `__Host-vitrine-${port}`
const cookieAttributes = 'Path=/; Secure; HttpOnly; SameSite=Strict'
const proofHeader = 'x-vitrine-session'
export const credentialOf = (cookie: string, proof: string) => `${cookie} ${proof}`
const largestBody = 64 * 1024

export const json = (value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): ConsoleAnswer => ({
  status,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(value),
})

export const refused = (
  status: number,
  code: ConsoleCode,
  values: InputFault['values'] = {},
  headers: Readonly<Record<string, string>> = {},
): ConsoleAnswer => json({ error: { code, faults: [consoleFault(code, values)] } }, status, headers)

// Plain text, for programs and for callers without the page.
export const sentence = (
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): ConsoleAnswer => ({
  status,
  headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers },
  body: `${text}\n`,
})

export const refusedFor = (
  faults: readonly InputFault[],
  status = 400,
  code = refusals[status] ?? 'invalid_request',
): ConsoleAnswer => json({ error: { code, faults } }, status)

const refusals: Readonly<Record<number, string>> = { 404: 'not_found', 409: 'changed_meanwhile' }

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
    credential: readCredential(request),
    authorization: request.headersDistinct['authorization'] ?? [],
    acceptEncoding: headers['accept-encoding']?.toString(),
    isForeign: isOtherOrigin || (site !== undefined && site !== 'same-origin' && site !== 'none'),
    body: () => readObject(request),
  }
}

function readCredential({ headers, socket }: IncomingMessage): string | null {
  const name = cookieName(socket.localPort)
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim())
  const cookie = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
  const proof = headers[proofHeader]
  return cookie !== undefined && typeof proof === 'string' ? credentialOf(cookie, proof) : null
}

async function readObject(request: IncomingMessage): Promise<Readonly<Record<string, unknown>> | null> {
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? '')) return null
  const text = await readBody(request, true, largestBody)
  if (text === null) return null
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null
  } catch {
    return null
  }
}

const plainHeaders = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff', ...pageHeaders }
const commonHeaders = { ...transportSecurity, ...plainHeaders }

const httpsRequired = sentence(
  403,
  'The console answers over HTTPS only: write https:// instead of http:// in its address.',
)
// For plain HTTP, whatever is asked for.
export const httpsRequiredReply: Reply = {
  status: httpsRequired.status,
  headers: { ...plainHeaders, ...httpsRequired.headers },
  body: httpsRequired.body ?? '',
}

export async function sendAnswer(
  response: ServerResponse,
  { status, headers = {}, body = '', cookie, ...rest }: ConsoleAnswer,
  slot: AnswerSlot,
  acceptEncoding?: string,
): Promise<void> {
  const name = cookieName(response.socket?.localPort)
  const value = cookie === null ? `${name}=; ${cookieAttributes}; Max-Age=0` : `${name}=${cookie}; ${cookieAttributes}`
  const all = { ...commonHeaders, ...headers, ...(cookie === undefined ? {} : { 'Set-Cookie': value }) }
  const reply = await compressed({ status, headers: all, body, ...rest }, acceptEncoding)
  const bytes = typeof reply.body === 'string' ? Buffer.from(reply.body) : reply.body
  if (response.destroyed) return
  response.writeHead(status, { ...reply.headers, 'Content-Length': bytes.byteLength })
  sendBody(response, bytes, slot)
}

// A value of a body, if it is a text.
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

// A time in a query: ISO 8601, as the page itself gets times.
export function readTime(query: URLSearchParams, name: string): number | InputFault | undefined {
  const text = query.get(name)
  if (text === null) return undefined
  const time = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? consoleFault('time_invalid', { name }) : time
}

// A time, as readTime reads it.
export function timeOf(ms: number): string
export function timeOf(ms: number | null): string | null
export function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
