// Rows of the table from a grammar: requests that two readers may read differently (request smuggling). Each hides a second request, in
// what some readers take for the body of the first, or behind something that is not HTTP. If head or body is malformed, the connection
// must end with it; else the hidden request is part of the body.
import { close, common, form, get, prefix, type Payload } from './harness.ts'

// A body that is read, and one that is not.
const starts: readonly [name: string, line: string][] = [
  ['POST /auth/token', `POST ${prefix}/auth/token HTTP/1.1\r\n${common}${form}`],
  ['GET /status', `GET ${prefix}/status HTTP/1.1\r\n${common}`],
]

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const end = '0\r\n\r\n'
const shown = (text: string) => JSON.stringify(text).slice(1, -1)
const latin1 = (text: string) => Buffer.from(text).toString('latin1')

type Body = (hidden: string) => string
type Made = readonly [name: string, headers: string, body: Body]
const asIs: Body = (hidden) => hidden
const afterEnd: Body = (hidden) => `${end}${hidden}`
const inChunk: Body = (hidden) => chunk(hidden) + end
const chunked = 'Transfer-Encoding: chunked\r\n'
const split = (texts: string) => texts.split('|')

// Lengths that are none, or that are two.
const lengths = split(
  '+5|-5|-0|0x5|5 5|5,6|5, 6|6,5|5;|5a|a5|1e1|5.0|"5"|5\x0b|\x0b5|５|NaN|99999999999999999999999|18446744073709551616|18446744073709551621|0,5|5,0',
).map((value): Made => [`Content-Length: ${shown(value)}`, `Content-Length: ${latin1(value)}\r\n`, asIs])
const twoLengths = split('0,5|5,0|5,5|0,0|5, 5|05,5|1,99')
  .map((pair) => pair.split(','))
  .map(([one, other]): Made => [
    `Content-Length ${one} and ${other}`,
    `Content-Length: ${one}\r\ncontent-length: ${other}\r\n`,
    asIs,
  ])

const codings = split(
  'chunked|Chunked|CHUNKED|chunked |\tchunked|chunked, chunked|gzip, chunked|chunked, identity|identity, chunked|identity|xchunked|chunkedx|chunked;q=1|"chunked"|chunked\x0b|\x0bchunked|chun\0ked|chunked\0|chunked,|,chunked|gzip|x|chunked\r\n identity|identity\r\n chunked',
)
const both = codings.flatMap((coding) => {
  const lines = ['Content-Length: 5\r\n', `Transfer-Encoding: ${coding}\r\n`]
  return [
    [`Content-Length, then Transfer-Encoding: ${shown(coding)}`, lines.join(''), afterEnd],
    [`Transfer-Encoding: ${shown(coding)}, then Content-Length`, lines.toReversed().join(''), afterEnd],
  ] satisfies Made[]
})
// If chunked is not the last of them, the end of the body is unknown.
const oddCodings = codings
  .filter((coding) => !/(^|[\s,])chunked[ \t]*$/i.test(coding) || coding.includes('\0') || coding.includes('\x0b'))
  .map((coding): Made => [`Transfer-Encoding: ${shown(coding)}`, `Transfer-Encoding: ${coding}\r\n`, afterEnd])
const twoCodings = ['identity', 'x', 'gzip'].map((other): Made => [
  `two Transfer-Encodings, chunked and ${other}`,
  `${chunked}Transfer-Encoding: ${other}\r\n`,
  afterEnd,
])

// Lines that are no header, and lines that one reader ends where another goes on.
const controls = Array.from({ length: 32 }, (_, code) => code)
  .filter((code) => ![9, 10, 13].includes(code))
  .concat(127)
  .map((code) => String.fromCharCode(code))
const oddHeaders = [
  ...split(' :|\t:|\x0b:|\0:| |[]:|(a):|\x80:|"":').map((colon) => `Transfer-Encoding${colon} chunked`),
  ...split('Content-Length : 5| Content-Length: 5|\tTransfer-Encoding: chunked|: 5|Content-Length|Content Length: 5'),
  ...split('X: y\nTransfer-Encoding: chunked|X: y\rTransfer-Encoding: chunked|X: y\n\nX: z|X: y\n|X: y\r|\n|\r'),
  ...split('X: y\r\n folded|X:\r\n\tTransfer-Encoding: chunked|X: y\r\n \r\nTransfer-Encoding: chunked'),
  'Content-Length:\r\n 5',
  ...controls.flatMap((control) => [`X${control}Y: z`, `X: y${control}z`]),
].map((header): Made => [`the line ${shown(header)}`, `${header}\r\n`, afterEnd])

