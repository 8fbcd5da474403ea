// The table of hostile bytes: what no client should send, and what is odd but allowed. A row has a name, what is sent, and the outcomes
// that are allowed where callers are served; `but` has those of single ways.
import { resources } from '../../src/catalogue/resources/index.ts'
import { credentialsPaths } from '../support/routes.ts'
import type { NewKey } from '../support/run-command.ts'
import { close, common, forwarded, get, host, post, prefix, type Payload, type Request, type Way } from './harness.ts'
import { smuggling } from './smuggling.ts'

type Headers = Readonly<Record<string, string>>
const row = (
  name: string,
  send: Payload['send'],
  allowed: string,
  more: Omit<Payload, 'name' | 'send' | 'allowed'> = {},
): Payload => ({ name, send, allowed, ...more })
const fill = (length: number) => 'a'.repeat(length)
const from = <Made>(count: number, make: (at: number) => Made) => Array.from({ length: count }, (_, at) => make(at))
const kib = 1024

const badRequest = '400 bad_request'
const invalidForm = '400 invalid_request (oauth)'
const invalidParameter = '400 invalid_parameter'
const noToken = '401 missing_token'
const invalidToken = '401 invalid_token'
const wrongCode = '401 invalid_client (oauth)'
const refused = '403 https_required'
const notFound = '404 not_found'
const notAllowed = '405 method_not_allowed'
const tooLarge = '431 header_too_large'

const served: readonly Way[] = ['tls', 'proxied', 'http2']
const http2Only = { only: ['http2'] } as const
const status = `${prefix}/status`
const wrong = 'grant_type=client_credentials&client_id=svc_ak_nobody&client_secret=svc_sk_wrong'
const form: Headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
const ask = (path: string, headers: Headers = {}): Request => ({
  path: path.startsWith('/api') ? path : prefix + path,
  headers: Object.entries(headers),
})
const other = (method: string, path: string): Request => ({ method, path })
const signIn = (body: string, headers = form): Request => ({ ...ask('/auth/token', headers), method: 'POST', body })
const wrongOf = (length: number) => signIn(`${wrong}&padding=`.padEnd(length, 'a'))

const oddPaths = [
  '//api/v1/status',
  '/api/v1/../v1/status',
  '/api/v1/status/',
  '/api/v1/%73tatus',
  '/API/v1/status',
  '*',
]
const requests = (bearer: Headers): Payload[] => [
  row('a plain request', ask('/status'), '200'),
  row('an unknown path', other('GET', '/nowhere'), notFound),
  row('another method', other('PUT', `${prefix}/stores`), notAllowed),
  row('a method that is not HTTP', other('BREW', `${prefix}/stores`), badRequest, { but: { http2: notAllowed } }),
  row('OPTIONS *', other('OPTIONS', '*'), notFound),
  row('TRACE', other('TRACE', status), notAllowed),
  row('CONNECT', other('CONNECT', 'example.org:443'), badRequest, { but: { http2: notFound } }),
  ...oddPaths.map((path) =>
    row(`the path ${path}`, other('GET', path), notFound, path === '*' ? { but: { http2: 'reset' } } : {}),
  ),
  row('no token', ask('/ping'), noToken),
  row('a wrong sign-in', signIn(wrong), wrongCode),
  row('another Expect', ask('/status', { Expect: 'miracles' }), '200'),
  row('Expect: 100-continue', signIn(wrong, { ...form, Expect: '100-continue' }), `100, ${wrongCode}`, {
    but: { http2: wrongCode },
  }),
  row('a body on GET', { path: status, body: wrong }, '200'),
  row('a Host that is not the :authority', ask('/status', { host: 'example.org' }), badRequest, http2Only),
  row('a Host that says the same as the :authority', ask('/status', { host: 'LOCALHOST' }), '200', http2Only),
  row('the scheme http', { path: status, scheme: 'http' }, '200', http2Only),
  // HTTP/2 reads letters that were not escaped as UTF-8; HTTP/1.1 refuses them.
  row('a search for escaped letters', ask('/vendors?search=P%C3%A9tion', bearer), '200', { text: /"total":1/ }),
  row('a search for letters of UTF-8', ask('/vendors?search=P\xc3\xa9tion', bearer), '200', {
    text: /"total":1/,
    ...http2Only,
  }),
  row('a search for UTF-8 in HTTP/1.1', get('/vendors?search=P\xc3\xa9tion'), badRequest),
  row('a search for a letter of ISO 8859-1', ask('/vendors?search=P\xe9tion', bearer), badRequest, {
    but: { http2: invalidParameter },
  }),
]

