// GET /.well-known/oauth-authorization-server: lets OAuth clients find the token endpoint (RFC 8414). It needs no token, because it
// holds no data of the company.
import { permissions } from '../catalogue/permissions.ts'
import { describeSignIn } from '../describe/oauth-metadata.ts'
import { ApiError } from '../errors.ts'
import { json } from '../http/exchange.ts'
import type { Route } from '../http/route.ts'
import { readOrigin } from '../settings/types.ts'

// Without a public address the answer names the host of the request: a client compares the issuer with the address it was given,
// which TLS has verified. Answers are never cached, so no other client reads it.
export const oauthMetadataRoute = (basePath: string, publicUrl: string | null): Route => ({
  method: 'GET',
  opens: 'to all',
  answer(call) {
    const origin = publicUrl ?? readOrigin(`https://${call.host ?? ''}`)
    if (origin === undefined) throw new ApiError('bad_request', { message: 'The Host header is missing or not valid.' })
    return json(describeSignIn(origin, basePath, permissions))
  },
})