const sizes = split(
  '+5|-5|0x5| 5|5 5||g|5g|-0|+0|5,|5\x0b|\x0b5|5\0|５|5\n|5\r|5;a\n|5;a\rb|FFFFFFFFFFFFFFFFF|10000000000000005|8000000000000000000|5;\0|5;a=\x01|5.0|0.',
)
const oddChunks: readonly (readonly [name: string, before: string])[] = [
  ...sizes.map((size) => [`a chunk of ${shown(size)}`, `${latin1(size)}\r\nabcde\r\n${end}`] as const),
  ['a chunk without its end', `5\r\nabcde${end}`],
  ['a chunk that ends with a line feed', `5\r\nabcde\n${end}`],
  ['a chunk that ends with a carriage return', `5\r\nabcde\r${end}`],
  ['a chunk that is longer', `3\r\nabcde\r\n${end}`],
  ['a chunk that is shorter', `7\r\nabcde\r\n${end}`],
  ['an end without its end', '0\r\n'],
  ['an end with a line feed', '0\n\n'],
  ['an end and a line feed', '0\r\n\n'],
]

// Right ways to send a body that looks like a request.
const honest: readonly Made[] = [
  ['in one chunk', chunked, inChunk],
  ['in one chunk, Chunked', 'transfer-encoding: Chunked\r\n', inChunk],
  ['in a chunk with an extension', chunked, (hidden) => `${hidden.length.toString(16)};a=b;c\r\n${hidden}\r\n${end}`],
  ['in a chunk with zeros before its size', chunked, (hidden) => `0000${chunk(hidden)}${end}`],
  ['in chunks of one byte', chunked, (hidden) => Array.from(hidden, chunk).join('') + end],
  ['behind a trailer', `${chunked}Trailer: X\r\n`, (hidden) => `${chunk(hidden)}0\r\nX: y\r\n\r\n`],
  ['an underscore in a name', `Transfer_Encoding: identity\r\n${chunked}`, inChunk],
]
const honestLengths = split('Content-Length: |content-length:|Content-Length:\t|Content-Length: 00')

const lines = [
  ...split('HTTP/1.2|HTTP/2.0|HTTP/0.9|HTTP/1.10|http/1.1|HTTP/11|HTTPS/1.1|HTTP/1|HTTP/1.1x|HTTP/ 1.1').map(
    (version) => `GET ${prefix}/status ${version}`,
  ),
  `GET\t${prefix}/status HTTP/1.1`,
  `GET ${prefix}/sta tus HTTP/1.1`,
  `GET ${prefix}/status\x01 HTTP/1.1`,
  `GET ${prefix}/status\0 HTTP/1.1`,
  `GET ${prefix}/status\x0bHTTP/1.1`,
  `G\0ET ${prefix}/status HTTP/1.1`,
  `GET\n${prefix}/status HTTP/1.1`,
  `GET ${prefix}/status HTTP/1.1\n`,
  'GET HTTP/1.1',
]
// RFC 9112, section 3: more than one blank may be read as one.
const origins = split('https://localhost|http://localhost:80|https://example.org|HTTPS://a@b| ')

/** `around` hides a request. */
type Hiding = Omit<Payload, 'send'> & { readonly around: Body }

const malformedHead = '400 bad_request'
// If the body is not read, the answer may come before the fault in it, and ends the connection.
const malformedBody = '400 bad_request | 200'
// A body that is not read ends the connection; one that is read does not.
const well = '400 invalid_request (oauth), 404 not_found | 200, 404 not_found | 200'

const grammar: readonly Hiding[] = [
  ...starts.flatMap(([start, line]) => {
    const on = (allowed: string, made: readonly Made[]) =>
      made.map(([name, headers, body]): Hiding => ({
        name: `${start}, ${name}`,
        allowed,
        around: (hidden) => `${line}${headers}\r\n${body(hidden)}`,
      }))
    return [
      ...on(malformedHead, [...lengths, ...twoLengths, ...both, ...oddCodings, ...twoCodings, ...oddHeaders]),
      ...on(
        malformedBody,
        oddChunks.map(([name, before]) => [name, chunked, (hidden) => before + hidden]),
      ),
      ...on(well, honest),
      ...honestLengths.map((header): Hiding => ({
        name: `${start}, in a body, ${shown(header)}`,
        allowed: well,
        around: (hidden) => `${line}${header}${hidden.length}\r\n\r\n${hidden}`,
      })),
    ]
  }),
  ...lines.map((line): Hiding => ({
    name: `the line ${shown(line)}`,
    allowed: malformedHead,
    around: (hidden) => `${line}\r\n${common}${chunked}\r\n${inChunk(hidden)}`,
  })),
  ...origins.map((origin): Hiding => ({
    name: `the target ${origin}`,
    allowed: well,
    around: (hidden) =>
      `GET ${origin}${prefix}/status HTTP/1.1\r\n${common}Content-Length: ${hidden.length}\r\n\r\n${hidden}`,
  })),
]

/** Each followed by a request that is not hidden; `hide` makes the hidden one. */
export const smuggling = (hide: (at: number) => string) =>
  grammar.map(({ around, ...payload }, at) => ({ ...payload, send: around(hide(at)) + get('/last', close) }))
