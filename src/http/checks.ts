// The checks of every request, in the order in which they are made: the first that fails answers. Parameters and the
// record itself, the last two, are checked by the routes. Those that take credentials have an order of their own (routes/credentials.ts).
import { readBearer } from '../auth/bearer.ts'
import { hashSecret, isOurToken } from '../auth/secrets.ts'
import { ApiError } from '../errors.ts'
import type { Admission, Caller, State, Window } from '../state/state.ts'
import type { AnonymousWindows } from './anonymous-windows.ts'
import type { Call } from './exchange.ts'
import type { RefusedTokens } from './refused-tokens.ts'
import type { Found } from './route.ts'

// What is known of a request so far.
export interface Exchange {
  readonly call: Call
  readonly found: Found | undefined
  readonly state: State
  readonly anonymous: AnonymousWindows
  readonly refused: RefusedTokens
  admission?: Admission | { readonly down: unknown }
  caller?: Caller
  // The key that a token request names, for the log.
  triedKey?: string
  // The window that the headers of the answer show.
  window?: Window
}

type Check = (exchange: Exchange) => Promise<void> | void

const realm = 'realm="Vitrine"'

const requireHttps: Check = ({ call }) => {
  if (!call.isSecure) throw new ApiError('https_required')
}

// Not a check yet: a valid token counts whatever the answer will be, so it is looked at before the path. The state is asked
// only for tokens that we have made, so that a flood of others costs it nothing.
const admitToken: Check = async (exchange) => {
  const { call, found, state, anonymous, refused } = exchange
  const bearer = readBearer(call.authorization)
  if ('error' in bearer || found?.route.opens === 'to all') return
  await hear(exchange, async () => {
    if (!isOurToken(bearer.token, await state.tokenKey())) return undefined
    const tokenHash = hashSecret(bearer.token)
    if (refused.has(tokenHash, call.fullAddress) && anonymous.isUsedUp(call.address)) return undefined
    const admission = await state.admit(tokenHash, call.fullAddress)
    if (!admission.admitted) refused.add(tokenHash, call.fullAddress)
    return admission
  })
  // The token route shows the window of the address, not of a key.
  if (exchange.found?.route.opens === 'to credentials') delete exchange.window
}

const requirePath: Check = ({ found }) => {
  if (!found) throw new ApiError('not_found')
}

const requireMethod: Check = ({ call, found }) => {
  if (!found || call.method === found.route.method) return
  if (!(call.method === 'HEAD' && found.route.answersHead))
    throw new ApiError('method_not_allowed', { headers: { Allow: found.route.method } })
}

const requireSubscription: Check = async (exchange) => {
  if (!exchange.admission) await hear(exchange, () => exchange.state.admit(null))
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

const requirePermission: Check = ({ caller, found }) => {
  const permission = found?.route.opens === 'to tokens' ? found.route.permission : undefined
  if (permission === undefined || caller?.permissions.includes(permission)) return
  throw new ApiError('insufficient_scope', {
    message: `The access token does not hold the permission ${permission}.`,
    headers: { 'WWW-Authenticate': `Bearer ${realm}, error="insufficient_scope", scope="${permission}"` },
  })
}

// Callers without a valid token have a window of their own, by address. It is looked at before the state is asked for them.
const requireAnonymousRate: Check = (exchange) => {
  const { admission, caller } = exchange
  if (caller || (admission && 'down' in admission)) return
  exchange.window = exchange.anonymous.count(exchange.call.address)
  requireRate(exchange)
}

export const commonChecks: readonly Check[] = [requireHttps, admitToken, requirePath, requireMethod]

export const checksOf: Readonly<Record<Found['route']['opens'], readonly Check[]>> = {
  'to all': [requireAnonymousRate],
  'to all or tokens': [requireAnonymousRate, requireSubscription, requireTokenIfSent, requireRate],
  'to credentials': [],
  'to tokens': [requireAnonymousRate, requireSubscription, requireToken, requireRate, requirePermission],
}

const notEnabledRetrySeconds = 3600
export const notEnabled = () => new ApiError('api_not_enabled', { retryAfter: notEnabledRetrySeconds })

// If the state cannot answer, the request goes on as not admitted, up to the first check that needs the state.
async function hear(exchange: Exchange, ask: () => Promise<Admission | undefined>) {
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
