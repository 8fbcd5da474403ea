// The loader: defaults, precedence, files, faults all at once, secrets that never show, and settings that contradict
// each other.

import assert from 'node:assert/strict'
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { loadSettings } from '../../../src/settings/load.ts'
import type { LoadedSettings } from '../../../src/settings/load.ts'
import { settingNames } from '../../../src/settings/table.ts'

type Env = Record<string, string>
const nowhere = '/srv/vitrine'
let cwd = ''
before(() => void (cwd = mkdtempSync(join(tmpdir(), 'vitrine settings '))))
after(() => rmSync(cwd, { recursive: true }))

let count = 0
function writeNew(text: string): string {
  const name = `file-${++count}`
  writeFileSync(join(cwd, name), text)
  return name
}

function settingsOf(loaded: LoadedSettings) {
  assert.ok('settings' in loaded, JSON.stringify(loaded))
  return loaded
}

function faultsOf(env: Env, configPath?: string): string[] {
  const loaded = loadSettings({ env, cwd, ...(configPath === undefined ? {} : { configPath }) })
  assert.ok('faults' in loaded, 'no fault found')
  return loaded.faults
}

const sourceOf = (loaded: LoadedSettings, name: string) =>
  settingsOf(loaded).sources.find((source) => source.name === name)

test('nothing given: the defaults', () => {
  const { settings, sources, warnings } = settingsOf(loadSettings({ env: {}, cwd: nowhere }))
  assert.deepEqual(settings, {
    dataDir: '/srv/vitrine/data',
    databaseUrl: { kind: 'sqlite', path: '/srv/vitrine/data/pos.db' },
    stateUrl: { kind: 'sqlite', path: '/srv/vitrine/data/state.db' },
    host: '127.0.0.1',
    port: 8443,
    httpPort: 8080,
    consolePort: 8444,
    consoleHost: '127.0.0.1',
    consoleNames: [],
    metricsToken: null,
    tlsCert: null,
    tlsKey: null,
    trustProxy: [],
    timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
    currencies: ['USD', 'HTG'],
    anonymousRate: 1200,
    connectionsPerAddress: 500,
    statementTimeoutMs: 5000,
    keyBudgetMs: 60_000,
    readers: availableParallelism(),
    indexMemoryMb: Math.min(
      2048,
      Math.floor(Math.min(totalmem(), process.constrainedMemory() || Infinity) / 4 / 2 ** 20),
    ),
    copyFrom: null,
    copyViews: null,
    copyEveryMs: 60_000,
    copyWholeEveryMs: 3_600_000,
    copyTimeoutMs: 600_000,
    copyMostKeptOut: 1000,
    publicUrl: null,
    logLevel: 'info',
  })
  assert.deepEqual(warnings, [])
  assert.deepEqual(
    sources.map(({ name }) => name),
    settingNames,
  )
  assert.ok(sources.every(({ from, value }) => from === 'default' && value !== ''))
})

test('the embedded databases follow the data folder', () => {
  const { settings } = settingsOf(loadSettings({ env: { VITRINE_DATA_DIR: '/d' }, cwd: nowhere }))
  assert.deepEqual(settings.databaseUrl, { kind: 'sqlite', path: '/d/pos.db' })
  assert.deepEqual(settings.stateUrl, { kind: 'sqlite', path: '/d/state.db' })
})

test('environment over config file over default, each with its source', () => {
  const configPath = writeNew('VITRINE_PORT=1001\nVITRINE_HTTP_PORT=1002\n')
  const loaded = loadSettings({ env: { VITRINE_PORT: '2001' }, cwd, configPath })
  const { settings } = settingsOf(loaded)
  assert.deepEqual([settings.port, settings.httpPort, settings.consolePort], [2001, 1002, 8444])
  assert.deepEqual(sourceOf(loaded, 'VITRINE_PORT'), { name: 'VITRINE_PORT', value: '2001', from: 'environment' })
  assert.equal(sourceOf(loaded, 'VITRINE_HTTP_PORT')?.from, `file ${configPath}`)
  assert.equal(sourceOf(loaded, 'VITRINE_CONSOLE_PORT')?.from, 'default')
})

test('VITRINE_CONFIG names the config file, and --config stands over it', () => {
  const one = writeNew('VITRINE_PORT=1001')
  const other = writeNew('VITRINE_PORT=1002')
  assert.equal(settingsOf(loadSettings({ env: { VITRINE_CONFIG: one }, cwd })).settings.port, 1001)
  assert.equal(settingsOf(loadSettings({ env: { VITRINE_CONFIG: one }, cwd, configPath: other })).settings.port, 1002)
})

