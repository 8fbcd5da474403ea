// POST /auth/token: the client credentials grant (RFC 6749, section 4.4). The order of its checks: routes/credentials.ts, with the
// grant type after the body.
import { readTokenRequest } from '../auth/credentials.ts'
import { hashSecret, makeAccessToken } from '../auth/secrets.ts'
import { ApiError } from '../errors.ts'
import { json } from '../http/exchange.ts'
import type { Route } from '../http/route.ts'
import { limits } from '../state/limits.ts'
import type { State } from '../state/state.ts'
import { checkCredentials } from './credentials.ts'

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