// Above 64 KB of headers HTTP/2 has no answer.
const large = (name: string, bytes: number, send: Request, allowed = tooLarge) =>
  row(name, send, allowed, bytes > 60_000 ? { but: { http2: `${allowed} | reset | end` } } : {})
const limits = (bearer: Headers): Payload[] => [
  ...[16, 17, 20, 32, 63, 64, 65, 100, 1000].flatMap((size) => [
    large(`a header of ${size} KiB`, size * kib, ask('/status', { 'X-A': fill(size * kib) })),
    large(`a token of ${size} KiB`, size * kib, ask('/stores', { Authorization: `Bearer ${fill(size * kib)}` })),
  ]),
  ...[200, 300, 2000, 10_000].map((count) => {
    const value = fill(count === 200 ? 90 : 60)
    return large(`${count} headers`, count * 66, { path: status, headers: from(count, (at) => [`x-${at}`, value]) })
  }),
  // More headers than Node.js keeps by default: the service must not answer a request that it has not read whole.
  ...[1500, 5000].map((count) => {
    const send = { path: status, headers: from(count, (at) => [`x${at}`, ''] as const) }
    return row(`${count} headers of one letter`, send, tooLarge, {
      but: { http2: count === 1500 ? '200' : 'reset | end' },
    })
  }),
  row(
    '1,700 headers of six letters',
    { path: status, headers: from(1700, (at) => [`x${10_000 + at}`, ''] as const) },
    tooLarge,
  ),
  ...[16, 20, 100].map((size) =>
    large(`an address of ${size} KiB`, size * kib, ask(`/stores?search=${fill(size * kib)}`)),
  ),
  row('a path of 20 KB', ask(`/${fill(20_000)}`), tooLarge),
  row('headers of 15 KiB', ask('/status', { 'X-A': fill(15 * kib) }), '200'),
  row('a path of 15 KB', ask(`/${fill(15_000)}`), notFound),
  row('a path of 5,000 parts', ask('/a'.repeat(5000)), notFound),
  row('7,000 ampersands', ask(`/nowhere?${'&'.repeat(7000)}`, bearer), notFound),
  row('a search of 15 KB', ask(`/stores?search=${fill(15_000)}`, bearer), invalidParameter),
  row('1,000 parameters', ask(`/stores?${from(1000, (at) => `p${at}=1`).join('&')}`, bearer), invalidParameter),
  row('1,000 times one parameter', ask(`/stores?${from(1000, () => 'page=1').join('&')}`, bearer), invalidParameter),
  row('a sort of 1,000 fields', ask(`/stores?sort=${from(1000, () => 'id').join(',')}`, bearer), invalidParameter),
  row('an id of 10,000 digits', ask(`/stores/${'9'.repeat(10_000)}`, bearer), invalidParameter),
  row('a body of 15 KiB', wrongOf(15 * kib), wrongCode),
  // In clear the connection ends with the first answer, so the sender may read none.
  ...[17, 100, 200, 2000, 4096].map((size) =>
    row(`a body of ${size} KiB`, wrongOf(size * kib), invalidForm, { only: served }),
  ),
  row(
    'a body of 4 MiB in chunks',
    [post(`Transfer-Encoding: chunked\r\n${close}`), ...from(64, () => `10000\r\n${fill(0x10000)}\r\n`), '0\r\n\r\n'],
    invalidForm,
    { only: ['tls', 'proxied'] },
  ),
  row('a form of 1,000 parameters', signIn(`${wrong}&${from(1000, (at) => `p${at}=1`).join('&')}`), wrongCode),
  row(
    'JSON of 5,000 brackets',
    signIn('['.repeat(5000) + ']'.repeat(5000), { 'Content-Type': 'application/json' }),
    invalidForm,
  ),
  // Over HTTP/2 the sender is told to stop, so that no stream stays open.
  row(
    'a body of 1 MiB where none is read',
    { ...other('POST', `${prefix}/stores`), body: fill(kib * kib) },
    notAllowed,
  ),
  row('a body that does not come', { ...other('POST', `${prefix}/stores`), missing: 1000 }, notAllowed),
  row('a body that does not end', { ...other('POST', '/nowhere'), body: fill(kib * kib), missing: 1 }, notFound),
  row('a body that is too large and does not end', { ...signIn(fill(kib * kib)), missing: 1 }, invalidForm, http2Only),
]

