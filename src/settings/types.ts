// The types of settings: each parses a text into a value, or into the end of a sentence that says what is allowed ("must be …").
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { readRange } from '../platform/addresses.ts'
import { logLevels, type LogLevel } from '../platform/log.ts'
import { nearest } from '../terminal/nearest.ts'
import { parseMysqlUrl, type MysqlUrl } from '../platform/mysql/url.ts'
import { parsePostgresUrl, type PostgresUrl } from '../platform/postgres/url.ts'
import { readUrl } from '../platform/server-url.ts'

type ParsedSetting<T> = { value: T } | { fault: string }

export interface SettingType<T> {
  parse(text: string, cwd: string): ParsedSetting<T>
  // The text with its secrets masked. Absent: the type has no secrets.
  mask?(text: string): string
}

// In place of a secret.
export const masked = '***'

export type DatabaseUrl = { readonly kind: 'sqlite'; readonly path: string } | PostgresUrl

// A database that is only copied.
export type SourceUrl = DatabaseUrl | MysqlUrl

export const integer = (from: number, to: number): SettingType<number> => ({
  parse(text) {
    const value = Number(text)
    if (/^(0|[1-9][0-9]*)$/.test(text) && value >= from && value <= to) return { value }
    return { fault: `must be a whole number from ${from} to ${to}` }
  },
})

const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

function readDuration(text: string): number {
  const [, count, unit = 's'] = /^([1-9][0-9]{0,5})([smhd])$/.exec(text) ?? []
  return Number(count ?? NaN) * unitMs[unit as keyof typeof unitMs]
}

// In milliseconds.
export const duration = (least: string, most: string): SettingType<number> => ({
  parse(text) {
    const value = readDuration(text)
    return value >= readDuration(least) && value <= readDuration(most)
      ? { value }
      : { fault: `must be a time from ${least} to ${most}, such as 90s, 5m or 1h` }
  },
})

const portNumber = integer(0, 65535)

export const port: SettingType<number> = {
  parse(text, cwd) {
    const parsed = portNumber.parse(text, cwd)
    // Kubernetes sets NAME_PORT=tcp://… in every pod beside a service of that name.
    if ('value' in parsed || !text.startsWith('tcp://')) return parsed
    return { fault: `${parsed.fault}; if Kubernetes set it, give the pod enableServiceLinks: false` }
  },
}

export const path: SettingType<string> = {
  parse: (text, cwd) =>
    hasControlCharacter(text) ? { fault: 'must be a path on one line' } : { value: resolve(cwd, text) },
}

export const databaseUrl = (defaultSchema: string): SettingType<DatabaseUrl> & { mask(text: string): string } => ({
  parse(text, cwd) {
    if (text.startsWith('sqlite:') && !hasControlCharacter(text)) return parseSqlite(text.slice('sqlite:'.length), cwd)
    const parsed = parsePostgresUrl(text, defaultSchema, cwd)
    if ('value' in parsed || !isFileName(text)) return parsed
    return { fault: `${parsed.fault}; did you mean sqlite:${text}?` }
  },
  mask(text) {
    if (text.startsWith('sqlite:') || isFileName(text)) return text
    const url = readUrl(text)
    // An unparsable text may hold a password anywhere.
    if (!url) return masked
    if (url.password) url.password = masked
    url.search = url.search.replaceAll(/([?&][^=&]*=)([^&]*)/g, (pair, name: string) =>
      isSecret(name) ? `${name}${masked}` : pair,
    )
    return url.href
  },
})

export const sourceUrl: SettingType<SourceUrl> = {
  parse(text, cwd) {
    const isOther = /^(sqlite:|postgres)/.test(text) || isFileName(text)
    return isOther ? database.parse(text, cwd) : parseMysqlUrl(text, cwd)
  },
  mask: (text) => database.mask(text),
}

const database = databaseUrl('public')

// The operator left out `sqlite:`. Matches no text that could hide a URL or a part of one, escaped or not.
const isFileName = (text: string) => /^(?!\/\/)([a-z]:[\\/])?[^:@?=%\s\p{Cc}]+\.(db3?|sqlite3?)$/iu.test(text)

// A name may be escaped; one that cannot be decoded counts as secret.
function isSecret(name: string): boolean {
  try {
    return /pass|secret|token/i.test(decodeURIComponent(name))
  } catch {
    return true
  }
}

function parseSqlite(file: string, cwd: string): ParsedSetting<DatabaseUrl> {
  // Each reader thread opens the database: in memory, each would have its own.
  if (file === '' || file === ':memory:') return { fault: 'must name a file: sqlite:PATH' }
  if (/^\/\/(?!\/)/.test(file)) return { fault: 'must be sqlite:PATH, without //' }
  return { value: { kind: 'sqlite', path: resolve(cwd, file) } }
}

