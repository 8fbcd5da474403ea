// Each type of setting: accepted and refused values; the sentence names the setting, the value and the allowed values.

import assert from 'node:assert/strict'
import { userInfo } from 'node:os'
import { test } from 'node:test'
import { loadSettings } from '../../../src/settings/load.ts'
import type { MysqlUrl } from '../../../src/platform/mysql/url.ts'
import type { PostgresUrl } from '../../../src/platform/postgres/url.ts'
import type { Settings } from '../../../src/settings/table.ts'

const cwd = '/srv/vitrine'
const state = {
  VITRINE_STATE_URL: 'sqlite:other.db',
  // They come together.
  VITRINE_COPY_FROM: 'sqlite:shop.db',
  VITRINE_COPY_VIEWS: 'views.sql',
}
const off = { mode: 'off', rootCert: null, cert: null, key: null } as const
const postgres = (parts: Partial<PostgresUrl>): PostgresUrl => ({
  kind: 'postgres',
  host: 'h',
  port: 5432,
  user: userInfo().username,
  password: null,
  database: 'd',
  schema: 'public',
  tls: { ...off, mode: 'checked' },
  ...parts,
})
const mysql = (parts: Partial<MysqlUrl>): MysqlUrl => ({
  kind: 'mysql',
  host: 'h',
  port: 3306,
  user: 'u',
  password: 'p/q',
  database: 'd',
  timeZone: null,
  tls: { ...off, mode: 'checked' },
  ...parts,
})
const sqlite = (path: string): Settings['databaseUrl'] => ({ kind: 'sqlite', path })

const codes = (count: number) =>
  Array.from({ length: count }, (_, at) => `X${String.fromCharCode(65 + Math.floor(at / 26), 65 + (at % 26))}`)

const taken: [name: string, text: string, field: keyof Settings, value: unknown][] = [
  ['VITRINE_DATA_DIR', 'here', 'dataDir', '/srv/vitrine/here'],
  ['VITRINE_DATA_DIR', '/var/lib/vitrine', 'dataDir', '/var/lib/vitrine'],
  ['VITRINE_DATABASE_URL', 'sqlite:a/pos.db', 'databaseUrl', sqlite('/srv/vitrine/a/pos.db')],
  ['VITRINE_DATABASE_URL', 'sqlite:/a/pos.db', 'databaseUrl', sqlite('/a/pos.db')],
  ['VITRINE_DATABASE_URL', 'sqlite:///a/pos.db', 'databaseUrl', sqlite('/a/pos.db')],
  ['VITRINE_DATABASE_URL', 'postgres://u:p@h:5432/d', 'databaseUrl', postgres({ user: 'u', password: 'p' })],
  ['VITRINE_DATABASE_URL', 'postgresql://h/d', 'databaseUrl', postgres({})],
  ['VITRINE_STATE_URL', 'postgres://h/d', 'stateUrl', postgres({ schema: 'vitrine' })],
  ['VITRINE_HOST', '0.0.0.0', 'host', '0.0.0.0'],
  ['VITRINE_HOST', '::1', 'host', '::1'],
  ['VITRINE_HOST', 'api.example.test', 'host', 'api.example.test'],
  ['VITRINE_PORT', '0', 'port', 0],
  ['VITRINE_HTTP_PORT', '65535', 'httpPort', 65535],
  ['VITRINE_CONSOLE_PORT', '1', 'consolePort', 1],
  ['VITRINE_TRUST_PROXY', '10.0.0.0/8', 'trustProxy', ['10.0.0.0/8']],
  ['VITRINE_TRUST_PROXY', '127.0.0.1, ::1 ,fd00::/8,::/0', 'trustProxy', ['127.0.0.1', '::1', 'fd00::/8', '::/0']],
  ['VITRINE_TIME_ZONE', 'America/Port-au-Prince', 'timeZone', 'America/Port-au-Prince'],
  ['VITRINE_TIME_ZONE', 'UTC', 'timeZone', 'UTC'],
  ['VITRINE_CURRENCIES', 'EUR', 'currencies', ['EUR']],
  ['VITRINE_CURRENCIES', ' EUR, USD ,GBP', 'currencies', ['EUR', 'USD', 'GBP']],
  ['VITRINE_CURRENCIES', codes(50).join(','), 'currencies', codes(50)],
  ['VITRINE_ANONYMOUS_RATE', '1', 'anonymousRate', 1],
  ['VITRINE_CONNECTIONS_PER_ADDRESS', '20', 'connectionsPerAddress', 20],
  ['VITRINE_STATEMENT_TIMEOUT_MS', '600000', 'statementTimeoutMs', 600_000],
  ['VITRINE_KEY_BUDGET_MS', '0', 'keyBudgetMs', 0],
  ['VITRINE_READERS', '256', 'readers', 256],
  ['VITRINE_INDEX_MEMORY_MB', '0', 'indexMemoryMb', 0],
  ['VITRINE_COPY_FROM', 'sqlite:shop.db', 'copyFrom', sqlite('/srv/vitrine/shop.db')],
  ['VITRINE_COPY_FROM', 'postgres://h/d', 'copyFrom', postgres({})],
  ['VITRINE_COPY_FROM', 'mysql://u:p%2Fq@h/d', 'copyFrom', mysql({})],
  [
    'VITRINE_COPY_FROM',
    'mariadb://u:p%2Fq@127.0.0.1:3307/d?time_zone=-05:00',
    'copyFrom',
    mysql({ host: '127.0.0.1', port: 3307, timeZone: '-05:00', tls: off }),
  ],
  ['VITRINE_COPY_VIEWS', 'views.sql', 'copyViews', '/srv/vitrine/views.sql'],
  ['VITRINE_COPY_EVERY', '5s', 'copyEveryMs', 5000],
  ['VITRINE_COPY_WHOLE_EVERY', '30d', 'copyWholeEveryMs', 30 * 86_400_000],
  ['VITRINE_COPY_TIMEOUT', '2m', 'copyTimeoutMs', 120_000],
  ['VITRINE_COPY_MOST_KEPT_OUT', '0', 'copyMostKeptOut', 0],
  ['VITRINE_PUBLIC_URL', 'https://api.example.com', 'publicUrl', 'https://api.example.com'],
  ['VITRINE_PUBLIC_URL', 'HTTPS://Api.Example.com:443/', 'publicUrl', 'https://api.example.com'],
  ['VITRINE_PUBLIC_URL', 'https://[::1]:8443', 'publicUrl', 'https://[::1]:8443'],
  ...(['debug', 'info', 'warn', 'error', 'silent'] as const).map((level): [string, string, keyof Settings, unknown] => [
    'VITRINE_LOG_LEVEL',
    level,
    'logLevel',
    level,
  ]),
]

