// Where and how clients sign in, as OAuth clients discover it (RFC 8414). The issuer is the origin of the service, so that its
// metadata stands at the root: /.well-known/oauth-authorization-server.
import type { Permission } from '../catalogue/access.ts'

export const metadataPath = '/.well-known/oauth-authorization-server'

// Of a service on this machine, as the guides have it.
export const sampleOrigin = 'https://127.0.0.1:8443'

const authenticationMethods = ['client_secret_basic', 'client_secret_post']

export const describeSignIn = (origin: string, basePath: string, permissions: readonly Permission[]) => ({
  issuer: origin,
  token_endpoint: `${origin}${basePath}/auth/token`,
  revocation_endpoint: `${origin}${basePath}/auth/revoke`,
  grant_types_supported: ['client_credentials'],
  // There is no authorization endpoint; RFC 8414 wants the list all the same.
  response_types_supported: [],
  token_endpoint_auth_methods_supported: authenticationMethods,
  revocation_endpoint_auth_methods_supported: authenticationMethods,
  scopes_supported: permissions,
  service_documentation: `${origin}/docs`,
})
