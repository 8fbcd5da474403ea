// Every route of the console, and the pipeline that they run through. checks.ts lists the checks.
import { answerChecked } from '../../http/answer-checked.ts'
import { compressed } from '../../http/compression.ts'
import type { Call, Reply } from '../../http/exchange.ts'
import { transportSecurity } from '../../http/replies.ts'
import type { Certificate } from '../../http/tls.ts'
import { pageHeaders } from '../page/bundle.ts'
import { changeAccount, endAccount, listAccounts, makeAccount } from './account-routes.ts'
import { downloadAudit, showAudit } from './audit-routes.ts'
import { checksFor } from './checks.ts'
import { setCompany, showChoices, showCompany, showHealth, showVolume } from './company-routes.ts'
import { readCredential, refused, sentence } from './exchange.ts'
import { consoleFile } from './files.ts'
import {
  changeKey,
  endKey,
  endOldCode,
  listKeys,
  makeKey,
  newCode,
  previewKey,
  rotateCode,
  showKey,
  showUnused,
} from './key-routes.ts'
import { PasswordQueueFull } from './password.ts'
import type { ConsoleOptions, Exchange, OpenRoute, Place, Route } from './request.ts'
import { choosePassword, showSession, signEverybodyOut, signIn, signOut } from './sessions.ts'
import { clearBlocks, downloadUsage, showBlocks, showUsage } from './usage-routes.ts'

const showMetrics: OpenRoute = async ({ metrics }, { certificate }) => ({
  status: 200,
  headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' },
  body: await metrics(certificate),
})

const toAll = (methods: Place['methods']): Place => ({ opens: 'to all', methods })
// requireSession has made sure of a session.
const toAccounts = (methods: Readonly<Record<string, Route>>): Place => ({ opens: 'to accounts', methods }) as Place

export const consoleRoutes = new Map<string, Place>([
  ['/metrics', { opens: 'to the metrics token', methods: { GET: showMetrics } }],
  // Open to viewers in every method: their own session and password.
  ['/api/session', toAll({ GET: showSession, POST: signIn, DELETE: signOut })],
  ['/api/password', toAll({ POST: choosePassword })],
  ['/api/sessions', toAccounts({ DELETE: signEverybodyOut })],
  ['/api/accounts', toAccounts({ GET: listAccounts, POST: makeAccount })],
  ['/api/accounts/{name}', toAccounts({ PATCH: changeAccount, DELETE: endAccount })],
  ['/api/keys', toAccounts({ GET: listKeys, POST: makeKey })],
  ['/api/keys/{name}', toAccounts({ GET: showKey, PATCH: changeKey, DELETE: endKey })],
  ['/api/keys/{name}/code', toAccounts({ POST: newCode })],
  ['/api/keys/{name}/rotation', toAccounts({ POST: rotateCode, DELETE: endOldCode })],
  ['/api/keys/{name}/preview', toAccounts({ GET: previewKey })],
  ['/api/unused', toAccounts({ GET: showUnused })],
  ['/api/choices', toAccounts({ GET: showChoices })],
  ['/api/usage', toAccounts({ GET: showUsage })],
  ['/api/usage.csv', toAccounts({ GET: downloadUsage })],
  ['/api/audit', toAccounts({ GET: showAudit })],
  ['/api/audit.csv', toAccounts({ GET: downloadAudit })],
  ['/api/blocks', toAccounts({ GET: showBlocks })],
  ['/api/blocks/{name}', toAccounts({ DELETE: clearBlocks })],
  ['/api/company', toAccounts({ GET: showCompany, PUT: setCompany })],
  ['/api/health', toAccounts({ GET: showHealth })],
  ['/api/volume', toAccounts({ GET: showVolume })],
])

export type HandleConsole = (call: Call, certificate: Certificate) => Promise<Reply>

export const createConsole =
  (options: ConsoleOptions): HandleConsole =>
  async (call, certificate) => {
    const query = new URLSearchParams(call.query)
    const { place, subject } = findPlace(call.path, query)
    const credential = readCredential(call)
    const exchange: Exchange = { call, query, certificate, options, place, subject, credential, session: null }
    const reply = await answerChecked(exchange, checksFor(place), answer, (cause) => {
      if (cause instanceof PasswordQueueFull)
        return refused(429, 'rate_limited', { seconds: 2 }, { 'Retry-After': '2' })
      options.log.error(place?.opens === 'to the metrics token' ? 'metrics_failed' : 'console_failed', { cause })
      return refused(500, 'internal_error')
    })
    const { status } = reply
    if (place?.opens === 'to all' && [401, 403, 429].includes(status))
      options.log.warn('console_sign_in_refused', { address: call.address, path: call.path, status })
    const headers = { ...transportSecurity, ...plainHeaders, ...reply.headers }
    return compressed({ ...reply, headers }, call.acceptEncoding)
  }

const plainHeaders = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff', ...pageHeaders }

const httpsRequired = sentence(
  403,
  'The console answers over HTTPS only: write https:// instead of http:// in its address.',
)
// For plain HTTP, whatever is asked for.
export const httpsRequiredReply: Reply = { ...httpsRequired, headers: { ...plainHeaders, ...httpsRequired.headers } }

async function answer(exchange: Exchange): Promise<Reply> {
  const { method, path } = exchange.call
  const route = exchange.place?.methods[method]
  if (route) return route(exchange.options, exchange)
  const file = method === 'GET' || method === 'HEAD' ? await consoleFile(path) : undefined
  return file ?? refused(404, 'not_found')
}

// `subject` stands in place of {name} in the path.
function findPlace(path: string, query: URLSearchParams): Pick<Exchange, 'place' | 'subject'> {
  const parts = path.split('/')
  const encoded = parts[3] ?? ''
  const name = (encoded === '' ? parts.toSpliced(3, 1) : parts.with(3, '{name}')).join('/')
  try {
    const subject = decodeURIComponent(encoded)
    // PostgreSQL refuses a text with NUL.
    const isText = ![subject, ...query.values()].some((value) => value.includes('\0'))
    return { place: isText ? consoleRoutes.get(name) : undefined, subject }
  } catch {
    return { place: undefined, subject: '' }
  }
}