test('a config file: comments, blank lines, quotes, blanks, a byte order mark and Windows line ends', () => {
  const lines = [
    '\uFEFF# first',
    '',
    '  # indented',
    'VITRINE_PORT = 1001 ',
    "VITRINE_DATA_DIR='a b #c'",
    'VITRINE_HOST="::1" # loopback',
    'VITRINE_LOG_LEVEL=warn # quiet',
    'VITRINE_STATE_URL=sqlite:/a#=b.db',
  ]
  const { settings } = settingsOf(loadSettings({ env: {}, cwd, configPath: writeNew(lines.join('\r\n')) }))
  assert.equal(settings.port, 1001)
  assert.equal(settings.dataDir, join(cwd, 'a b #c'))
  assert.equal(settings.host, '::1')
  assert.equal(settings.logLevel, 'warn')
  assert.deepEqual(settings.stateUrl, { kind: 'sqlite', path: '/a#=b.db' })
})

test('a config file: every bad line is a fault with file and line, and no value is quoted', () => {
  const lines = ['VITRINE_PROT=1', 'hunter2', 'VITRINE_HOST="::1', 'VITRINE_PORT=1', 'VITRINE_PORT=2', '=x', 'COLOUR=x']
  const file = writeNew([...lines, 'PORT=1', 'VITRINE_TEST_X=1'].join('\n'))
  assert.deepEqual(faultsOf({}, file), [
    `${file} line 1: VITRINE_PROT is not a setting: did you mean VITRINE_PORT?`,
    `${file} line 2 is not NAME=value.`,
    `${file} line 3: the value of VITRINE_HOST has a quote that does not close at its end.`,
    `${file} line 5: VITRINE_PORT was already given on line 4.`,
    `${file} line 6 is not NAME=value.`,
    `${file} line 7: COLOUR is not a setting.`,
    `${file} line 8: PORT is not a setting: did you mean VITRINE_PORT?`,
    `${file} line 9: VITRINE_TEST_X is not a setting.`,
  ])
})

test('a config file that cannot be read is a fault', () => {
  assert.deepEqual(faultsOf({}, 'absent'), ['The config file absent does not exist.'])
  assert.deepEqual(faultsOf({ VITRINE_CONFIG: '.' }), ['The config file . is a folder, not a file.'])
  assert.deepEqual(faultsOf({ VITRINE_CONFIG: '' }), ['VITRINE_CONFIG is empty.'])
  assert.deepEqual(faultsOf({}, ''), ['--config is empty.'])
})

test('NAME_FILE reads the value, less one newline at its end', () => {
  const file = writeNew('1001\n')
  const loaded = loadSettings({ env: { VITRINE_PORT_FILE: file }, cwd })
  assert.equal(settingsOf(loaded).settings.port, 1001)
  assert.equal(sourceOf(loaded, 'VITRINE_PORT')?.from, `file ${file}`)
  assert.equal(settingsOf(loadSettings({ env: { VITRINE_PORT_FILE: writeNew('1\r\n') }, cwd })).settings.port, 1)
  assert.equal(faultsOf({ VITRINE_PORT_FILE: writeNew('1001\n\n') }).length, 1)
  const inConfig = writeNew(`VITRINE_PORT_FILE=${file}`)
  assert.equal(settingsOf(loadSettings({ env: {}, cwd, configPath: inConfig })).settings.port, 1001)
})

test('NAME_FILE: both given, absent, empty', () => {
  const file = writeNew('')
  assert.deepEqual(faultsOf({ VITRINE_PORT: '1', VITRINE_PORT_FILE: file }), [
    'VITRINE_PORT and VITRINE_PORT_FILE are both given (environment): keep one of them.',
  ])
  assert.deepEqual(faultsOf({ VITRINE_PORT_FILE: 'absent' }), [
    'VITRINE_PORT_FILE names absent (environment), which does not exist.',
  ])
  assert.deepEqual(faultsOf({ VITRINE_PORT_FILE: file }), [
    `VITRINE_PORT is empty (file ${file}): give it a value or leave it out.`,
  ])
  assert.deepEqual(faultsOf({ VITRINE_PORT_FILE: '' }), [
    'VITRINE_PORT_FILE is empty (environment): it must name a file.',
  ])
})

test('the environment stands over a NAME_FILE of the config file', () => {
  const configPath = writeNew('VITRINE_PORT_FILE=absent')
  assert.equal(settingsOf(loadSettings({ env: { VITRINE_PORT: '1' }, cwd, configPath })).settings.port, 1)
})

