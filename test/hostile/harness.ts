// Sends a payload in one of the ways there are, and sums up what comes in one line, such as "200, 404 not_found". What holds for every
// answer, whatever was sent, is asserted here.
import assert from 'node:assert/strict'
import { connect, constants, type ClientHttp2Session } from 'node:http2'
import { assertCommonHeaders, until, type Answer, type Server } from '../support/process.ts'
import { exchange, parseJson } from '../support/raw.ts'

export type Way = keyof typeof ways

type Ports = Pick<Server, 'https' | 'http'>
type Header = readonly [name: string, value: string]

/** Written as the bytes of HTTP/1.1 or HTTP/2. */
export interface Request {
  readonly method?: string
  readonly path: string
  /** HTTP/2 only. */
  readonly scheme?: string
  /** In place of the usual ones that have the same name. */
  readonly headers?: readonly Header[]
  readonly body?: string
  /** So many bytes of the body are announced and never sent. */
  readonly missing?: number
}

export interface Payload {
  readonly name: string
  /** Bytes of HTTP/1.1, each part once the one before is sent; or a request. */
  readonly send: string | readonly string[] | Request
  /** Outcomes in ways that are served, with " | " between them. In clear, they follow from these. */
  readonly allowed: string
  /** Other outcomes of some ways. */
  readonly but?: Partial<Readonly<Record<Way, string>>>
  readonly only?: readonly Way[]
  /** Behind a trusted proxy: the caller's address, if it is not the one that the harness puts there. */
  readonly from?: string
  /** In the last answer, in ways that are served. */
  readonly text?: RegExp
}

// Each payload is sent from an address of its own, so that no limit for addresses changes its answer. Behind a proxy that address
// replaces `forwardedFor`, which has the same length, because lengths of bodies are part of payloads.
export const [anonymousRate, keyRate] = [1_000_000, 999_999]
export const trustedPeers = '127.0.0.0/16'
const forwardedFor = '10.000.000.000'
let sendings = 0
function nextAddresses(way: Way): [peer: string, forwarded: string] {
  const own = `${100 + (Math.trunc(sendings / 100) % 100)}.${100 + (sendings % 100)}`
  sendings += 1
  return [`${ways[way].network}.${own}`, `10.100.${own}`]
}

// In clear, only trusted proxies are served.
export const ways = {
  tls: { title: 'over TLS', isTls: true, isServed: true, network: '127.2' },
  proxied: { title: 'behind a proxy', isTls: false, isServed: true, network: '127.0' },
  http2: { title: 'over HTTP/2', isTls: true, isServed: true, network: '127.2' },
  clear: { title: 'in clear', isTls: false, isServed: false, network: '127.2' },
  misdirected: { title: 'in clear on the port of TLS', isTls: false, isServed: false, network: '127.0' },
} as const

export const prefix = '/api/v1'
export const host = 'Host: localhost\r\n'
export const close = 'Connection: close\r\n'
export const form = 'Content-Type: application/x-www-form-urlencoded\r\n'
export const forwarded = `X-Forwarded-Proto: https\r\nX-Forwarded-For: ${forwardedFor}\r\n`
export const common = host + forwarded
export const get = (path: string, ...headers: readonly string[]) =>
  `GET ${prefix}${path} HTTP/1.1\r\n${common}${headers.join('')}\r\n`
export const post = (headers: string, body = '') =>
  `POST ${prefix}/auth/token HTTP/1.1\r\n${common}${form}${headers}\r\n${body}`

const usual: readonly Header[] = [
  ['Host', 'localhost'],
  ['X-Forwarded-Proto', 'https'],
  ['X-Forwarded-For', forwardedFor],
  ['Connection', 'close'],
]

function headersOf({ headers = [] }: Request): Header[] {
  const own = new Set(headers.map(([name]) => name))
  return [...usual.filter(([name]) => !own.has(name)), ...headers]
}

