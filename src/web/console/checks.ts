// The checks of every request to the console, in order; the first one that refuses decides the answer.
import { timingSafeEqual } from 'node:crypto'
import { hashSecret } from '../../auth/secrets.ts'
import type { Check as CheckOf } from '../../http/answer-checked.ts'
import { refused, sentence } from './exchange.ts'
import type { Exchange, Place } from './request.ts'

type Check = CheckOf<Exchange>

const requireKnownHost: Check = ({ call, certificate, options }) =>
  options.hostRefusal(call.header('host'), certificate)

const requireMethod: Check = ({ call, place }) => {
  const methods = Object.keys(place?.methods ?? {})
  const allowed = methods.join(', ')
  if (!methods.includes(call.method)) return refused(405, 'method_not_allowed', { allowed }, { Allow: allowed })
}

// Every change must come from the console's own page.
const requireOwnPage: Check = ({ call }) => {
  if (call.method === 'GET') return
  const isOtherOrigin = call.header('origin').some((origin) => origin !== `https://${call.host}`)
  const isOtherSite = call.header('sec-fetch-site').some((site) => site !== 'same-origin' && site !== 'none')
  if (isOtherOrigin || isOtherSite) return refused(403, 'foreign_page')
}

// Refuses nothing yet. An automatic refresh (`unasked`) does not keep a session alive.
const findSession: Check = async (exchange) => {
  const { credential, query, options } = exchange
  if (credential !== null)
    exchange.session = await options.state.findSession(hashSecret(credential), !query.has('unasked'))
}

const requireSession: Check = ({ session }) => {
  if (!session) return refused(401, 'signed_out')
}

// The only place that tells the roles apart: what changes something is for administrators.
const requireRole: Check = ({ call, session }) => {
  if (session?.role === 'viewer' && call.method !== 'GET') return refused(403, 'viewer_only')
}

// Without a token in the settings, every caller of this listener may read the metrics.
const requireMetricsToken: Check = ({ call: { authorization, address }, options: { metricsToken, log } }) => {
  if (metricsToken === null || isMetricsToken(authorization, metricsToken)) return
  log.warn('metrics_refused', { address })
  return sentence(401, '/metrics wants the token of VITRINE_METRICS_TOKEN: Authorization: Bearer TOKEN.', {
    'WWW-Authenticate': `Bearer realm="metrics"${authorization.length > 0 ? ', error="invalid_token"' : ''}`,
  })
}

// Compares hashes, because timingSafeEqual needs equal lengths.
function isMetricsToken(authorization: readonly string[], token: string): boolean {
  const [, given = ''] = (authorization.length === 1 && /^bearer +(\S+) *$/i.exec(authorization[0] ?? '')) || []
  return timingSafeEqual(hashSecret(given), hashSecret(token))
}

const checksOf: Readonly<Record<Place['opens'], readonly Check[]>> = {
  'to all': [requireKnownHost, requireMethod, requireOwnPage, findSession],
  'to accounts': [requireKnownHost, requireMethod, requireOwnPage, findSession, requireSession, requireRole],
  'to the metrics token': [requireKnownHost, requireMetricsToken, requireMethod],
}
export const checksFor = (place: Place | undefined) => (place ? checksOf[place.opens] : [requireKnownHost])
