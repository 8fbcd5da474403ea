// Parses postgres://USER:PASSWORD@HOST:PORT/DATABASE?schema=…&sslmode=…; a fault is the end of a sentence. Parameters are those of
// libpq, and `schema`.
import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { resolve } from 'node:path'
import { nearest } from '../nearest.ts'

export interface PostgresUrl {
  readonly kind: 'postgres'
  // A name, an address or the folder of a Unix socket.
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string | null
  readonly database: string
  readonly schema: string
  readonly tls: Tls
}

// `encrypted` checks no certificate; `trusted` requires one of a known authority; `checked` also one that names the host.
export interface Tls {
  readonly mode: 'off' | 'encrypted' | 'trusted' | 'checked'
  // PEM files: the trusted authority, and the client's certificate and key.
  readonly rootCert: string | null
  readonly cert: string | null
  readonly key: string | null
}

const parameters = ['schema', 'host', 'user', 'password', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey']
const files = ['sslrootcert', 'sslcert', 'sslkey']
const modes = { disable: 'off', require: 'encrypted', 'verify-ca': 'trusted', 'verify-full': 'checked' } as const

const shape = 'must be sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE (%/?#@ in a password as %25%2F%3F%23%40)'

export function parsePostgresUrl(
  text: string,
  defaultSchema: string,
  cwd: string,
): { value: PostgresUrl } | { fault: string } {
  const url = /^postgres(ql)?:\/\/\S+$/.test(text) ? readUrl(text) : undefined
  const parts = url && decodeParts(url)
  if (!url || !parts) return { fault: shape }
  const given = (name: string) => parts.parameters.find(([known]) => known === name)?.[1] ?? null
  const host = given('host') ?? (parts.host || 'localhost')
  const user = given('user') ?? (parts.user || userInfo().username)
  const password = given('password') ?? (parts.password || null)
  const database = parts.database || user
  const schema = given('schema') ?? defaultSchema
  const faults = [
    ...parameterFaults(parts.parameters),
    ...nameFaults({ host, user, password, database }),
    ...schemaFaults(schema),
    ...modeFaults(given('sslmode')),
    ...files.flatMap((name) => fileFaults(name, given(name), cwd)),
    ...((given('sslcert') === null) === (given('sslkey') === null) ? [] : ['sslcert and sslkey belong together']),
    ...(url.port === '0' ? ['the port must be from 1 to 65535'] : []),
  ]
  if (faults.length > 0) return { fault: faults.join('; ') }
  const file = (name: string) => (given(name) === null ? null : resolve(cwd, given(name) ?? ''))
  const tls = { rootCert: file('sslrootcert'), cert: file('sslcert'), key: file('sslkey') }
  return {
    value: {
      kind: 'postgres',
      host,
      port: Number(url.port || 5432),
      user,
      password,
      database,
      schema,
      tls: { mode: tlsMode(given('sslmode'), host, tls.rootCert), ...tls },
    },
  }
}

// An @ after the host means that the password contains an unescaped /, ? or #.
export function readUrl(text: string): URL | undefined {
  const url = /^[a-z]+:\/\//i.test(text) ? URL.parse(text) : null
  return url && url.hash === '' && !(url.pathname + url.search).includes('@') ? url : undefined
}

// Only %XX is decoded, as in libpq: + stays +.
function decodeParts({ hostname, username, password, pathname, search }: URL) {
  try {
    return {
      host: decodeURIComponent(hostname).replace(/^\[(.*)\]$/, '$1'),
      user: decodeURIComponent(username),
      password: decodeURIComponent(password),
      database: decodeURIComponent(pathname.slice(1)),
      parameters: search
        .slice(1)
        .split('&')
        .filter(Boolean)
        .map((pair): [string, string] => {
          const [name = '', ...value] = pair.split('=')
          return [decodeURIComponent(name), decodeURIComponent(value.join('='))]
        }),
    }
  } catch {
    return undefined
  }
}

function parameterFaults(given: readonly (readonly [string, string])[]): string[] {
  const names = given.map(([name]) => name)
  const unknown = [...new Set(names)].filter((name) => !parameters.includes(name))
  const repeated = parameters.filter((name) => names.indexOf(name) !== names.lastIndexOf(name))
  const empty = given.filter(([name, value]) => value === '' && parameters.includes(name)).map(([name]) => name)
  const guesses = unknown.map((name) => {
    const meant = nearest(name, parameters)
    return meant === undefined ? name : `${name} (did you mean ${meant}?)`
  })
  return [
    ...(unknown.length > 0
      ? [`there is no parameter ${guesses.join(', ')}: the parameters are ${parameters.join(', ')}`]
      : []),
    ...repeated.map((name) => `${name} is given twice`),
    ...empty.map((name) => `${name} is empty`),
  ]
}

function nameFaults(names: Readonly<Record<string, string | null>>): string[] {
  const broken = Object.keys(names).filter((name) => names[name]?.includes('\0'))
  return [
    ...broken.map((name) => `the ${name} has a NUL in it`),
    ...(names['host']?.includes(',') ? ['only one host can be named'] : []),
  ]
}

function schemaFaults(schema: string): string[] {
  if (Buffer.byteLength(schema) > 63) return ['the name of the schema is longer than 63 bytes']
  if (schema.startsWith('pg_') || schema === 'information_schema')
    return ['a schema of this name belongs to PostgreSQL itself']
  return /\p{Cc}/u.test(schema) ? ['the name of the schema has a control character in it'] : []
}

function fileFaults(name: string, file: string | null, cwd: string): string[] {
  if (!file) return []
  try {
    readFileSync(resolve(cwd, file))
    return []
  } catch {
    return [`${name} names ${file}, which cannot be read`]
  }
}

function modeFaults(mode: string | null): string[] {
  if (!mode || Object.hasOwn(modes, mode)) return []
  const isUnsafe = mode === 'prefer' || mode === 'allow'
  const meant = nearest(mode, Object.keys(modes))
  const hint = isUnsafe
    ? ` (with ${mode}, anybody on the way could turn TLS off)`
    : meant
      ? `; did you mean ${meant}?`
      : ''
  return [`sslmode must be one of ${Object.keys(modes).join(', ')}${hint}`]
}

// By default a local server needs no TLS, and any other one a checked certificate. `require` with an authority means verify-ca, as in
// libpq.
function tlsMode(mode: string | null, host: string, rootCert: string | null): Tls['mode'] {
  if (mode === 'require' && rootCert !== null) return 'trusted'
  if (mode !== null) return modes[mode as keyof typeof modes]
  const isLocal = host.startsWith('/') || host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host)
  return isLocal && rootCert === null ? 'off' : 'checked'
}