// More are in smuggling.ts.
const badRequests: readonly (readonly [name: string, text: string])[] = [
  ['a request line that is none', 'HELLO\r\n\r\n'],
  ['bytes that are neither HTTP nor TLS', '\x80\x2e\x01\x00\x02\r\n\r\n'],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['an unknown version', `GET ${status} HTTP/9.9\r\n${common}\r\n`],
  ['a method in small letters', `get ${status} HTTP/1.1\r\n${common}\r\n`],
  ['a chunk size that is none', post('Transfer-Encoding: chunked\r\n', 'xyz\r\nabc\r\n0\r\n\r\n')],
  ['a chunk longer than it says', post('Transfer-Encoding: chunked\r\n', '2\r\nabcdef\r\n0\r\n\r\n')],
  ['a bad chunk after a good one', post('Transfer-Encoding: chunked\r\n', '3\r\nabc\r\n-1\r\n\r\n')],
  ['line feeds alone', `GET ${status} HTTP/1.1\nHost: localhost\n\n`],
  ['HTTP/1.1 without Host', `GET ${status} HTTP/1.1\r\n${forwarded}${close}\r\n`],
  ['two Hosts', get('/status', 'Host: example.org\r\n', close)],
  ['the same Host twice', get('/status', 'hOST: localhost\r\n', close)],
  [
    'two Hosts with HTTP/1.0, and a request after them',
    `GET ${status} HTTP/1.0\r\n${common}${host}\r\n${get('/status')}`,
  ],
]

const ownId = 'X-Request-Id: 11111111-1111-4111-8111-111111111111\r\n'
const upgrade = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n'
const bytes = (bearer: string): Payload[] => [
  ...badRequests.map(([name, send]) => row(name, send, badRequest)),
  // On the port of TLS the first byte begins a handshake.
  row('bytes that are no text', '\x16\x03\x01\x00\xff\x00\r\n\r\n', badRequest, { only: ['tls', 'proxied', 'clear'] }),
  row('an empty line first', `\r\n${get('/status', close)}`, '200'),
  row('HTTP/0.9', `GET ${status}\r\n\r\n`, `${badRequest} | 200`),
  row('HTTP/1.0 without Host', `GET ${status} HTTP/1.0\r\n${forwarded}\r\n`, '200'),
  row('a whole address as the target', `GET https://localhost${status}?a=b HTTP/1.1\r\n${common}${close}\r\n`, '200'),
  row('an authority without a path', `GET https://localhost HTTP/1.1\r\n${common}${close}\r\n`, notFound),
  row('a wish for HTTP/2', get('/status', upgrade.replace('HTTP2-Settings\r', 'HTTP2-Settings, close\r')), '200'),
  row('a wish for HTTP/2 on a connection that is kept', get('/status', upgrade), '200', { only: ['misdirected'] }),
  row(
    'Expect: 100-continue, whose body comes later',
    [post(`Expect: 100-continue\r\nContent-Length: ${wrong.length}\r\n${close}`), wrong],
    `100, ${wrongCode}`,
  ),
  row(
    'a body on GET that looks like a request',
    get('/status', `Content-Length: ${get('/ping').length}\r\n`) + get('/ping') + get('/nowhere', close),
    `200, ${notFound} | 200`,
  ),
  row(
    'requests one after the other, all with the same id',
    `${['/status', '/nowhere', '/ping'].map((path) => get(path, ownId)).join('')}PUT ${prefix}/stores HTTP/1.1\r\n${common}${close}\r\n`,
    `200, ${notFound}, ${noToken}, ${notAllowed}`,
  ),
  row('a good request, then a bad one', `${get('/status')}HELLO\r\n\r\n`, `200, ${badRequest}`),
  row(
    'a good request that waits for the state, then a bad one',
    `${get('/ping', 'Authorization: Bearer svc_at_x\r\n')}HELLO\r\n\r\n`,
    `${invalidToken}, ${badRequest}`,
  ),
  // Several tokens are an invalid token, even if one is right, and however many headers are between them.
  ...['Bearer x', 'Basic YTpi', '', bearer].flatMap((next) => [
    row(
      `a right token, then ${next}`,
      get('/ping', `Authorization: ${bearer}\r\nauthorization: ${next}\r\n`, close),
      invalidToken,
    ),
    row(
      `${next}, then a right token`,
      get('/ping', `AUTHORIZATION: ${next}\r\nAuthorization: ${bearer}\r\n`, close),
      invalidToken,
    ),
  ]),
  row('two wrong tokens', get('/ping', 'Authorization: Bearer a\r\nAuthorization: Bearer b\r\n', close), invalidToken),
  row('two right tokens in one header', get('/ping', `Authorization: ${bearer}, ${bearer}\r\n`, close), invalidToken),
  ...[900, 1100].map((count) =>
    row(
      `${count} headers between two tokens`,
      get('/ping', close, `Authorization: ${bearer}\r\n${'x:\r\n'.repeat(count)}Authorization: Bearer x\r\n`),
      count === 900 ? invalidToken : tooLarge,
    ),
  ),
]