function toBytes(request: Request): string {
  const { method = 'GET', path, body = '', missing = 0 } = request
  const length = body.length + missing
  const lines = headersOf(request).map(([name, value]) => `${name}: ${value}\r\n`)
  if (length > 0) lines.push(`Content-Length: ${length}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

// HTTP/2 has :authority in place of Host, and forbids Connection.
const ofHttp1 = new Set(['Host', 'Connection'])
function toHttp2(request: Request): string[] {
  const { method = 'GET', path, scheme = 'https' } = request
  const target =
    method === 'CONNECT' ? [':authority', path] : [':scheme', scheme, ':authority', 'localhost', ':path', path]
  const headers = headersOf(request).filter(([name]) => !ofHttp1.has(name))
  return [':method', method, ...target, ...headers.flatMap(([name, value]) => [name.toLowerCase(), value])]
}

interface Received {
  readonly answers: readonly Answer[]
  /** HTTP/2 without an answer: whether the stream was reset, or the whole connection ended. */
  readonly end?: 'reset' | 'end'
}

async function overHttp2(port: number, request: Request, localAddress: string): Promise<Received> {
  // Above the client's own limit.
  const options = { rejectUnauthorized: false, maxSendHeaderBlockLength: 8 * 1024 * 1024, localAddress }
  const session = connect(`https://127.0.0.1:${port}`, options)
  session.on('error', () => {})
  try {
    const answer = await askOn(session, request)
    // Other streams go on, unless the whole connection has ended.
    const next = await askOn(session, { path: `${prefix}/status` })
    if (next) assert.equal(next.status, 200)
    return answer ? { answers: [answer] } : { answers: [], end: next ? 'reset' : 'end' }
  } finally {
    session.destroy()
  }
}

export async function askOn(session: ClientHttp2Session, request: Request): Promise<Answer | undefined> {
  if (session.closed || session.destroyed) return undefined
  const { body, missing } = request
  const stream = session.request(toHttp2(request), { endStream: body === undefined && missing === undefined })
  let text = ''
  let got: Record<string, unknown> | undefined
  stream.on('response', (received) => (got = received))
  stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  stream.on('error', () => {})
  if (body !== undefined) stream.write(body)
  if (missing === undefined) stream.end()
  await until('the stream is closed', () => stream.closed || stream.destroyed)
  // NO_ERROR with an answer: the sender of a body that is not read may stop.
  if (!got || stream.rstCode !== constants.NGHTTP2_NO_ERROR) return undefined
  const { ':status': status, ...others } = got
  return { status: Number(status), headers: others as Answer['headers'], text, body: parseJson(text) }
}

const codeOf = ({ body }: Answer) =>
  typeof body?.error === 'string' ? `${body.error} (oauth)` : String(body?.error?.code)
const lineOf = (answer: Answer) =>
  answer.status <= 200 || answer.text === '' ? String(answer.status) : `${answer.status} ${codeOf(answer)}`

const ofParser = /^\d+ (bad_request|header_too_large|request_timeout)$/

// In clear, every request is refused with 403; what the parser refuses may be refused either way.
function inClear(outcome: string, isLast: boolean): RegExp {
  const all = outcome.split(', ')
  const some = isLast ? all.slice(0, all.findIndex((each) => each !== '100') + 1) : all
  const refused = '403 https_required( \\(oauth\\))?'
  const patterns = some.map((each) => (each === '100' ? each : ofParser.test(each) ? `(${each}|${refused})` : refused))
  return new RegExp(`^${patterns.join(', ')}$`)
}

function isAllowed({ allowed, but = {} }: Payload, way: Way, seen: string): boolean {
  const outcomes = (but[way] ?? allowed).split(' | ')
  if (but[way] !== undefined || ways[way].isServed) return outcomes.includes(seen)
  // On the port of TLS a connection ends with its first answer.
  return outcomes.some((outcome) => inClear(outcome, way === 'misdirected').test(seen))
}

function assertAnswer(answer: Answer, way: Way, bytes: number): void {
  const { status, headers, text, body } = answer
  const line = lineOf(answer)
  assert.ok(status < 500, line)
  // Where the parser refuses, X-Forwarded-Proto is not read.
  assertCommonHeaders(headers, {
    isTls: ways[way].isTls || (way === 'proxied' && status !== 403 && !ofParser.test(line)),
  })
  for (const header of Object.entries(headers)) assert.doesNotMatch(header.join(), /forged|[\r\n\0]|%0[ad0]/i)
  assert.doesNotMatch(text, /forged|Hidden/)
  // The bounds of amplification.slow.test.ts.
  assert.ok(text.length <= 16 * bytes + 8192, `${text.length} bytes for ${bytes}`)
  if (status === 200) assert.notEqual(body?.https, false)
  else if (text !== '') {
    assert.deepEqual(Object.keys(body), line.endsWith('(oauth)') ? ['error', 'error_description'] : ['error'])
    if (body.error.code) assert.equal(body.error.request_id, headers['x-request-id'])
  }
}

/** What the log must have of an answer. */
export interface Logged {
  readonly id: string
  readonly address: string
  /** undefined: none. null: unknown, because the answer has no body. */
  readonly code: string | undefined | null
  readonly what: string
}

export const placeOf = (server: Ports, way: Way, localAddress = nextAddresses(way)[0]) => ({
  port: way === 'proxied' || way === 'clear' ? server.http : server.https,
  isTls: ways[way].isTls,
  localAddress,
})

/** Sends from the first address; behind a proxy, on behalf of the second. */
export async function sendIn(
  server: Ports,
  way: Way,
  sending: Payload['send'],
  [localAddress, forwardedAddress] = nextAddresses(way),
): Promise<Received> {
  const isRequest = typeof sending === 'object' && 'path' in sending
  if (way === 'http2' && isRequest) return overHttp2(server.https, sending, localAddress)
  const parts = isRequest ? [toBytes(sending)] : [sending].flat()
  const sent = parts.map((part) => part.replaceAll(forwardedFor, forwardedAddress))
  return { answers: await exchange(placeOf(server, way, localAddress), ...sent) }
}

/** Sends a row of the table, and asserts its outcome. */
export async function send(server: Ports, way: Way, payload: Payload): Promise<Logged[]> {
  const { name, send: sending, from, text } = payload
  const addresses = nextAddresses(way)
  const { answers, end } = await sendIn(server, way, sending, addresses)
  const seen = [...answers.map(lineOf), ...(end ? [end] : [])].join(', ')
  assert.ok(isAllowed(payload, way, seen), `came: ${seen}`)
  const finals = answers.filter(({ status }) => status >= 200)
  for (const answer of finals) assertAnswer(answer, way, JSON.stringify(sending).length)
  const [first, last] = [finals.at(0), finals.at(-1)]
  const { 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': remaining } = first?.headers ?? {}
  // No other request has counted in the window of this address.
  const isOwn = first && from === undefined && Number(limit) !== keyRate
  if (isOwn) assert.ok(Number(limit) - Number(remaining) <= finals.length + 1, `${String(remaining)} left`)
  if (text && ways[way].isServed) assert.match(last?.text ?? '', text)
  if (last && way !== 'http2') assert.equal(last.headers['connection'], 'close')
  const [peer, forwardedAddress] = addresses
  const named = from === 'the proxy' ? peer : (from ?? forwardedAddress)
  return finals.map((answer) => ({
    id: String(answer.headers['x-request-id']),
    address: way === 'proxied' && !ofParser.test(lineOf(answer)) ? named : peer,
    code: answer.status === 200 ? undefined : answer.text === '' ? null : codeOf(answer).replace(' (oauth)', ''),
    what: `${name}, ${ways[way].title}`,
  }))
}
