// Parses the URL of a database server, SCHEME://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=…; a fault is the end of a sentence. The
// parameters about TLS are those of libpq, whatever the server is.
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { resolve } from 'node:path'
import type { ConnectionOptions } from 'node:tls'
import { nearest } from '../terminal/nearest.ts'

export interface ServerUrl {
  // A name, an address, or of a Unix socket the path (PostgreSQL: its folder).
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string | null
  readonly database: string
  readonly tls: Tls
}

interface UrlForm {
  readonly scheme: RegExp
  readonly port: number
  // Beside those of every server.
  readonly parameters: readonly string[]
  readonly parameterFaults: (given: (name: string) => string | null) => readonly string[]
  // Otherwise it is named like the user.
  readonly needsDatabase?: true
  // What is expected, as the end of a sentence.
  readonly shape: string
}

// `encrypted` checks no certificate; `trusted` requires one of a known authority; `checked` also one that names the host.
export interface Tls {
  readonly mode: 'off' | 'encrypted' | 'trusted' | 'checked'
  // PEM files: the trusted authority, and the client's certificate and key.
  readonly rootCert: string | null
  readonly cert: string | null
  readonly key: string | null
}

const commonParameters = ['host', 'user', 'password', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey']
const files = ['sslrootcert', 'sslcert', 'sslkey']
const modes = { disable: 'off', require: 'encrypted', 'verify-ca': 'trusted', 'verify-full': 'checked' } as const

export const passwordHint = '(%/?#@ in a password as %25%2F%3F%23%40)'

interface ReadServerUrl {
  readonly value: ServerUrl
  // The value of a parameter; null if it is not there.
  given(name: string): string | null
}

export function parseServerUrl(text: string, form: UrlForm, cwd: string): ReadServerUrl | { fault: string } {
  const url = form.scheme.test(text) ? readUrl(text) : undefined
  const parts = url && decodeParts(url)
  if (!url || !parts) return { fault: form.shape }
  const given = (name: string) => parts.parameters.find(([known]) => known === name)?.[1] ?? null
  const host = given('host') ?? (parts.host || 'localhost')
  const user = given('user') ?? (parts.user || userInfo().username)
  const password = given('password') ?? (parts.password || null)
  const database = parts.database || user
  const faults = [
    ...parameterFaults(parts.parameters, [...form.parameters, ...commonParameters]),
    ...nameFaults({ host, user, password, database }),
    ...(form.needsDatabase && parts.database === ''
      ? ['the database must be named after the host: …HOST/DATABASE']
      : []),
    ...form.parameterFaults(given),
    ...modeFaults(given('sslmode')),
    ...files.flatMap((name) => fileFaults(name, given(name), cwd)),
    ...((given('sslcert') === null) === (given('sslkey') === null) ? [] : ['sslcert and sslkey belong together']),
    ...(url.port === '0' ? ['the port must be from 1 to 65535'] : []),
  ]
  if (faults.length > 0) return { fault: faults.join('; ') }
  const file = (name: string) => (given(name) === null ? null : resolve(cwd, given(name) ?? ''))
  const tls = { rootCert: file('sslrootcert'), cert: file('sslcert'), key: file('sslkey') }
  const mode = tlsMode(given('sslmode'), host, tls.rootCert)
  const port = Number(url.port || form.port)
  return { value: { host, port, user, password, database, tls: { mode, ...tls } }, given }
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

function parameterFaults(given: readonly (readonly [string, string])[], parameters: readonly string[]): string[] {
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

// Read each time it is used: certificates may have been renewed.
export async function tlsOptions(tls: Tls): Promise<ConnectionOptions | false> {
  if (tls.mode === 'off') return false
  const [ca, cert, key] = await Promise.all([tls.rootCert, tls.cert, tls.key].map(readIfNamed))
  return {
    minVersion: 'TLSv1.2',
    rejectUnauthorized: tls.mode !== 'encrypted',
    ...(tls.mode === 'trusted' ? { checkServerIdentity: () => undefined } : {}),
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  }
}

const readIfNamed = async (file: string | null) => (file === null ? undefined : readFile(file, 'utf8'))

const withoutTls = ' sslmode=disable in the URL does without TLS.'
const aboutTls =
  ' Name the authority of its certificate with sslrootcert=FILE in the URL; sslmode=require encrypts without checking it, sslmode=disable does without TLS.'

const aboutName =
  " Use the host name that is in the server's certificate; sslmode=verify-ca in the URL ignores the name."

// By the error code of the socket.
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOENT: 'there is no such socket',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name of the host cannot be looked up',
  ETIMEDOUT: 'it does not answer',
}

// For a new connection. A busy server, or one whose tables are being altered, takes seconds to accept one.
export const connectTimeoutMs = 5000

// Why a connection to a frozen server, or over a lost network, was given up.
export const silence = 'it does not answer any more'

// What a server or the connection to it said, without its full stop, and a sentence that helps where TLS is the reason.
export function serverProblem(message: string, code: string): { readonly said: string; readonly hint: string } {
  // Node.js advises on an option of its own.
  const said = reasons[code] ?? message.replace(/; if the root CA is installed.*$/s, '').replace(/\.$/, '')
  if (message.includes("does not match certificate's altnames")) return { said, hint: aboutName }
  if (/does not support (SSL|secure)/.test(message)) return { said, hint: withoutTls }
  return { said, hint: /certificate|SSL|TLS/i.test(message) || /CERT|TLS/.test(code) ? aboutTls : '' }
}
