// POST /auth/revoke: a client ends one of its tokens (RFC 7009). The answer is the same for any other token, so that it tells
// nothing.
import { readRevocation } from '../auth/credentials.ts'
import { hashSecret } from '../auth/secrets.ts'
import { ApiError } from '../errors.ts'
import { json } from '../http/exchange.ts'
import type { Route } from '../http/route.ts'
import type { State } from '../state/state.ts'
import { checkCredentials } from './credentials.ts'

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
