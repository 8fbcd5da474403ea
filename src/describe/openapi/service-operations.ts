// The operations beside the resources: status, token, revocation, ping, resources, the document itself and the OAuth metadata.
import type { Permission } from '../../catalogue/access.ts'
import { limits } from '../../state/limits.ts'
import { describeSignIn, metadataPath, sampleOrigin } from '../oauth-metadata.ts'
import type { ResourceDescription } from '../resources.ts'
import { codesOf } from '../../errors.ts'
import { errorResponses } from './errors.ts'
import { answer, carried } from './headers.ts'
import { refer, type ByName, type ApiOperation, type PathItem } from './parts.ts'
import { credentials, needs, openToAll, openToAllOrTokens } from './security.ts'

const tag = { tags: ['service'] }

const status: ApiOperation = {
  operationId: 'getStatus',
  summary: 'Whether the service is there, and what arrived of the request.',
  description: 'Answers every caller, even while everything else is down. Send any Authorization header to test.',
  ...tag,
  security: openToAll,
  responses: {
    200: answer('The service is there.', 'Status', {
      status: 'ok',
      api: 'v1',
      enabled: true,
      authorization_header_received: false,
      https: true,
      time: '2026-09-14T10:32:05-04:00',
    }),
    ...errorResponses(codesOf.status),
  },
}

const headStatus: ApiOperation = {
  ...status,
  operationId: 'headStatus',
  summary: 'The same without a body, for uptime monitors.',
  description: 'The only route that answers HEAD.',
  responses: { ...status.responses, 200: { description: 'The service is there.', headers: carried() } },
}

const client = {
  client_id: 'svc_ak_Vitrine0Example0Access0',
  client_secret: 'svc_sk_Vitrine0Example0Security0Code000000000000',
}
const exampleToken = `svc_at_${'Vitrine0Example0Token'.padEnd(52, '0')}`

function body(schema: string, example: object): NonNullable<ApiOperation['requestBody']> {
  const media = { schema: refer('schemas', schema), example }
  return { required: true, content: { 'application/x-www-form-urlencoded': media, 'application/json': media } }
}

const token = (permission: Permission | undefined): ApiOperation => ({
  operationId: 'createToken',
  summary: `An access token for ${limits.tokenLifetimeMs / 1000} seconds (OAuth 2.0 client credentials).`,
  description:
    'The credentials are sent in the body, or as HTTP Basic; where the body holds both, it counts. ' +
    `An address may ask ${limits.tokenRequests} times a minute. After ${limits.failuresOfKey} failures with the same key, ` +
    `or ${limits.failuresOfAddress} from one address, the caller is blocked for ${limits.blockMs / 60_000} minutes.`,
  ...tag,
  security: credentials,
  requestBody: body('TokenRequest', { grant_type: 'client_credentials', ...client }),
  responses: {
    200: answer(
      'A new token; earlier ones stay valid until they expire.',
      'Token',
      {
        access_token: exampleToken,
        token_type: 'Bearer',
        expires_in: limits.tokenLifetimeMs / 1000,
        scope: permission ?? '',
      },
      'Pragma',
    ),
    ...errorResponses(codesOf.token, 'oauth'),
  },
})

const revoke: ApiOperation = {
  operationId: 'revokeToken',
  summary: 'Signs off: the token ends at once (RFC 7009).',
  description:
    'Credentials, failures and blocks are as on /auth/token; an address may ask as often, counted apart. ' +
    'A token that is not valid, or not of this key, is answered with 200 as well, and nothing happens to it.',
  ...tag,
  security: credentials,
  requestBody: body('RevocationRequest', { token: exampleToken, ...client }),
  responses: {
    200: answer('No request with this token is served any more.', 'Revocation', {}, 'Pragma'),
    ...errorResponses(codesOf.revocation, 'oauth'),
  },
}

const ping = (permission: Permission | undefined): ApiOperation => ({
  operationId: 'ping',
  summary: 'Who the token belongs to, and what it may do.',
  ...tag,
  security: needs(),
  responses: {
    200: answer('The token is valid.', 'Ping', {
      ok: true,
      client: 'Web shop',
      scopes: permission ? [permission] : [],
    }),
    ...errorResponses(codesOf.withToken),
  },
})

const describe = (described: readonly ResourceDescription[]): ApiOperation => ({
  operationId: 'describeResources',
  summary: 'The resources, fields, filters and sorts that the token may use.',
  ...tag,
  security: needs(),
  responses: {
    200: answer('What the token may use, and nothing else.', 'Resources', { data: described.slice(-1) }),
    ...errorResponses(codesOf.withToken),
  },
})

const openApi: ApiOperation = {
  operationId: 'getOpenApi',
  summary: 'This document.',
  description: 'Without a token it describes the whole API, with a token what that token may use.',
  ...tag,
  security: openToAllOrTokens,
  responses: {
    200: answer('An OpenAPI 3.1 document.', 'OpenApi', undefined),
    ...errorResponses(codesOf.openApi),
  },
}

interface ServiceAddress {
  readonly basePath: string
  readonly publicUrl: string | null
}

const metadata = (permissions: readonly Permission[], { basePath, publicUrl }: ServiceAddress): ApiOperation => ({
  operationId: 'getOAuthMetadata',
  summary: 'Where and how OAuth clients sign in (RFC 8414).',
  description:
    'For discovery, with the address of the service as the issuer. It is at the root of the host, beside the API, and open to every caller.',
  ...tag,
  servers: [{ url: publicUrl ?? '/' }],
  security: openToAll,
  responses: {
    200: answer(
      'The metadata of the authorization server.',
      'OAuthMetadata',
      describeSignIn(publicUrl ?? sampleOrigin, basePath, permissions),
    ),
    ...errorResponses(codesOf.status),
  },
})

export const servicePaths = (
  permissions: readonly Permission[],
  described: readonly ResourceDescription[],
  address: ServiceAddress,
): ByName<PathItem> => ({
  '/status': { get: status, head: headStatus },
  '/auth/token': { post: token(permissions[0]) },
  '/auth/revoke': { post: revoke },
  '/ping': { get: ping(permissions[0]) },
  '/resources': { get: describe(described) },
  '/openapi.json': { get: openApi },
  [metadataPath]: { get: metadata(permissions, address) },
})
