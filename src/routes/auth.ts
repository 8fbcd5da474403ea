// POST /auth/token, the client credentials grant (RFC 6749, section 4.4), and POST /auth/revoke, by which a client ends one of its tokens
// (RFC 7009). The order of the checks: subscription, block, rate limit of the address, body, grant type, credentials, scope.
import { readRevocation, readTokenRequest, type CredentialsRequest } from '../auth/credentials.ts'
import { hashSecret, looksLikeAccessKey, makeAccessToken } from '../auth/secrets.ts'
import { ApiError } from '../errors.ts'
import { notEnabled } from '../http/checks.ts'
import { json, type Call } from '../http/exchange.ts'
import type { Note, Route } from '../http/route.ts'
import { limits } from '../state/limits.ts'
import type { State, TokenAttempt, TokenOutcome } from '../state/state.ts'

export const tokenRoute = (state: State): Route => ({
  method: 'POST',
  opens: 'to credentials',
  purpose: 'token',
  async answer(call, note) {
    const request = readTokenRequest(call.contentType, await call.body(), call.authorization)
    const { grantType, scope } = request
    let token = ''
    const { permissions } = await checkCredentials({
      call,
      note,
      request,
      fault: grantFault(grantType),
      async ask(attempt) {
        token = makeAccessToken(await state.tokenKey())
        return state.requestToken({ ...attempt, scope, tokenHash: hashSecret(token) })
      },
    })
    return json({
      access_token: token,
      token_type: 'Bearer',
      expires_in: limits.tokenLifetimeMs / 1000,
      scope: permissions.join(' '),
    })
  },
})

function grantFault(grantType: string | null): ApiError | null {
  if (grantType === null) return new ApiError('invalid_request', { message: 'grant_type is missing.' })
  return grantType === 'client_credentials' ? null : new ApiError('unsupported_grant_type')
}

// The answer is the same for a token of another client, so that it tells nothing.
export const revokeRoute = (state: State): Route => ({
  method: 'POST',
  opens: 'to credentials',
  purpose: 'revocation',
  async answer(call, note) {
    const request = readRevocation(call.contentType, await call.body(), call.authorization)
    const { token } = request
    await checkCredentials({
      call,
      note,
      request,
      fault: token === null ? new ApiError('invalid_request', { message: 'token is missing.' }) : null,
      ask: (attempt) => state.revokeToken({ ...attempt, tokenHash: hashSecret(token ?? '') }),
    })
    return json({})
  },
})

interface CredentialsCheck {
  readonly call: Call
  readonly note: Note
  readonly request: CredentialsRequest
  // A fault of the parameters, if the body could be read.
  readonly fault: ApiError | null
  readonly ask: (attempt: Omit<TokenAttempt, 'scope' | 'tokenHash'>) => Promise<TokenOutcome>
}

type Granted = Extract<TokenOutcome, { is: 'granted' }>

// The state checks credentials in one step with everything that depends on them; its refusals become errors.
async function checkCredentials({ call, note, request, fault, ask }: CredentialsCheck): Promise<Granted> {
  const { accessKey, securityCode, problem, usedBasic } = request
  const unreadable = problem === null ? fault : new ApiError('invalid_request', { message: problem })
  // Only a text that looks like a key: a caller may have sent a secret in its place.
  if (looksLikeAccessKey(accessKey)) note({ accessKey })
  const answer = ask({
    address: call.address,
    fullAddress: call.fullAddress,
    accessKey,
    codeHash: securityCode === null ? null : hashSecret(securityCode),
    isReadable: unreadable === null,
  })
  const outcome = await answer.catch((cause: unknown) => {
    throw new ApiError('temporarily_unavailable', { retryAfter: 1, cause })
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
      throw unreadable ?? new ApiError('invalid_request')
    case 'refused':
      throw new ApiError('invalid_client', {
        headers: usedBasic ? { 'WWW-Authenticate': 'Basic realm="Vitrine"' } : {},
      })
    case 'scope not held':
      throw new ApiError('invalid_scope')
    case 'granted':
      return outcome
  }
}
