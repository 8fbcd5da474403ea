// GET /.well-known/oauth-authorization-server: how OAuth clients find the token endpoint by the address of the service alone
// (RFC 8414). It holds nothing of the company's and opens to anybody, as the documentation page does.
import { permissions } from '../catalogue/access.ts'
import { describeSignIn } from '../describe/oauth-metadata.ts'
import { ApiError } from '../errors.ts'
import { json } from '../http/exchange.ts'
import type { Route } from '../http/route.ts'
import { readOrigin } from '../settings/public-url.ts'

// Without a public address the answer names the host that the request was sent to: a client compares the issuer with the address it
// was given, and its TLS has checked that host already. Nobody else reads that answer, for answers are never cached.
export const oauthMetadataRoute = (basePath: string, publicUrl: string | null): Route => ({
  method: 'GET',
  opens: 'to all',
  answer(call) {
    const origin = publicUrl ?? readOrigin(`https://${call.host ?? ''}`)
    if (origin === undefined) throw new ApiError('bad_request', { message: 'The Host header is missing or not valid.' })
    return json(describeSignIn(origin, basePath, permissions))
  },
})