for (const name of settingNames) {
  test(`an empty ${name} is a fault of its own, in the environment and in a file`, () => {
    assert.deepEqual(
      faultsOf({ [name]: '' }).filter((fault) => !fault.includes('together')),
      [`${name} is empty (environment): give it a value or leave it out.`],
    )
    const file = writeNew(`${name}=`)
    assert.ok(faultsOf({}, file).includes(`${name} is empty (file ${file}): give it a value or leave it out.`))
  })
}

test('all faults come together', () => {
  const file = writeNew('VITRINE_PROT=1\nVITRINE_READERS=none')
  const env = { VITRINE_PORT: 'x', VITRINE_HOST: '', VITRINE_HTTP_PORT: '8444', VITRINE_TLS_CERT: 'c' }
  const faults = faultsOf(env, file)
  for (const part of ['line 1', 'VITRINE_READERS', 'VITRINE_PORT is', 'VITRINE_HOST', 'same port', 'together']) {
    assert.ok(
      faults.some((fault) => fault.includes(part)),
      part,
    )
  }
  assert.equal(faults.length, 6)
})

test('unknown names in the environment are only warnings, those of the tests and of others not even that', () => {
  const env = { VITRINE_PROT: '1', VITRINE_SERVICE_HOST: 'x', VITRINE_CONFG: 'x', VITRINE_TEST_X: '1', PATH: '/bin' }
  assert.deepEqual(loadSettings({ env, cwd }).warnings, [
    'VITRINE_PROT is not a setting: did you mean VITRINE_PORT?',
    'VITRINE_SERVICE_HOST is not a setting.',
    'VITRINE_CONFG is not a setting: did you mean VITRINE_CONFIG?',
  ])
})

test('passwords show nowhere: not in sources, not in faults', () => {
  const shown: [given: string, shown: string][] = [
    ['postgres://u:hunter2@h/d', 'postgres://u:***@h/d'],
    ['postgres://u:hunter2@x@h/d', 'postgres://u:***@h/d'],
    ['postgres://h/d?user=u&password=hunter2', 'postgres://h/d?user=u&password=***'],
    ['postgres://u@h/d', 'postgres://u@h/d'],
  ]
  for (const [url, expected] of shown) {
    const loaded = loadSettings({ env: { VITRINE_STATE_URL: url }, cwd })
    assert.equal(sourceOf(loaded, 'VITRINE_STATE_URL')?.value, expected)
  }
  for (const url of ['mysql://u:hunter2@h/d', 'mysql://h/d?password=hunter2', 'oracle://u:hunter2@h', 'hunter2']) {
    const env = { VITRINE_COPY_FROM: url, VITRINE_COPY_VIEWS: 'v.sql' }
    const { sources, faults } = { sources: [], faults: [], ...loadSettings({ env, cwd }) }
    assert.doesNotMatch(JSON.stringify([sources, faults]), /hunter2/)
  }
  const bad = [
    'mysql://u:hunter2@h',
    'postgres://u:hunter2@h:port',
    'postgres:u:hunter2@h',
    'hunter2',
    'postgres://u:1#hunter2@h/d',
    'postgres://u:1/hunter2@h/d',
    'postgres://hunter2 @',
  ]
  for (const url of bad) {
    const text = JSON.stringify(loadSettings({ env: { VITRINE_DATABASE_URL: url }, cwd }))
    assert.ok(text.includes('VITRINE_DATABASE_URL is') && !text.includes('hunter2'), text)
  }
})

test('a source to copy and its views come together, except for commands that take them as options', () => {
  const together = 'VITRINE_COPY_FROM and VITRINE_COPY_VIEWS must be given together'
  assert.deepEqual(faultsOf({ VITRINE_COPY_FROM: 'sqlite:a.db' }), [`${together}, but VITRINE_COPY_VIEWS is not.`])
  assert.deepEqual(faultsOf({ VITRINE_COPY_VIEWS: 'v.sql' }), [`${together}, but VITRINE_COPY_FROM is not.`])
  const { settings } = settingsOf(loadSettings({ env: { VITRINE_COPY_VIEWS: 'v.sql' }, cwd, needsState: false }))
  assert.equal(settings.copyViews, join(cwd, 'v.sql'))
})

test('certificate and key come together', () => {
  const together = 'VITRINE_TLS_CERT and VITRINE_TLS_KEY must be given together'
  assert.deepEqual(faultsOf({ VITRINE_TLS_CERT: 'c' }), [`${together}, but VITRINE_TLS_KEY is not.`])
  assert.deepEqual(faultsOf({ VITRINE_TLS_KEY: 'k' }), [`${together}, but VITRINE_TLS_CERT is not.`])
  const { settings } = settingsOf(loadSettings({ env: { VITRINE_TLS_CERT: 'c', VITRINE_TLS_KEY: '/k' }, cwd }))
  assert.deepEqual([settings.tlsCert, settings.tlsKey], [join(cwd, 'c'), '/k'])
})

