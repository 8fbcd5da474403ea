// What requests to the console carry (session, JSON, times), and the forms of their replies: JSON for the page, plain text for programs.
import type { Call, Reply } from '../../http/exchange.ts'
import type { InputFault } from '../../keys/faults.ts'
import { consoleFault, type ConsoleCode } from './faults.ts'

type Headers = Readonly<Record<string, string>>

export const json = (value: unknown, status = 200, headers: Headers = {}): Reply => ({
  status,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(value),
})

export const refused = (
  status: number,
  code: ConsoleCode,
  values: InputFault['values'] = {},
  headers: Headers = {},
): Reply => json({ error: { code, faults: [consoleFault(code, values)] } }, status, headers)

export const refusedFor = (
  faults: readonly InputFault[],
  status = 400,
  code = refusals[status] ?? 'invalid_request',
): Reply => json({ error: { code, faults } }, status)

const refusals: Readonly<Record<number, string>> = { 404: 'not_found', 409: 'changed_meanwhile' }

// Plain text, for programs and for callers without the page.
export const sentence = (status: number, text: string, headers: Headers = {}): Reply => ({
  status,
  headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers },
  body: `${text}\n`,
})

// The port keeps the cookies of two services on one machine apart.
const cookieName = ({ port }: Call) => `__Host-vitrine-${port}`
const cookieAttributes = 'Path=/; Secure; HttpOnly; SameSite=Strict'
const proofHeader = 'x-vitrine-session'
export const credentialOf = (cookie: string, proof: string) => `${cookie} ${proof}`

// The session's cookie and the value that the page sends in a header. Browsers send a cookie to every port of a machine, but only
// pages of this origin have the value.
export function readCredential(call: Call): string | null {
  const name = cookieName(call)
  const pairs = call.header('cookie').flatMap((value) => value.split(';').map((pair) => pair.trim()))
  const cookie = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
  const [proof] = call.header(proofHeader)
  return cookie !== undefined && proof !== undefined ? credentialOf(cookie, proof) : null
}

// null deletes the cookie.
export const cookieOf = (call: Call, value: string | null): Headers => ({
  'Set-Cookie': `${cookieName(call)}=${value ?? ''}; ${cookieAttributes}${value === null ? '; Max-Age=0' : ''}`,
})

const largestBody = 64 * 1024

// null: the body is not a JSON object.
export async function readObject(call: Call): Promise<Readonly<Record<string, unknown>> | null> {
  if (!/^application\/json\b/.test(call.contentType ?? '')) return null
  const text = await call.body(largestBody)
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
