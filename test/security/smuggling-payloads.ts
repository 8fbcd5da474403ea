// Requests that two readers may take differently, from a grammar. Each hides a second request: in what some reader takes for
// the body of the first, or behind something that is no HTTP. Where head or body is malformed there is no right way to read
// it, so that the connection must end with it; else the hidden request is well within the body of the first.

export interface Payload {
  readonly name: string
  readonly malformed: 'head' | 'body' | null
  readonly text: (hidden: string) => string
}

export const prefix = '/api/v1'
// Behind a proxy as in front of it: what is read is answered.
export const common = 'Host: localhost\r\nX-Forwarded-Proto: https\r\n'
const form = 'Content-Type: application/x-www-form-urlencoded\r\n'
// A body that is read, and one that is not.
const starts: readonly [name: string, line: string][] = [
  ['POST /auth/token', `POST ${prefix}/auth/token HTTP/1.1\r\n${common}${form}`],
  ['GET /status', `GET ${prefix}/status HTTP/1.1\r\n${common}`],
]

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const end = '0\r\n\r\n'
const shown = (text: string) => JSON.stringify(text).slice(1, -1)

type Made = readonly [name: string, headers: string, body: (hidden: string) => string]
const withStarts = (malformed: Payload['malformed'], made: readonly Made[]): Payload[] =>
  starts.flatMap(([start, line]) =>
    made.map(([name, headers, body]) => ({
      name: `${start}, ${name}`,
      malformed,
      text: (hidden: string) => `${line}${headers}\r\n${body(hidden)}`,
    })),
  )

const asIs = (hidden: string) => hidden
const afterEnd = (hidden: string) => `${end}${hidden}`
const inChunk = (hidden: string) => chunk(hidden) + end

// Lengths that are none, or that are two.
const lengths = [
  '+5',
  '-5',
  '-0',
  '0x5',
  '5 5',
  '5,6',
  '5, 6',
  '6,5',
  '5;',
  '5a',
  'a5',
  '1e1',
  '5.0',
  '"5"',
  '5\x0b',
  '\x0b5',
  '５',
  'NaN',
  '99999999999999999999999',
  '18446744073709551616',
  '18446744073709551621',
  '0,5',
  '5,0',
].map((value): Made => [
  `Content-Length: ${shown(value)}`,
  `Content-Length: ${Buffer.from(value).toString('latin1')}\r\n`,
  asIs,
])
const twoLengths = [
  ['0', '5'],
  ['5', '0'],
  ['5', '5'],
  ['0', '0'],
  ['5', ' 5'],
  ['05', '5'],
  ['1', '99'],
].map(([one, other]): Made => [
  `Content-Length ${one} and ${other}`,
  `Content-Length: ${one}\r\ncontent-length: ${other}\r\n`,
  asIs,
])

const codings = [
  'chunked',
  'Chunked',
  'CHUNKED',
  'chunked ',
  '\tchunked',
  'chunked, chunked',
  'gzip, chunked',
  'chunked, identity',

  'identity, chunked',
  'identity',
  'xchunked',
  'chunkedx',
  'chunked;q=1',
  '"chunked"',
  'chunked\x0b',
  '\x0bchunked',

  'chun\x00ked',
  'chunked\x00',
  'chunked,',
  ',chunked',
  'gzip',
  'x',
  'chunked\r\n identity',
  'identity\r\n chunked',
]
const both = codings.flatMap((coding): Made[] => [
  [
    `Content-Length, then Transfer-Encoding: ${shown(coding)}`,
    `Content-Length: 5\r\nTransfer-Encoding: ${coding}\r\n`,
    afterEnd,
  ],
  [
    `Transfer-Encoding: ${shown(coding)}, then Content-Length`,
    `Transfer-Encoding: ${coding}\r\nContent-Length: 5\r\n`,
    afterEnd,
  ],
])
// If chunked is not the last of them, the end of the body is unknown.
const oddCodings = codings
  .filter((coding) => !/(^|[\s,])chunked[ \t]*$/i.test(coding) || coding.includes('\0') || coding.includes('\x0b'))
  .map((coding): Made => [`Transfer-Encoding: ${shown(coding)}`, `Transfer-Encoding: ${coding}\r\n`, afterEnd])
const twoCodings = [
  ['chunked', 'identity'],
  ['chunked', 'x'],
  ['chunked', 'gzip'],
].map(([one, other]): Made => [
  `two Transfer-Encodings, ${one} and ${other}`,
  `Transfer-Encoding: ${one}\r\nTransfer-Encoding: ${other}\r\n`,
  afterEnd,
])

// Lines that are no header, and lines that one reader ends where another goes on.
const controls = Array.from({ length: 32 }, (_, code) => code)
  .filter((code) => ![9, 10, 13].includes(code))
  .concat(127)
  .map((code) => String.fromCharCode(code))
const oddHeaders = [
  ...[' :', '\t:', '\x0b:', '\0:', ' ', '[]:', '(a):', '\x80:', '"":'].map(
    (colon) => `Transfer-Encoding${colon} chunked`,
  ),

  'Content-Length : 5',
  ' Content-Length: 5',
  '\tTransfer-Encoding: chunked',
  ': 5',
  'Content-Length',
  'Content Length: 5',

  'X: y\nTransfer-Encoding: chunked',
  'X: y\rTransfer-Encoding: chunked',
  'X: y\n\nX: z',
  'X: y\n',
  'X: y\r',
  '\n',
  '\r',

  'X: y\r\n folded',
  'X:\r\n\tTransfer-Encoding: chunked',
  'X: y\r\n \r\nTransfer-Encoding: chunked',
  'Content-Length:\r\n 5',
  ...controls.flatMap((control) => [`X${control}Y: z`, `X: y${control}z`]),
].map((header): Made => [`the line ${shown(header)}`, `${header}\r\n`, afterEnd])

