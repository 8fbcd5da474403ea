// The schemas of the answers of operations beside the resources.
import type { Permission } from '../../catalogue/access.ts'
import { limits } from '../../state/limits.ts'
import { arrayOf, closed, refer, type ByName, type Schema } from './parts.ts'

const text = { type: 'string' }
const texts = arrayOf(text)
const place = { type: 'string', enum: ['list', 'detail'] }

// A key may have lost every permission of its token, and an empty enum is not valid.
const oneOf = (permissions: readonly Permission[]): Schema =>
  permissions.length > 0 ? { type: 'string', enum: permissions } : text

const field = (permissions: readonly Permission[]): Schema =>
  closed(
    {
      name: text,
      type: { type: 'string', enum: ['integer', 'number', 'string', 'boolean', 'array'] },
      format: { type: 'string', enum: ['date-time', 'date'] },
      values: texts,
      in: place,
      permission: oneOf(permissions),
      items: arrayOf({ ...refer('schemas', 'ResourceField') }),
    },
    ['format', 'values', 'permission', 'items'],
  )

const filter = closed(
  {
    name: text,
    type: { type: 'string', enum: ['string', 'integer', 'date', 'date-time'] },
    values: texts,
    multiple: { const: true },
    default: text,
  },
  ['values', 'multiple', 'default'],
)

const credentials = {
  client_id: { type: 'string', description: 'The access key.' },
  client_secret: { type: 'string', description: 'The security code.' },
}
const address = { type: 'string', format: 'uri' }

export const serviceSchemas = (permissions: readonly Permission[]): ByName<Schema> => ({
  Status: closed({
    status: { const: 'ok' },
    api: { const: 'v1' },
    enabled: { type: 'boolean', description: 'Whether the company has a subscription.' },
    authorization_header_received: { type: 'boolean' },
    https: { type: 'boolean' },
    time: { type: 'string', format: 'date-time', description: 'The local time of the company, with its offset.' },
  }),
  TokenRequest: {
    type: 'object',
    properties: {
      grant_type: { const: 'client_credentials' },
      ...credentials,
      scope: { type: 'string', description: 'Permissions separated by blanks, for a token that may do less.' },
    },
    required: ['grant_type'],
  },
  Token: closed({
    access_token: { type: 'string', pattern: '^svc_at_[A-Za-z0-9]{52}$' },
    token_type: { const: 'Bearer' },
    expires_in: { const: limits.tokenLifetimeMs / 1000, description: 'Seconds.' },
    scope: { type: 'string', description: 'The granted permissions, separated by blanks.' },
  }),
  RevocationRequest: {
    type: 'object',
    properties: {
      token: { type: 'string', description: 'The access token.' },
      token_type_hint: { type: 'string', description: 'Ignored: there is one type of token.' },
      ...credentials,
    },
    required: ['token'],
  },
  Revocation: closed({}),
  OAuthMetadata: closed({
    issuer: address,
    token_endpoint: address,
    revocation_endpoint: address,
    grant_types_supported: texts,
    response_types_supported: texts,
    token_endpoint_auth_methods_supported: texts,
    revocation_endpoint_auth_methods_supported: texts,
    scopes_supported: texts,
    service_documentation: address,
  }),
  Ping: closed(
    {
      ok: { const: true },
      client: { type: 'string', description: 'The name of the client system.' },
      scopes: arrayOf(oneOf(permissions), { uniqueItems: true }),
      data_lag_seconds: {
        type: 'number',
        minimum: 0,
        description: 'How far the data is behind the tills, where it is read from a copy.',
      },
    },
    ['data_lag_seconds'],
  ),
  Resources: closed({
    data: arrayOf(
      closed(
        {
          name: text,
          path: text,
          changes: text,
          permission: oneOf(permissions),
          fields: arrayOf({ ...refer('schemas', 'ResourceField') }),
          filters: arrayOf(filter),
          search: texts,
          sort: closed({ fields: texts, default: text }),
        },
        ['changes'],
      ),
    ),
  }),
  ResourceField: field(permissions),
  OpenApi: {
    type: 'object',
    properties: {
      openapi: { const: '3.1.0' },
      info: { type: 'object' },
      paths: { type: 'object' },
      components: { type: 'object' },
    },
    required: ['openapi', 'info', 'paths', 'components'],
  },
})
