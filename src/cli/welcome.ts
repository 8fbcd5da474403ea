// The text that `serve` prints when it listens: addresses, how to sign in to the console, and for the demo company its keys
// and a first call.
import { relative } from 'node:path'
import process from 'node:process'
import { basePath } from '../app.ts'
import { quoteForShell } from '../platform/files.ts'
import type { RunningService } from '../service.ts'
import type { Settings } from '../settings/table.ts'

export interface DemoKey {
  readonly name: string
  readonly accessKey: string
  // Only for keys that this start has created: a code cannot be shown again.
  readonly securityCode?: string
}

interface WelcomeOptions {
  readonly demoKeys: readonly DemoKey[]
  // Makes the first account of the console; null: there is one.
  readonly passwordToken: string | null
  readonly isTerminal: boolean
}

export function welcomeText(settings: Settings, service: RunningService, options: WelcomeOptions): string {
  const { demoKeys, passwordToken, isTerminal } = options
  const host = reachableHost(settings.host)
  const base = `https://${host}:${service.https}${basePath}`
  const console = consoleUrl(settings, service)
  const { developmentCertificate: own } = service
  const certificate = own && relativePath(own.path)
  const paragraphs = [
    [
      'Vitrine is listening.',
      `  API      ${base}`,
      `  Docs     https://${host}:${service.https}/docs`,
      `  Plain    http://${host}:${service.http} (${plainHttp(settings)})`,
      `  Console  ${console}`,
      `  Metrics  ${console}/metrics${settings.metricsToken === null ? '' : ' (with VITRINE_METRICS_TOKEN)'}`,
      ...(certificate === null ? [] : [`  TLS      self-signed, for development: ${certificate}`]),
      ...(certificate === null || demoKeys.length > 0
        ? []
        : ['           Name a real certificate in VITRINE_TLS_CERT and VITRINE_TLS_KEY.']),
    ],
    lackingLines(service.lacking),
    service.before.map((pid) => `It has taken over from process ${pid}, which was told to stop.`),
    passwordToken === null
      ? []
      : [
          'Make your account of the console with this link, within a day:',
          `  ${consoleLink(settings, service, passwordToken)}`,
        ],
    keyLines(demoKeys),
    firstCall(certificate, base, demoKeys),
    isTerminal ? ['Requests are logged below. Ctrl+C stops the service.'] : [],
  ]
  const shown = paragraphs.filter((lines) => lines.length > 0)
  return `\n${shown.map((lines) => lines.join('\n')).join('\n\n')}\n`
}

function lackingLines(lacking: readonly string[]): string[] {
  if (lacking.length === 0) return []
  const lines = ['']
  for (const name of lacking) {
    if (`${lines.at(-1)} ${name},`.length > 78) lines.push('')
    lines.push(`${lines.pop()} ${name},`)
  }
  return [
    'The POS database lacks columns, which read as null:',
    ...lines.map((line) => ` ${line}`),
    '  "npx vitrine schema apply" adds them to tables.',
  ]
}

const consoleUrl = (settings: Settings, { console }: RunningService) =>
  `https://${reachableHost(settings.consoleHost)}:${console}`

// After a #, because browsers send that part to no server.
export const consoleLink = (settings: Settings, service: RunningService, token: string): string =>
  `${consoleUrl(settings, service)}/#link=${token}`

// A service that listens on all addresses can be reached at the loopback address.
function reachableHost(host: string): string {
  const address = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host
  return address.includes(':') ? `[${address}]` : address
}

const plainHttp = ({ trustProxy }: Settings) =>
  trustProxy.length > 0 ? 'serves only trusted proxies' : 'answers 403 https_required'

// A key and its code fit into one line of 80 columns.
function keyLines(keys: readonly DemoKey[]): string[] {
  const [first] = keys
  if (!first) return []
  const lines = keys.flatMap(({ name, accessKey, securityCode }) => [
    `  ${name}`,
    securityCode === undefined ? `    ${accessKey}` : `${accessKey}:${securityCode}`,
  ])
  if (first.securityCode !== undefined)
    return ['Demo keys (ACCESS_KEY:SECURITY_CODE). The codes are shown only this once.', ...lines]
  return [
    'Demo keys. Lost a security code? Make a new one:',
    `  npx vitrine keys regenerate ${first.accessKey}`,
    ...lines,
  ]
}

// Runs unchanged in any POSIX shell with curl and sed, once the code is filled in.
function firstCall(certificate: string | null, base: string, [key]: readonly DemoKey[]): string[] {
  if (!key) return []
  const curl = `curl -s${certificate === null ? '' : ` --cacert ${quoteForShell(certificate)}`}`
  const credentials = `${key.accessKey}:${key.securityCode ?? 'SECURITY_CODE'}`
  const token = `${curl} -u ${credentials} -d grant_type=client_credentials ${base}/auth/token`
  return [
    'Try this in a second terminal, in this folder: sign in and read two products.',
    ...(key.securityCode === undefined ? ['Put the security code in place of SECURITY_CODE.'] : []),
    '',
    `${curl} -H "Authorization: Bearer $(${token} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')" "${base}/products?per_page=2"`,
  ]
}

const relativePath = (path: string) => {
  const near = relative(process.cwd(), path)
  return near.startsWith('..') ? path : near
}