const sizes = [
  '+5',
  '-5',
  '0x5',
  ' 5',
  '5 5',
  '',
  'g',
  '5g',
  '-0',
  '+0',
  '5,',
  '5\x0b',
  '\x0b5',
  '5\0',
  '５',
  '5\n',
  '5\r',
  '5;a\n',
  '5;a\rb',
  'FFFFFFFFFFFFFFFFF',
  '10000000000000005',
  '8000000000000000000',
  '5;\0',
  '5;a=\x01',
  '5.0',
  '0.',
]
const oddChunks: readonly Made[] = [
  ...sizes.map((size): Made => [
    `a chunk of ${shown(size)}`,
    'Transfer-Encoding: chunked\r\n',
    (hidden) => `${Buffer.from(size).toString('latin1')}\r\nabcde\r\n${end}${hidden}`,
  ]),
  ['a chunk without its end', 'Transfer-Encoding: chunked\r\n', (hidden) => `5\r\nabcde${end}${hidden}`],
  ['a chunk that ends with a line feed', 'Transfer-Encoding: chunked\r\n', (hidden) => `5\r\nabcde\n${end}${hidden}`],
  [
    'a chunk that ends with a carriage return',
    'Transfer-Encoding: chunked\r\n',
    (hidden) => `5\r\nabcde\r${end}${hidden}`,
  ],
  ['a chunk that is longer', 'Transfer-Encoding: chunked\r\n', (hidden) => `3\r\nabcde\r\n${end}${hidden}`],
  ['a chunk that is shorter', 'Transfer-Encoding: chunked\r\n', (hidden) => `7\r\nabcde\r\n${end}${hidden}`],
  ['an end without its end', 'Transfer-Encoding: chunked\r\n', (hidden) => `0\r\n${hidden}`],
  ['an end with a line feed', 'Transfer-Encoding: chunked\r\n', (hidden) => `0\n\n${hidden}`],
  ['an end and a line feed', 'Transfer-Encoding: chunked\r\n', (hidden) => `0\r\n\n${hidden}`],
]

// Right ways to send a body that looks like a request.
const honest: readonly Payload[] = [
  ...withStarts(null, [
    ['in one chunk', 'Transfer-Encoding: chunked\r\n', inChunk],
    ['in one chunk, Chunked', 'transfer-encoding: Chunked\r\n', inChunk],
    [
      'in a chunk with an extension',
      'Transfer-Encoding: chunked\r\n',
      (hidden) => `${hidden.length.toString(16)};a=b;c\r\n${hidden}\r\n${end}`,
    ],
    [
      'in a chunk with zeros before its size',
      'Transfer-Encoding: chunked\r\n',
      (hidden) => `0000${chunk(hidden)}${end}`,
    ],
    ['in chunks of one byte', 'Transfer-Encoding: chunked\r\n', (hidden) => Array.from(hidden, chunk).join('') + end],
    [
      'behind a trailer',
      'Transfer-Encoding: chunked\r\nTrailer: X\r\n',
      (hidden) => `${chunk(hidden)}0\r\nX: y\r\n\r\n`,
    ],
    ['an underscore in a name', 'Transfer_Encoding: identity\r\nTransfer-Encoding: chunked\r\n', inChunk],
  ]),
  ...starts.flatMap(([start, line]) =>
    ['Content-Length: ', 'content-length:', 'Content-Length:\t', 'Content-Length: 00'].map((header) => ({
      name: `${start}, in a body, ${shown(header)}`,
      malformed: null,
      text: (hidden: string) => `${line}${header}${hidden.length}\r\n\r\n${hidden}`,
    })),
  ),
]

const lines = [
  ...[
    'HTTP/1.2',
    'HTTP/2.0',
    'HTTP/0.9',
    'HTTP/1.10',
    'http/1.1',
    'HTTP/11',
    'HTTPS/1.1',
    'HTTP/1',
    'HTTP/1.1x',
    'HTTP/ 1.1',
  ].map((version) => `GET ${prefix}/status ${version}`),
  `GET\t${prefix}/status HTTP/1.1`,
  `GET ${prefix}/sta tus HTTP/1.1`,
  `GET ${prefix}/status\x01 HTTP/1.1`,
  `GET ${prefix}/status\0 HTTP/1.1`,
  `GET ${prefix}/status\x0bHTTP/1.1`,

  `G\0ET ${prefix}/status HTTP/1.1`,
  `GET\n${prefix}/status HTTP/1.1`,
  `GET ${prefix}/status HTTP/1.1\n`,
  'GET HTTP/1.1',
].map((line): Payload => ({
  name: `the line ${shown(line)}`,
  malformed: 'head',
  text: (hidden) => `${line}\r\n${common}Transfer-Encoding: chunked\r\n\r\n${inChunk(hidden)}`,
}))
// RFC 9112, section 3: more than one blank may be read as one.
const targets = ['https://localhost', 'http://localhost:80', 'https://example.org', 'HTTPS://a@b', ' '].map(
  (origin): Payload => ({
    name: `the target ${origin}`,
    malformed: null,
    text: (hidden) =>
      `GET ${origin}${prefix}/status HTTP/1.1\r\n${common}Content-Length: ${hidden.length}\r\n\r\n${hidden}`,
  }),
)

export const payloads: readonly Payload[] = [
  ...withStarts('head', [...lengths, ...twoLengths, ...both, ...oddCodings, ...twoCodings, ...oddHeaders]),
  ...withStarts('body', oddChunks),
  ...lines,
  ...honest,
  ...targets,
]
