// What a person reads when the service has started: addresses, what to do first, and on the first start the demo keys.
import { relative } from 'node:path'
import process from 'node:process'
import { basePath } from '../app.ts'
import { quoteForShell } from '../platform/files.ts'
import type { NewKey } from '../keys/keys.ts'
import type { RunningService } from '../service.ts'
import type { Settings } from '../settings/table.ts'

interface FirstThings {
  readonly newKeys: readonly NewKey[]
  // Sets the password of the console; null: one is set.
  readonly link: string | null
  readonly isDemo: boolean
}

export function welcome(settings: Settings, service: RunningService, { newKeys, link, isDemo }: FirstThings): string {
  const host = nearHost(settings.host)
  const base = `https://${host}:${service.https}${basePath}`
  const console = `https://${nearHost(settings.consoleHost)}:${service.console}`
  const paragraphs = [
    [
      'Vitrine is listening.',
      `  API      ${base}`,
      `  Docs     https://${host}:${service.https}/docs`,
      `  Plain    http://${host}:${service.http} (${plainWords(settings)})`,
      `  Console  ${console}`,
      `  Metrics  ${console}/metrics${settings.metricsToken === null ? '' : ' (with VITRINE_METRICS_TOKEN)'}`,
    ],
    service.before.map(
      (pid) => `Process ${pid}, which served here before, was told to stop: this one has taken its place.`,
    ),
    linkWords(console, link),
    certificateWords(service),
    keyWords(newKeys),
    firstCall(service, base, newKeys, isDemo),
  ]
  const shown = paragraphs.filter((lines) => lines.length > 0)
  return `\n${shown.map((lines) => lines.join('\n')).join('\n\n')}\n`
}

// Whoever listens everywhere is also to be found here.
function nearHost(host: string): string {
  const near = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host
  return near.includes(':') ? `[${near}]` : near
}

const plainWords = ({ trustProxy }: Settings) =>
  trustProxy.length > 0 ? 'serves trusted proxies alone' : 'answers 403 https_required'

// After a #: a browser sends that nowhere.
function linkWords(console: string, link: string | null): string[] {
  if (link === null) return []
  return [
    'The console has no password yet. This link sets it, once, within a day ("npx vitrine admin password" does so, too):',
    `  ${console}/#link=${link}`,
  ]
}

function certificateWords({ developmentCertificate: own }: RunningService): string[] {
  if (!own) return []
  return [
    `The certificate is self-signed, for development only: ${shownPath(own.path)}`,
    'Name a real one in VITRINE_TLS_CERT and VITRINE_TLS_KEY.',
  ]
}

function keyWords(newKeys: readonly NewKey[]): string[] {
  if (newKeys.length === 0) return []
  return [
    'Demo keys. The security codes are shown this once; "npx vitrine keys regenerate KEY" makes a new one.',
    ...newKeys.flatMap(({ key, securityCode }) => ['', `  ${key.name}`, `    ${key.accessKey}`, `    ${securityCode}`]),
  ]
}

// The line works as it stands, in any POSIX shell, with nothing but curl and sed.
function firstCall(
  { developmentCertificate: own }: RunningService,
  base: string,
  newKeys: readonly NewKey[],
  isDemo: boolean,
): string[] {
  const [first] = newKeys
  if (!first) {
    const lost = '"keys list" shows the keys there are, "keys regenerate KEY" makes a new code for one.'
    return isDemo ? [`Lost the codes of the first start? ${lost}`] : []
  }
  const curl = `curl -s${own ? ` --cacert ${quoteForShell(shownPath(own.path))}` : ''}`
  const credentials = `${first.key.accessKey}:${first.securityCode}`
  const token = `${curl} -u ${credentials} -d grant_type=client_credentials ${base}/auth/token`
  return [
    'Your first call: sign in and read two products.',
    '',
    `${curl} -H "Authorization: Bearer $(${token} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')" "${base}/products?per_page=2"`,
  ]
}

const shownPath = (path: string) => {
  const near = relative(process.cwd(), path)
  return near.startsWith('..') ? path : near
}