test('two equal ports are a fault, several zeros are not', () => {
  assert.deepEqual(faultsOf({ VITRINE_PORT: '8080' }), [
    'VITRINE_PORT and VITRINE_HTTP_PORT are the same port, 8080: each needs its own (or 0).',
  ])
  assert.equal(faultsOf({ VITRINE_CONSOLE_PORT: '8443' }).length, 1)
  const zeros = { VITRINE_PORT: '0', VITRINE_HTTP_PORT: '0', VITRINE_CONSOLE_PORT: '0' }
  settingsOf(loadSettings({ env: zeros, cwd }))
})

test('PostgreSQL data wants the place of the state named', () => {
  const database = { VITRINE_DATABASE_URL: 'postgres://h/d' }
  assert.deepEqual(faultsOf(database), [
    'VITRINE_STATE_URL must be given when VITRINE_DATABASE_URL is PostgreSQL: it names the primary, or sqlite:PATH.',
  ])
  settingsOf(loadSettings({ env: { ...database, VITRINE_STATE_URL: 'postgres://h/d' }, cwd }))
  assert.equal(faultsOf({ ...database, VITRINE_STATE_URL: 'x' }).length, 1)
})

test('an unreadable path is no fault of the settings: the code that opens it reports it', () => {
  const loaded = loadSettings({ env: { VITRINE_DATABASE_URL: `sqlite:${'a'.repeat(300)}` }, cwd })
  assert.ok('settings' in loaded, JSON.stringify(loaded))
})

test('state never shares a file with the data, whatever the path is called', () => {
  mkdirSync(join(cwd, 'real'))
  writeFileSync(join(cwd, 'real', 'one.db'), '')
  symlinkSync(join(cwd, 'real'), join(cwd, 'link'))
  symlinkSync(join(cwd, 'real', 'one.db'), join(cwd, 'soft.db'))
  linkSync(join(cwd, 'real', 'one.db'), join(cwd, 'hard.db'))
  const same: [string, string][] = [
    ['absent.db', './x/../absent.db'],
    ['real/one.db', 'link/one.db'],
    ['real/absent.db', 'link/absent.db'],
    ['real/deep/absent.db', 'link/deep/absent.db'],
    ['real/one.db', 'soft.db'],
    ['real/one.db', 'hard.db'],
  ]
  for (const [database, state] of same) {
    assert.deepEqual(
      faultsOf({ VITRINE_DATABASE_URL: `sqlite:${database}`, VITRINE_STATE_URL: `sqlite:${state}` }),
      [
        `VITRINE_STATE_URL and VITRINE_DATABASE_URL both name ${join(cwd, state)}: state never shares a file with the data.`,
      ],
      state,
    )
  }
  assert.equal(faultsOf({ VITRINE_DATABASE_URL: 'sqlite:data/state.db' }).length, 1)
})

test('the token of the metrics is long enough, can be sent, comes from a file, and is never shown', () => {
  const token = 'hunter2-hunter2-'
  const loaded = loadSettings({ env: { VITRINE_METRICS_TOKEN_FILE: writeNew(`${token}\n`) }, cwd })
  assert.equal(settingsOf(loaded).settings.metricsToken, token)
  assert.equal(sourceOf(loaded, 'VITRINE_METRICS_TOKEN')?.value, '***')
  for (const wrong of [token.slice(1), `${token} `, `${token}é`, '='.repeat(16)])
    assert.deepEqual(faultsOf({ VITRINE_METRICS_TOKEN: wrong }), [
      'VITRINE_METRICS_TOKEN is "***" (environment), but must be 16 characters or more, of letters, digits and -._~+/ ("openssl rand -hex 32" makes one).',
    ])
})

test('names of the console are host names, and all invalid ones are reported', () => {
  const loaded = loadSettings({ env: { VITRINE_CONSOLE_NAMES: 'till.example, Office' }, cwd })
  assert.deepEqual(settingsOf(loaded).settings.consoleNames, ['till.example', 'Office'])
  assert.deepEqual(faultsOf({ VITRINE_CONSOLE_NAMES: 'https://till.example,,till:8444,ok' }), [
    'VITRINE_CONSOLE_NAMES is "https://till.example,,till:8444,ok" (environment), but must be host names without scheme and port, comma-separated: "https://till.example" is not a host name, one is empty, "till:8444" is not a host name.',
  ])
})