const readHeaders =
  'Authorization Content-Type Accept-Encoding X-Forwarded-For X-Forwarded-Proto Host X-Request-Id Content-Length Expect User-Agent'.split(
    ' ',
  )
// After the break comes a header of the attacker's own, and a line for the log.
const forged = '{"time":"x","level":"info","event":"request","forged":true}'
export const own = `X-Forged: yes\r\n${forged}`
export const breaks = {
  CR: '\r',
  LF: '\n',
  NUL: '\0',
  'CR CR': '\r\r',
  'LF and a blank': '\n ',
  'CR and a blank': '\r ',
  VT: '\x0b',
}
const escapes: readonly (readonly [name: string, text: string])[] = [
  ...['%0d%0a', '%0D', '%0a', '%00', '\\r\\n'].map((text) => [text, text] as const),
  ['%E5%98%8A', '%E5%98%8A%E5%98%8D'],
  ['UTF-8 of a newline that is none', '\xc4\x8d\xc4\x8a'],
  ['NEL', '\xc2\x85'],
  ['line separator', '\xe2\x80\xa8'],
]
const values = ['Bearer svc_at_x', 'gzip', 'https', '192.0.2.1', 'localhost']
const targets = [
  ['GET', '/status', '200'],
  ['GET', '/ping', noToken],
  ['POST', '/auth/token', invalidForm],
] as const
const broken = readHeaders.flatMap((name) =>
  Object.entries(breaks).flatMap(([which, text]) =>
    [own, 'X-Forged: yes'].map((rest) => {
      const others = common.replace(new RegExp(`^${name}: .*\r\n`, 'm'), '')
      const send = `GET ${status} HTTP/1.1\r\n${others}${name}: x${text}${rest}\r\n${close}\r\n`
      return row(`${name} with ${which}, ${rest.length} letters`, send, badRequest)
    }),
  ),
)
const escaped = targets.flatMap(([method, path, allowed], turn) =>
  readHeaders
    .filter((name) => name !== 'Content-Length')
    .flatMap((name, place) =>
      escapes.map(([which, text], at) => {
        const value = values[(turn * 81 + place * 9 + at) % values.length]
        const send = { method, ...ask(path, { [name]: `${value}${text}${own.replaceAll('\r\n', text)}` }) }
        const isToken = name === 'Authorization' && path === '/ping' && value === values[0]
        return row(`${path}, ${name} with ${which}`, send, isToken ? invalidToken : allowed, {
          but: name === 'X-Forwarded-Proto' ? { proxied: method === 'POST' ? `${refused} (oauth)` : refused } : {},
          ...(name === 'X-Forwarded-For' ? { from: 'the proxy' } : {}),
        })
      }),
    ),
)
const inPaths = (bearer: Headers) =>
  escapes
    .filter(([, text]) => text.startsWith('%'))
    .flatMap(([, text]) => [
      row(`/ and ${text}`, ask(`/${text}X-Forged:%20yes`, bearer), notFound),
      ...[`/1${text}X-Forged:yes`, `?sort=${text}X-Forged:yes`, `?${text}X-Forged:yes=1`].map((rest) =>
        row(`stores${rest}`, ask(`/stores${rest}`, bearer), invalidParameter),
      ),
    ])

const peers = (isServed: boolean, ...said: readonly string[]) =>
  row(
    `a peer that says ${said.join(', ') || 'nothing'}`,
    `GET ${status} HTTP/1.1\r\n${host}${close}${said.map((line) => `${line}\r\n`).join('')}\r\n`,
    '200',
    { but: isServed ? {} : { proxied: refused }, from: 'the proxy' },
  )
