// Every setting as a row: name, type, default and help. The loader, the command `config`, the help and the documentation read this
// table.
import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'
import { usualCurrencies } from './currencies.ts'
import {
  addressList,
  bearerToken,
  currencyList,
  databaseUrl,
  duration,
  host,
  hostList,
  integer,
  logLevel,
  path,
  port,
  publicUrl,
  sourceUrl,
  timeZone,
  type SettingType,
} from './types.ts'

// A text that is parsed like a given one; one that depends on the machine or the data folder; or the value of no setting.
type SettingDefault<T> = string | { said: string; text(dataDir: string): string } | { none: T }

export interface SettingRow<T> {
  name: string
  type: SettingType<T>
  default: SettingDefault<T>
  help: string
}

export const settingsTable = {
  dataDir: {
    name: 'VITRINE_DATA_DIR',
    type: path,
    default: './data',
    help: 'Folder of the embedded databases and of the development certificate.',
  },
  databaseUrl: {
    name: 'VITRINE_DATABASE_URL',
    type: databaseUrl('public'),
    default: { said: 'sqlite:pos.db in the data folder', text: (dataDir) => `sqlite:${join(dataDir, 'pos.db')}` },
    help: 'Point-of-sale data, only ever read by the service: sqlite:PATH or postgres://…, which may name a replica.',
  },
  stateUrl: {
    name: 'VITRINE_STATE_URL',
    type: databaseUrl('vitrine'),
    default: { said: 'sqlite:state.db in the data folder', text: (dataDir) => `sqlite:${join(dataDir, 'state.db')}` },
    help: 'What the service itself remembers (keys, tokens, windows, blocks): sqlite:PATH or postgres://…; it has no default when the data is in PostgreSQL.',
  },
  host: { name: 'VITRINE_HOST', type: host, default: '127.0.0.1', help: 'Address to listen on.' },
  port: { name: 'VITRINE_PORT', type: port, default: '8443', help: 'Port of the API over TLS; 0 picks a free one.' },
  httpPort: {
    name: 'VITRINE_HTTP_PORT',
    type: port,
    default: '8080',
    help: 'Port without TLS, which only serves trusted proxies; 0 picks a free one.',
  },
  consolePort: {
    name: 'VITRINE_CONSOLE_PORT',
    type: port,
    default: '8444',
    help: "Port of the administrator's console and of the metrics, over TLS; 0 picks a free one.",
  },
  consoleHost: {
    name: 'VITRINE_CONSOLE_HOST',
    type: host,
    default: '127.0.0.1',
    help: 'Address of the console and the metrics: this machine alone, unless you name another.',
  },
  consoleNames: {
    name: 'VITRINE_CONSOLE_NAMES',
    type: hostList,
    default: { none: [] },
    help: 'Further host names under which the console and the metrics answer, comma-separated; IP addresses, localhost, VITRINE_CONSOLE_HOST and the names of the certificate always do.',
  },
  metricsToken: {
    name: 'VITRINE_METRICS_TOKEN',
    type: bearerToken,
    default: { none: null },
    help: 'When set, /metrics wants it as a bearer token; at least 16 characters. Better in a file: VITRINE_METRICS_TOKEN_FILE.',
  },
  tlsCert: {
    name: 'VITRINE_TLS_CERT',
    type: path,
    default: { none: null },
    help: 'PEM file of the certificate and its chain; without it a self-signed one is made for development.',
  },
  tlsKey: {
    name: 'VITRINE_TLS_KEY',
    type: path,
    default: { none: null },
    help: "PEM file of the certificate's private key.",
  },
  trustProxy: {
    name: 'VITRINE_TRUST_PROXY',
    type: addressList,
    default: { none: [] },
    help: 'Addresses or CIDR ranges of proxies that end TLS, comma-separated.',
  },
  timeZone: {
    name: 'VITRINE_TIME_ZONE',
    type: timeZone,
    default: { said: "the machine's", text: machineTimeZone },
    help: "Time zone of the company's server, an IANA name: for /status, and for the last day of a key.",
  },
  currencies: {
    name: 'VITRINE_CURRENCIES',
    type: currencyList,
    default: usualCurrencies.join(','),
    help: "The company's currencies, comma-separated, such as EUR,USD: the values that the currency filter takes.",
  },
  anonymousRate: {
    name: 'VITRINE_ANONYMOUS_RATE',
    type: integer(1, 1_000_000),
    default: '1200',
    help: 'Requests a minute for each address that sends no valid token.',
  },
  connectionsPerAddress: {
    name: 'VITRINE_CONNECTIONS_PER_ADDRESS',
    type: integer(1, 1_000_000),
    default: '500',
    help: 'Connections that an address (of IPv6: a /64 network) may have open at a time on each port; trusted proxies may have any number.',
  },
  statementTimeoutMs: {
    name: 'VITRINE_STATEMENT_TIMEOUT_MS',
    // With less, a busy machine would answer nothing, because a stopped reader starts with an empty cache.
    type: integer(100, 600_000),
    default: '5000',
    help: 'Milliseconds after which a statement is stopped and the request answered with 503; at least 100.',
  },
  keyBudgetMs: {
    name: 'VITRINE_KEY_BUDGET_MS',
    type: integer(0, 100_000_000),
    default: '60000',
    help: 'Milliseconds of database work a minute for each key, at each instance; past it 503 until the minute is over. 0: without limit.',
  },
  readers: {
    name: 'VITRINE_READERS',
    type: integer(1, 256),
    default: { said: 'cores', text: () => String(Math.min(256, availableParallelism())) },
    help: 'Reader threads, each with a connection of its own to the POS database.',
  },
  indexMemoryMb: {
    name: 'VITRINE_INDEX_MEMORY_MB',
    type: integer(0, 1_000_000),
    default: { said: "a quarter of the machine's memory, at most 2048", text: usualIndexMemory },
    help: 'Megabytes of memory for the columns that lists are found in. What does not fit is found by plain SQL, more slowly, and the log says so. 0: every list is.',
  },
  copyFrom: {
    name: 'VITRINE_COPY_FROM',
    type: sourceUrl,
    default: { none: null },
    help: 'The database of a POS with its own tables, which "vitrine copy" copies: mysql://…, postgres://… or sqlite:PATH. It is only read.',
  },
  copyViews: {
    name: 'VITRINE_COPY_VIEWS',
    type: path,
    default: { none: null },
    help: 'The file of views whose SELECTs read that database ("vitrine views print" writes a template).',
  },
  copyEveryMs: {
    name: 'VITRINE_COPY_EVERY',
    type: duration('1s', '1d'),
    default: '60s',
    help: 'How often a copy is brought up to date, from 1s to 1d; the pause after a round is at least as long as the round.',
  },
  copyWholeEveryMs: {
    name: 'VITRINE_COPY_WHOLE_EVERY',
    type: duration('1s', '30d'),
    default: '1h',
    help: 'How often a copy compares all rows, which finds deleted rows and rows whose updated_at did not change; from 1s to 30d.',
  },
  copyTimeoutMs: {
    name: 'VITRINE_COPY_TIMEOUT',
    type: duration('1s', '1d'),
    default: '10m',
    help: 'How long a statement of a copy may take, from 1s to 1d.',
  },
  copyMostKeptOut: {
    name: 'VITRINE_COPY_MOST_KEPT_OUT',
    type: integer(0, 1000),
    default: '1000',
    help: 'How many wrong rows of one relation a copy keeps out at most: 10, or one in a thousand of its rows if that is more, and never more than this. With more, nothing is copied. 0: none.',
  },
  publicUrl: {
    name: 'VITRINE_PUBLIC_URL',
    type: publicUrl,
    default: { none: null },
    help: 'The address that callers use, such as https://api.example.com: what OpenAPI, the OAuth metadata and the documentation page then name.',
  },
  logLevel: {
    name: 'VITRINE_LOG_LEVEL',
    type: logLevel,
    default: 'info',
    help: 'Least severe log line that is written: debug, info, warn, error or silent.',
  },
} as const satisfies Readonly<Record<string, SettingRow<unknown>>>

// The value of each setting: that of its type, or of no setting.
export type Settings = {
  [Field in keyof typeof settingsTable]: ValueOf<(typeof settingsTable)[Field]>
}
type ValueOf<Row> = Row extends { type: SettingType<infer Value> }
  ? Row extends { default: { none: null } }
    ? Value | null
    : Value
  : never

export const settingFields = Object.keys(settingsTable).filter((key): key is keyof Settings => key in settingsTable)
export const settingNames: readonly string[] = settingFields.map((field) => settingsTable[field].name)

// A container may have less memory than the machine.
function usualIndexMemory(): string {
  const bytes = Math.min(totalmem(), process.constrainedMemory() || Infinity)
  return String(Math.min(2048, Math.floor(bytes / 4 / 2 ** 20)))
}

// A machine whose zone is unset or unknown to Intl must still start.
function machineTimeZone(): string {
  const name = new Intl.DateTimeFormat().resolvedOptions().timeZone
  return 'value' in timeZone.parse(name, '') ? name : 'UTC'
}
