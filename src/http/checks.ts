// The checks of every request, in order; the first one that fails decides the answer. Parameters and the record, the last two, are
// checked by the routes. Routes that take credentials have their own order (routes/auth.ts).
import { readBearer } from '../auth/credentials.ts'
import type { rememberHashes } from '../auth/secrets.ts'
import { ApiError, missingPermission } from '../errors.ts'
import type { Admission, Caller, State, Window } from '../state/state.ts'
import type { Check as CheckOf } from './answer-checked.ts'
import type { AnonymousWindows } from './anonymous-windows.ts'
import type { Call } from './exchange.ts'
import type { RefusedTokens } from './refused-tokens.ts'
import type { RouteMatch } from './route.ts'

// What the checks have found out about a request so far.
export interface Exchange {
  readonly call: Call
  readonly match: RouteMatch | undefined
  readonly state: State
  readonly anonymous: AnonymousWindows
  readonly refused: RefusedTokens
  readonly hashOf: ReturnType<typeof rememberHashes>
  admission?: Admission | { readonly down: unknown }
  caller?: Caller
  // The key that a token request names; for the log.
  triedKey?: string
  // For the headers of the answer.
  window?: Window
}

type Check = CheckOf<Exchange>

const realm = 'realm="Vitrine"'

const requireHttps: Check = ({ call }) => {
  if (!call.isSecure) throw new ApiError('https_required')
}

// Refuses nothing yet. A valid token counts in its window whatever the answer is, so it is read before the path. The state is asked
// only about tokens that we have issued, so that a flood of invented ones does not reach it.
const admitToken: Check = async (exchange) => {
  const { call, match, state, anonymous, refused, hashOf } = exchange
  const bearer = readBearer(call.authorization)
  if ('error' in bearer || match?.route.opens === 'to all') return
  await keepAdmission(exchange, async () => {
    const tokenHash = hashOf(bearer.token, await state.tokenKey())
    if (!tokenHash) return undefined
    if (refused.has(tokenHash, call.fullAddress) && anonymous.isUsedUp(call.address)) return undefined
    const admission = await state.admit(tokenHash, call.fullAddress)
    if (!admission.admitted) refused.add(tokenHash, call.fullAddress)
    return admission
  })
  // The token route shows the window of the address, not of a key.
  if (match?.route.opens === 'to credentials') delete exchange.window
}

const requirePath: Check = ({ match }) => {
  if (!match) throw new ApiError('not_found')
}

const requireMethod: Check = ({ call, match }) => {
  if (!match || call.method === match.route.method) return
  if (!(call.method === 'HEAD' && match.route.answersHead))
    throw new ApiError('method_not_allowed', { headers: { Allow: match.route.method } })
}

const requireSubscription: Check = async (exchange) => {
  if (!exchange.admission) await keepAdmission(exchange, () => exchange.state.admit(null))
  const { admission } = exchange
  if (!admission || 'down' in admission)
    throw new ApiError('temporarily_unavailable', { retryAfter: 1, cause: admission?.down })
  if (!admission.isEnabled) throw notEnabled()
}

const requireToken: Check = (exchange) => {
  if (exchange.caller) return
  const bearer = readBearer(exchange.call.authorization)
  const code = 'error' in bearer ? bearer.error : 'invalid_token'
  // RFC 6750, section 3.1: a request without any token gets no error code in the header.
  const challenge = code === 'missing_token' ? `Bearer ${realm}` : `Bearer ${realm}, error="${code}"`
  throw new ApiError(code, { headers: { 'WWW-Authenticate': challenge } })
}

const requireTokenIfSent: Check = (exchange) => {
  const bearer = readBearer(exchange.call.authorization)
  const isSent = !('error' in bearer) || bearer.error === 'invalid_token'
  if (isSent) return requireToken(exchange)
}

function requireRate({ window }: Exchange) {
  if (window?.isExceeded) throw new ApiError('rate_limited', { retryAfter: window.resetSeconds })
}

const requirePermission: Check = ({ caller, match }) => {
  const permission = match?.route.opens === 'to tokens' ? match.route.permission : undefined
  if (permission === undefined || caller?.permissions.includes(permission)) return
  throw new ApiError('insufficient_scope', {
    message: missingPermission(permission),
    headers: { 'WWW-Authenticate': `Bearer ${realm}, error="insufficient_scope", scope="${permission}"` },
  })
}

// Callers without a valid token have a window by address. It is checked before the state is asked.
const requireAnonymousRate: Check = (exchange) => {
  const { admission, caller } = exchange
  if (caller || (admission && 'down' in admission)) return
  exchange.window = exchange.anonymous.count(exchange.call.address)
  requireRate(exchange)
}

const commonChecks: readonly Check[] = [requireHttps, admitToken, requirePath, requireMethod]

const checksOf: Readonly<Record<RouteMatch['route']['opens'], readonly Check[]>> = {
  'to all': [requireAnonymousRate],
  'to all or tokens': [requireAnonymousRate, requireSubscription, requireTokenIfSent, requireRate],
  'to credentials': [],
  'to tokens': [requireAnonymousRate, requireSubscription, requireToken, requireRate, requirePermission],
}
export const checksFor = (match: RouteMatch | undefined): readonly Check[] =>
  match ? [...commonChecks, ...checksOf[match.route.opens]] : commonChecks

const notEnabledRetrySeconds = 3600
export const notEnabled = () => new ApiError('api_not_enabled', { retryAfter: notEnabledRetrySeconds })

// If the state does not answer, the request continues as not admitted until a check needs the state.
async function keepAdmission(exchange: Exchange, ask: () => Promise<Admission | undefined>) {
  try {
    const admission = await ask()
    if (!admission) return
    exchange.admission = admission
    if (!admission.admitted) return
    exchange.caller = admission.admitted.caller
    exchange.window = admission.admitted.window
  } catch (cause) {
    exchange.admission = { down: cause }
  }
}