export const host: SettingType<string> = {
  parse(text) {
    const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'
    const isName =
      new RegExp(`^${label}(\\.${label})*$`, 'i').test(text) && text.length <= 253 && !/^[0-9.]+$/.test(text)
    if (isName || isIP(text) !== 0) return { value: text }
    return { fault: 'must be an IPv4 or IPv6 address (without brackets) or a host name' }
  },
}

const itemsOf = (text: string): string[] => text.split(',').map((item) => item.trim())

export const hostList: SettingType<string[]> = {
  parse(text, cwd) {
    const items = itemsOf(text)
    const wrong = items.filter((item) => 'fault' in host.parse(item, cwd))
    if (wrong.length === 0) return { value: items }
    const shown = wrong.map((item) => (item === '' ? 'one is empty' : `"${item}" is not a host name`))
    return { fault: `must be host names without scheme and port, comma-separated: ${shown.join(', ')}` }
  },
}

const mostCurrencies = 50

export const currencyList: SettingType<string[]> = {
  parse(text) {
    const items = itemsOf(text)
    const wrong = [...new Set(items)].filter((item) => !/^[A-Z]{3}$/.test(item))
    const repeated = [...new Set(items.filter((item, at) => items.indexOf(item) !== at))]
    const faults = [
      ...wrong.map((item) => (item === '' ? 'one is empty' : `"${item}" is not such a code`)),
      ...repeated.filter((item) => !wrong.includes(item)).map((item) => `${item} is there twice`),
      ...(items.length > mostCurrencies
        ? [`there are ${items.length}, and at most ${mostCurrencies} are allowed`]
        : []),
    ]
    if (faults.length === 0) return { value: items }
    return { fault: `must be codes of three capital letters such as USD, comma-separated: ${faults.join(', ')}` }
  },
}

const shortestToken = 16

// The syntax of RFC 6750, section 2.1.
export const bearerToken: SettingType<string> = {
  parse: (text) =>
    text.length >= shortestToken && /^[\w.~+/-]+=*$/.test(text)
      ? { value: text }
      : {
          fault: `must be ${shortestToken} characters or more, of letters, digits and -._~+/ ("openssl rand -hex 32" makes one)`,
        },
  mask: () => masked,
}

export const addressList: SettingType<string[]> = {
  parse(text) {
    const items = itemsOf(text)
    const faults = items.flatMap((item) => addressFault(item) ?? [])
    if (faults.length === 0) return { value: items }
    return { fault: `must be addresses or CIDR ranges, comma-separated: ${faults.join(', ')}` }
  },
}

function addressFault(item: string): string | undefined {
  if (item === '') return 'one is empty'
  const read = readRange(item)
  if ('range' in read) return undefined
  return read.fault.is === 'no address'
    ? `"${item}" is neither IPv4 nor IPv6`
    : `the prefix length of "${item}" is not a number from 0 to ${read.fault.longest}`
}

export const timeZone: SettingType<string> = {
  parse: (text) =>
    isTimeZone(text)
      ? { value: text }
      : { fault: `must be an IANA time zone, such as America/Port-au-Prince${hint(text)}` },
}

function isTimeZone(name: string): boolean {
  // Intl also accepts bare offsets, which have no daylight saving time.
  if (!/^[a-z]/i.test(name)) return false
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}

function hint(name: string): string {
  const meant = nearest(name, Intl.supportedValuesOf('timeZone'))
  return meant === undefined ? '' : `; did you mean ${meant}?`
}

export const logLevel: SettingType<LogLevel> = {
  parse(text) {
    const value = logLevels.find((level) => level === text)
    if (value !== undefined) return { value }
    const meant = nearest(text, logLevels)
    return { fault: `must be one of ${logLevels.join(', ')}${meant === undefined ? '' : `; did you mean ${meant}?`}` }
  },
}

const hasControlCharacter = (text: string): boolean => /\p{Cc}/u.test(text)

const originText = /^https:\/\/(?:[a-z0-9_](?:[a-z0-9._-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?\/?$/i

// Normalised as browsers and OAuth clients compare it: lower case, without the default port. undefined: invalid.
export function readOrigin(text: string): string | undefined {
  return originText.test(text) && URL.canParse(text) ? new URL(text).origin : undefined
}

// Without a path, because the service answers at the root of its host.
export const publicUrl: SettingType<string> = {
  parse(text) {
    const value = readOrigin(text)
    return value === undefined
      ? { fault: `must be https://HOST or https://HOST:PORT, without a path or anything else${originGuess(text)}` }
      : { value }
  },
  // A user name and a password may stand before the host.
  mask: (text) => text.replace(/^.*@/s, '***@'),
}

function originGuess(text: string): string {
  const whole = text.includes('://') ? text : `https://${text}`
  const url = URL.canParse(whole) ? new URL(whole) : undefined
  const origin = url && /^https?:$/.test(url.protocol) ? readOrigin(`https://${url.host}`) : undefined
  return origin === undefined ? '' : `; did you mean ${origin}?`
}
