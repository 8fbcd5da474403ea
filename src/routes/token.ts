// POST /auth/token: the client credentials grant (RFC 6749, section 4.4). The order of its checks: subscription, block,
// rate of the address, body, grant type, credentials, scope. The state makes all that depend on it in one step.
import { readTokenRequest } from '../auth/credentials.ts'
import { hashSecret, looksLikeAccessKey, makeToken } from '../auth/secrets.ts'
import { ApiError } from '../errors.ts'
import { notEnabled } from '../http/checks.ts'
import { json } from '../http/exchange.ts'
import type { Route } from '../http/route.ts'
import { limits } from '../state/limits.ts'
import type { State, TokenOutcome } from '../state/state.ts'

export const tokenRoute = (state: State): Route => ({
  method: 'POST',
  opens: 'to credentials',
  async answer(call, note) {
    const request = readTokenRequest(call.contentType, await call.body(), call.authorization)
    const isReadable = request.problem === null && request.grantType === 'client_credentials'
    // Only what looks like a key: a caller may have put a secret in its place.
    if (looksLikeAccessKey(request.accessKey)) note({ accessKey: request.accessKey })
    const token = makeToken()
    const outcome = await requestToken(state, {
      address: call.address,
      accessKey: request.accessKey,
      codeHash: request.securityCode === null ? null : hashSecret(request.securityCode),
      isReadable,
      scope: request.scope,
      tokenHash: hashSecret(token),
    })
    note({ window: outcome.window })
    switch (outcome.is) {
      case 'not enabled':
        throw notEnabled()
      case 'blocked':
        throw new ApiError('too_many_attempts', { retryAfter: outcome.retryAfterSeconds })
      case 'rate limited':
        throw new ApiError('rate_limited', { retryAfter: outcome.window.resetSeconds })
      case 'unreadable':
        if (request.problem !== null) throw new ApiError('invalid_request', { message: request.problem })
        if (request.grantType === null) throw new ApiError('invalid_request', { message: 'grant_type is missing.' })
        throw new ApiError('unsupported_grant_type')
      case 'refused':
        throw new ApiError('invalid_client', {
          headers: request.usedBasic ? { 'WWW-Authenticate': 'Basic realm="Vitrine"' } : {},
        })
      case 'scope not held':
        throw new ApiError('invalid_scope')
      case 'granted':
        return json({
          access_token: token,
          token_type: 'Bearer',
          expires_in: limits.tokenLifetimeMs / 1000,
          scope: outcome.permissions.join(' '),
        })
    }
  },
})

async function requestToken(state: State, attempt: Parameters<State['requestToken']>[0]): Promise<TokenOutcome> {
  try {
    return await state.requestToken(attempt)
  } catch (cause) {
    throw new ApiError('temporarily_unavailable', { retryAfter: 1, cause })
  }
}
