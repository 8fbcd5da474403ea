// postgres://USER:PASSWORD@HOST:PORT/DATABASE?schema=…&sslmode=… → where the server is and how it is spoken to, or what
// is wrong, as the end of a sentence. The names of the parameters are those every PostgreSQL tool knows, and `schema`.
import { userInfo } from 'node:os'
import { resolve } from 'node:path'
import { nearest } from '../nearest.ts'

export interface PostgresUrl {
  readonly kind: 'postgres'
  // A name, an address, or the folder of a Unix socket.
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string | null
  readonly database: string
  readonly schema: string
  readonly tls: Tls
}

// `encrypted` checks nothing; `trusted` wants a certificate of a known authority; `checked` one that names the host too.
export interface Tls {
  readonly mode: 'off' | 'encrypted' | 'trusted' | 'checked'
  // PEM files: the authority to trust instead of the public ones, and the client's own certificate.
  readonly rootCert: string | null
  readonly cert: string | null
  readonly key: string | null
}

const parameters = ['schema', 'host', 'user', 'password', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey']
const modes = { disable: 'off', require: 'encrypted', 'verify-ca': 'trusted', 'verify-full': 'checked' } as const

const shape = 'must be sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE (/?#@ in a password as %2F%3F%23%40)'

export function parsePostgresUrl(
  text: string,
  defaultSchema: string,
  cwd: string,
): { value: PostgresUrl } | { fault: string } {
  const url = /^postgres(ql)?:\/\/\S+$/.test(text) ? readUrl(text) : undefined
  const parts = url && decodeParts(url)
  if (!url || !parts) return { fault: shape }
  const given = (name: string) => url.searchParams.get(name) || null
  const host = given('host') ?? (parts.host || 'localhost')
  const user = given('user') ?? (parts.user || userInfo().username)
  const schema = given('schema') ?? defaultSchema
  const faults = [
    ...[...new Set(url.searchParams.keys())].filter((name) => !parameters.includes(name)).map(unknownParameter),
    ...schemaFaults(schema),
    ...modeFaults(given('sslmode')),
    ...((given('sslcert') === null) === (given('sslkey') === null) ? [] : ['sslcert and sslkey belong together']),
  ]
  if (faults.length > 0) return { fault: faults.join(', and ') }
  const file = (name: string) => (given(name) === null ? null : resolve(cwd, given(name) ?? ''))
  const tls = { rootCert: file('sslrootcert'), cert: file('sslcert'), key: file('sslkey') }
  return {
    value: {
      kind: 'postgres',
      host,
      port: Number(url.port || 5432),
      user,
      password: given('password') ?? (parts.password || null),
      database: parts.database || user,
      schema,
      tls: { mode: tlsMode(given('sslmode'), host, tls.rootCert), ...tls },
    },
  }
}

// An @ behind the host is the end of a password with a bare / or # in it.
export function readUrl(text: string): URL | undefined {
  const url = /^[a-z]+:\/\//i.test(text) ? URL.parse(text) : null
  return url && !(url.pathname + url.hash).includes('@') ? url : undefined
}

function decodeParts({ hostname, username, password, pathname }: URL) {
  try {
    return {
      host: decodeURIComponent(hostname).replace(/^\[(.*)\]$/, '$1'),
      user: decodeURIComponent(username),
      password: decodeURIComponent(password),
      database: decodeURIComponent(pathname.slice(1)),
    }
  } catch {
    return undefined
  }
}

function unknownParameter(name: string): string {
  const meant = nearest(name, parameters)
  const hint = meant === undefined ? `the parameters are ${parameters.join(', ')}` : `did you mean ${meant}?`
  return `there is no parameter ${name}: ${hint}`
}

function schemaFaults(schema: string): string[] {
  const isAName = Buffer.byteLength(schema) <= 63 && !schema.startsWith('pg_') && !/\p{Cc}/u.test(schema)
  return isAName ? [] : ['schema must be the name of a schema']
}

function modeFaults(mode: string | null): string[] {
  if (mode === null || mode in modes) return []
  const reason = mode === 'prefer' || mode === 'allow' ? ` (with ${mode}, anybody on the way could turn TLS off)` : ''
  return [`sslmode must be one of ${Object.keys(modes).join(', ')}${reason}`]
}

// Unless told otherwise, a server on this machine is spoken to as it is, and any other only over TLS with its certificate
// checked. `require` with an authority means that authority, as for other tools.
function tlsMode(mode: string | null, host: string, rootCert: string | null): Tls['mode'] {
  if (mode === 'require' && rootCert !== null) return 'trusted'
  if (mode !== null) return modes[mode as keyof typeof modes]
  const isLocal = host.startsWith('/') || host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host)
  return isLocal && rootCert === null ? 'off' : 'checked'
}
