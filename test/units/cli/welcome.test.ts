// The text of a start: it fits a terminal of 80 columns, and a second start is as useful as the first.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { welcomeText } from '../../../src/cli/welcome.ts'
import { relations } from '../../../src/contract/relations.ts'
import type { RunningService } from '../../../src/service.ts'
import type { Settings } from '../../../src/settings/table.ts'

const settings = {
  host: '0.0.0.0',
  consoleHost: '127.0.0.1',
  trustProxy: [],
  metricsToken: null,
} as unknown as Settings
const service = {
  https: 8443,
  http: 8080,
  console: 8444,
  before: [],
  lacking: [],
  developmentCertificate: { path: join(process.cwd(), 'data', 'development-cert.pem'), isNew: true },
} as unknown as RunningService
const accessKey = `svc_ak_${'A'.repeat(24)}`
const key = { name: 'Demo: everything', accessKey }
const securityCode = `svc_sk_${'B'.repeat(40)}`
const first = { demoKeys: [{ ...key, securityCode }], passwordToken: `svc_at_${'C'.repeat(40)}`, isTerminal: true }

test('welcome: every column that the database lacks is named, in 80 columns', () => {
  const lacking = relations.flatMap(({ name, columns }) => Object.keys(columns).map((column) => `${name}.${column}`))
  const text = welcomeText(settings, { ...service, lacking }, { ...first, demoKeys: [] })
  assert.match(text, /\nThe POS database lacks columns, which read as null:\n {2}stores\.id, stores\.code,/)
  assert.ok(text.split('\n').every((line) => line.length <= 80))
  for (const name of lacking) assert.match(text, new RegExp(`\\s${name},`))
  assert.doesNotMatch(welcomeText(settings, service, first), /lacks/)
})

test('welcome: addresses, link, keys and a first call, in 80 columns but for the call', () => {
  const lines = welcomeText(settings, service, first).split('\n')
  assert.deepEqual(
    lines.filter((line) => line.length > 80 && !line.startsWith('curl ')),
    [],
  )
  const text = lines.join('\n')
  for (const part of [
    'https://127.0.0.1:8443/api/v1',
    'https://127.0.0.1:8443/docs',
    'https://127.0.0.1:8444/#link=svc_at_C',
    'self-signed, for development: data/development-cert.pem',
    `${accessKey}:${securityCode}`,
    `-u ${accessKey}:${securityCode} `,
    'Ctrl+C stops the service.',
  ])
    assert.ok(text.includes(part), part)
})

test('welcome: a second start shows the keys, how to get a new code, and the same call', () => {
  const text = welcomeText(settings, service, { demoKeys: [key], passwordToken: null, isTerminal: true })
  assert.match(text, new RegExp(`npx vitrine keys regenerate ${accessKey}\\n`))
  assert.match(text, /^curl .* -u svc_ak_A+:SECURITY_CODE .*products\?per_page=2"$/m)
  assert.doesNotMatch(text, /svc_sk_|#link=/)
})

test('welcome: without the demo company, it says how to name a certificate; in a pipe, nothing about Ctrl+C', () => {
  const text = welcomeText(settings, service, { demoKeys: [], passwordToken: null, isTerminal: false })
  assert.match(text, /VITRINE_TLS_CERT/)
  assert.doesNotMatch(text, /curl|Ctrl/)
})