for (const [name, text, field, value] of taken) {
  test(`settings: ${name}=${text} is taken`, () => {
    const loaded = loadSettings({ env: { ...state, [name]: text }, cwd })
    assert.ok('settings' in loaded, JSON.stringify(loaded))
    assert.deepEqual(loaded.settings[field], value)
  })
}

const aPort = 'must be a whole number from 0 to 65535'
const aUrl = 'must be sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE (%/?#@ in a password as %25%2F%3F%23%40)'
const aHost = 'must be an IPv4 or IPv6 address (without brackets) or a host name'
const aZone = 'must be an IANA time zone, such as America/Port-au-Prince'
const anOrigin = 'must be https://HOST or https://HOST:PORT, without a path or anything else'
const aList = 'must be addresses or CIDR ranges, comma-separated'

const currencyCodes = 'must be codes of three capital letters such as USD, comma-separated'

const refused: [name: string, text: string, allowed: string][] = [
  [
    'VITRINE_COPY_FROM',
    'oracle://h/d',
    'must be sqlite:PATH, postgres://USER:PASSWORD@HOST/DATABASE or mysql://USER:PASSWORD@HOST/DATABASE (%/?#@ in a password as %25%2F%3F%23%40)',
  ],
  [
    'VITRINE_COPY_FROM',
    'mysql://h/d?time_zone=it%27s',
    'time_zone must be an IANA name, SYSTEM or an offset such as -05:00',
  ],
  [
    'VITRINE_COPY_FROM',
    'mysql://h/d?schema=x',
    'there is no parameter schema: the parameters are time_zone, host, user, password, sslmode, sslrootcert, sslcert, sslkey',
  ],
  ['VITRINE_CURRENCIES', 'usd', `${currencyCodes}: "usd" is not such a code`],
  [
    'VITRINE_CURRENCIES',
    'EUR,,Gdes,USD,EUR,€',
    `${currencyCodes}: one is empty, "Gdes" is not such a code, "€" is not such a code, EUR is there twice`,
  ],
  ['VITRINE_CURRENCIES', codes(51).join(), `${currencyCodes}: there are 51, and at most 50 are allowed`],
  ['VITRINE_COPY_EVERY', '60', 'must be a time from 1s to 1d, such as 90s, 5m or 1h'],
  ['VITRINE_COPY_EVERY', '2d', 'must be a time from 1s to 1d, such as 90s, 5m or 1h'],
  ['VITRINE_DATA_DIR', 'a\nb', 'must be a path on one line'],
  ['VITRINE_DATABASE_URL', 'sqlite:', 'must name a file: sqlite:PATH'],
  ['VITRINE_DATABASE_URL', 'sqlite::memory:', 'must name a file: sqlite:PATH'],
  ['VITRINE_DATABASE_URL', 'sqlite://data/pos.db', 'must be sqlite:PATH, without //'],
  ['VITRINE_DATABASE_URL', 'mysql://h/d', aUrl],
  ['VITRINE_DATABASE_URL', 'a/pos.db', `${aUrl}; did you mean sqlite:a/pos.db?`],
  ['VITRINE_STATE_URL', 'C:\\state.sqlite3', `${aUrl}; did you mean sqlite:C:\\state.sqlite3?`],
  ['VITRINE_STATE_URL', 'postgres://', aUrl],
  ['VITRINE_HOST', '[::1]', aHost],
  ['VITRINE_HOST', '127.0.0.300', aHost],
  ['VITRINE_HOST', 'https://example.test', aHost],
  ['VITRINE_HOST', 'a_b', aHost],
  ['VITRINE_PORT', '65536', aPort],
  ['VITRINE_PORT', '-1', aPort],
  ['VITRINE_PORT', ' 1', aPort],
  ['VITRINE_PORT', '0x10', aPort],
  ['VITRINE_PORT', '08443', aPort],
  ['VITRINE_HTTP_PORT', '80.5', aPort],
  ['VITRINE_CONSOLE_PORT', 'http', aPort],
  ['VITRINE_PORT', 'tcp://10.0.0.1:8443', `${aPort}; if Kubernetes set it, give the pod enableServiceLinks: false`],
  ['VITRINE_TRUST_PROXY', 'proxy', `${aList}: "proxy" is neither IPv4 nor IPv6`],
  ['VITRINE_TRUST_PROXY', '1.2.3', `${aList}: "1.2.3" is neither IPv4 nor IPv6`],
  ['VITRINE_TRUST_PROXY', 'fe80::1%eth0', `${aList}: "fe80::1%eth0" is neither IPv4 nor IPv6`],
  ['VITRINE_TRUST_PROXY', '10.0.0.0/33', `${aList}: the prefix length of "10.0.0.0/33" is not a number from 0 to 32`],
  ['VITRINE_TRUST_PROXY', '::/129', `${aList}: the prefix length of "::/129" is not a number from 0 to 128`],
  ['VITRINE_TRUST_PROXY', '10.0.0.0/', `${aList}: the prefix length of "10.0.0.0/" is not a number from 0 to 32`],
  ['VITRINE_TRUST_PROXY', '::1,', `${aList}: one is empty`],
  ['VITRINE_TRUST_PROXY', 'a,b', `${aList}: "a" is neither IPv4 nor IPv6, "b" is neither IPv4 nor IPv6`],
  ['VITRINE_TIME_ZONE', 'Mars/Olympus', aZone],
  ['VITRINE_TIME_ZONE', '+05:00', aZone],
  ['VITRINE_ANONYMOUS_RATE', '0', 'must be a whole number from 1 to 1000000'],
  ['VITRINE_STATEMENT_TIMEOUT_MS', '0', 'must be a whole number from 100 to 600000'],
  ['VITRINE_KEY_BUDGET_MS', '-1', 'must be a whole number from 0 to 100000000'],
  ['VITRINE_STATEMENT_TIMEOUT_MS', '99', 'must be a whole number from 100 to 600000'],
  ['VITRINE_READERS', '257', 'must be a whole number from 1 to 256'],
  ['VITRINE_INDEX_MEMORY_MB', '1.5', 'must be a whole number from 0 to 1000000'],
  ['VITRINE_PUBLIC_URL', 'http://a.example', `${anOrigin}; did you mean https://a.example?`],
  ['VITRINE_PUBLIC_URL', 'a.example:8443', `${anOrigin}; did you mean https://a.example:8443?`],
  ['VITRINE_PUBLIC_URL', 'https://a.example/api/v1', `${anOrigin}; did you mean https://a.example?`],
  ['VITRINE_PUBLIC_URL', 'https://a.example?b', `${anOrigin}; did you mean https://a.example?`],
  ['VITRINE_PUBLIC_URL', 'https://a.example#b', `${anOrigin}; did you mean https://a.example?`],
  ['VITRINE_PUBLIC_URL', 'ftp://a.example', anOrigin],
  ['VITRINE_PUBLIC_URL', 'https://', anOrigin],
  ['VITRINE_PUBLIC_URL', 'https://a.example:99999', anOrigin],
  ['VITRINE_PUBLIC_URL', 'https://a"b', anOrigin],
  ['VITRINE_LOG_LEVEL', 'INFO!', 'must be one of debug, info, warn, error, silent; did you mean info?'],
  ['VITRINE_LOG_LEVEL', 'loud', 'must be one of debug, info, warn, error, silent'],
]

for (const [name, text, allowed] of refused) {
  test(`settings: ${name}=${JSON.stringify(text)} is refused`, () => {
    const sentence = `${name} is ${JSON.stringify(text)} (environment), but ${allowed}`
    const loaded = loadSettings({ env: { ...state, [name]: text }, cwd })
    assert.ok('faults' in loaded, JSON.stringify(loaded))
    assert.deepEqual(loaded.faults, [allowed.endsWith('?') ? sentence : `${sentence}.`])
  })
}

test('settings: a password in the public address is never shown', () => {
  const env = { VITRINE_PUBLIC_URL: 'https://ann:hunter2@a.example' }
  const loaded = loadSettings({ env, cwd })
  assert.deepEqual('faults' in loaded && loaded.faults, [
    `VITRINE_PUBLIC_URL is "***@a.example" (environment), but ${anOrigin}; did you mean https://a.example?`,
  ])
})

test('settings: a misspelt time zone gets a guess', () => {
  const loaded = loadSettings({ env: { VITRINE_TIME_ZONE: 'America/New_Yrok' }, cwd })
  assert.ok(
    'faults' in loaded && loaded.faults[0]?.endsWith('; did you mean America/New_York?'),
    JSON.stringify(loaded),
  )
})