const lies: readonly Headers[] = [
  { 'X-Forwarded-For': '192.0.2.1' },
  { 'X-Forwarded-For': '127.0.0.9' },
  { 'X-Forwarded-For': '192.0.2.1, 127.0.0.9' },
  { 'X-Forwarded-For': '::ffff:127.0.0.9' },
  {
    'X-Forwarded-For': '192.0.2.1',
    'X-Real-IP': '192.0.2.1',
    'True-Client-IP': '192.0.2.1',
    'CF-Connecting-IP': '192.0.2.1',
  },
  { Forwarded: 'for=192.0.2.1;proto=https;by=127.0.0.9', 'X-Client-IP': '192.0.2.1' },
  { 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '192.0.2.1' },
  { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Ssl': 'on', 'Front-End-Https': 'on', 'X-Url-Scheme': 'https' },
  { 'X-Forwarded-Proto': 'http' },
  {
    'X-Forwarded-Host': 'example.org',
    'X-Forwarded-Port': '1',
    'X-Original-URL': '/api/v1/ping',
    'X-Rewrite-URL': '/api/v1/ping',
  },
  { 'X-HTTP-Method-Override': 'DELETE', 'X-Method-Override': 'POST' },
]
// The right-most address that is not a trusted proxy's is the caller's.
const named: Readonly<Record<string, string>> = {
  '192.0.2.1': '192.0.2.1',
  '203.0.113.9, 192.0.2.2': '192.0.2.2',
  '192.0.2.3, 127.0.1.1, 127.0.2.2': '192.0.2.3',
  '::ffff:192.0.2.4': '192.0.2.4',
  '2001:db8:1:2:3:4:5:6': '2001:db8:1:2::/64',
}
const callers = ({ client_id, client_secret }: NewKey): Payload[] => [
  peers(true, 'X-Forwarded-Proto: https'),
  peers(true, 'X-Forwarded-Proto: HTTPS'),
  peers(false, 'X-Forwarded-Proto: http'),
  peers(false),
  peers(false, 'X-Forwarded-Proto: '),
  peers(false, 'X-Forwarded-Proto: https, http'),
  peers(false, 'X-Forwarded-Proto: http', 'X-Forwarded-Proto: https'),
  peers(false, 'Forwarded: proto=https', 'X-Forwarded-Ssl: on'),
  ...lies.map((headers) =>
    row(JSON.stringify(headers), ask('/status', headers), '200', { only: ['tls', 'http2', 'clear', 'misdirected'] }),
  ),
  ...Object.entries(named).flatMap(([value, address]) => [
    row(`X-Forwarded-For: ${value}`, ask('/status', { 'X-Forwarded-For': value }), '200', { from: address }),
    row(`X-Forwarded-For: ${value}, no route`, ask('/nowhere', { 'X-Forwarded-For': value }), notFound, {
      from: address,
    }),
  ]),
  row(
    'right credentials',
    signIn(`grant_type=client_credentials&client_id=${client_id}&client_secret=${client_secret}`),
    '200',
  ),
]

const paths = [
  '/status',
  ...credentialsPaths,
  '/ping',
  '/resources',
  ...resources.flatMap(({ name }) => [`/${name}`, `/${name}/1`]),
  '/nowhere',
]
const inClear = (bearer: Headers) =>
  [
    ...paths.flatMap((path) => ['GET', 'POST', 'PROPFIND'].map((method) => [method, prefix + path] as const)),
    ...['HEAD', 'OPTIONS', 'DELETE', 'BIND', 'UNLINK'].map((method) => [method, status] as const),
    ['GET', '/api'] as const,
  ].map(([method, path]) => {
    const isOauth = credentialsPaths.includes(path.slice(prefix.length))
    const outcome = method === 'HEAD' ? '403' : isOauth ? `${refused} (oauth)` : refused
    const but = { clear: outcome, misdirected: outcome }
    const send = { ...ask(path, bearer), method }
    return row(`${method} ${path} in clear`, send, outcome, { but, only: ['clear', 'misdirected'] })
  })

/** A hidden request, which must never be read. Its answer would have the name of a store. */
export const hide = (bearer: string) => (at: number) => get(`/stores/${1000 + at}`, `Authorization: ${bearer}\r\n`)

/** With a right token and a right key, so that nothing is refused for want of them. */
export function tableFor(token: string, key: NewKey): Payload[] {
  const bearer = { Authorization: `Bearer ${token}` }
  return [
    ...requests(bearer),
    ...limits(bearer),
    ...bytes(bearer.Authorization),
    ...smuggling(hide(bearer.Authorization)),
    ...broken,
    ...escaped,
    ...inPaths(bearer),
    ...callers(key),
    ...inClear(bearer),
  ]
}
