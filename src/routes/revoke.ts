// POST /auth/revoke: a client signs off (RFC 7009). The token it names ends, if it is one of its own; about any other it learns
// nothing, so all are answered alike.
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
  use: 'revocation',
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
