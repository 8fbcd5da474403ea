// The OAuth metadata (RFC 8414): where and how clients sign in. The issuer is the origin of the service, so the metadata is at the
// root: /.well-known/oauth-authorization-server.
import type { Permission } from '../catalogue/access.ts'

export const metadataPath = '/.well-known/oauth-authorization-server'

// As in the guides: a service on this machine.
export const sampleOrigin = 'https://127.0.0.1:8443'

const authenticationMethods = ['client_secret_basic', 'client_secret_post']

export const describeSignIn = (origin: string, basePath: string, permissions: readonly Permission[]) => ({
  issuer: origin,
  token_endpoint: `${origin}${basePath}/auth/token`,
  revocation_endpoint: `${origin}${basePath}/auth/revoke`,
  grant_types_supported: ['client_credentials'],
  // Required by RFC 8414, though there is no authorization endpoint.
  response_types_supported: [],
  token_endpoint_auth_methods_supported: authenticationMethods,
  revocation_endpoint_auth_methods_supported: authenticationMethods,
  scopes_supported: permissions,
  service_documentation: `${origin}/docs`,
})
