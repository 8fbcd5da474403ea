// The schemas of the answers of operations beside the resources.
import type { Permission } from '../../catalogue/access.ts'
import { limits } from '../../state/limits.ts'
import { arrayOf, closed, refer, type ByName, type Schema } from './parts.ts'

const text = { type: 'string' }
const texts = arrayOf(text)

const described = (schema: Schema, description: string): Schema => ({ ...schema, description })

// A key may have lost every permission of its token, and an empty enum is not valid.
const oneOf = (permissions: readonly Permission[]): Schema =>
  permissions.length > 0 ? { type: 'string', enum: permissions } : text

const field = (permissions: readonly Permission[]): Schema =>
  closed(
    {
      name: described(text, 'How records call the field.'),
      type: {
        type: 'string',
        enum: ['integer', 'number', 'string', 'boolean', 'array'],
        description: 'The JSON type of its values.',
      },
      format: { type: 'string', enum: ['date-time', 'date'], description: 'How a time or a day is written.' },
      values: described(texts, 'All that it can hold, where that is limited.'),
      in: {
        type: 'string',
        enum: ['list', 'detail'],
        description: '`list`: in lists and details; `detail`: in details only.',
      },
      permission: described(oneOf(permissions), 'The permission that shows it.'),
      items: arrayOf(
        { ...refer('schemas', 'ResourceField') },
        { description: 'The fields of each entry of an array.' },
      ),
    },
    ['format', 'values', 'permission', 'items'],
  )

const filter = closed(
  {
    name: described(text, 'The parameter that sets the filter.'),
    type: {
      type: 'string',
      enum: ['string', 'integer', 'date', 'date-time'],
      description: 'How a value is written.',
    },
    values: described(texts, 'All that it takes, where that is limited.'),
    multiple: { const: true, description: 'It takes several values, separated by commas.' },
    default: described(text, 'What counts if it is left out.'),
  },
  ['values', 'multiple', 'default'],
)

const credentials = {
  client_id: { type: 'string', description: 'The access key.' },
  client_secret: { type: 'string', description: 'The security code.' },
}
const address = (description: string): Schema => ({ type: 'string', format: 'uri', description })

export const serviceSchemas = (permissions: readonly Permission[]): ByName<Schema> => ({
  Status: closed({
    status: { const: 'ok', description: 'The service answers.' },
    api: { const: 'v1', description: 'The version of the API.' },
    enabled: { type: 'boolean', description: 'Whether the company has a subscription.' },
    authorization_header_received: {
      type: 'boolean',
      description: 'Whether an Authorization header arrived: some proxies remove it.',
    },
    https: { type: 'boolean', description: 'Whether the request came over TLS.' },
    time: { type: 'string', format: 'date-time', description: 'The local time of the company, with its offset.' },
  }),
  TokenRequest: {
    type: 'object',
    properties: {
      grant_type: { const: 'client_credentials', description: 'Always this word.' },
      ...credentials,
      scope: { type: 'string', description: 'Permissions separated by blanks, for a token that may do less.' },
    },
    required: ['grant_type'],
  },
  Token: closed({
    access_token: {
      type: 'string',
      pattern: '^svc_at_[A-Za-z0-9]{52}$',
      description: 'Send it with every request: Authorization: Bearer svc_at_….',
    },
    token_type: { const: 'Bearer', description: 'The scheme to send it by.' },
    expires_in: { const: limits.tokenLifetimeMs / 1000, description: 'Seconds until it is refused.' },
    scope: { type: 'string', description: 'The granted permissions, separated by blanks.' },
  }),
  RevocationRequest: {
    type: 'object',
    properties: {
      token: { type: 'string', description: 'The access token to end.' },
      token_type_hint: { type: 'string', description: 'Ignored: there is one type of token.' },
      ...credentials,
    },
    required: ['token'],
  },
  Revocation: closed({}),
  OAuthMetadata: closed({
    issuer: address('The origin of the service, by which clients check this document.'),
    token_endpoint: address('Where a client signs in.'),
    revocation_endpoint: address('Where a client signs off.'),
    grant_types_supported: described(texts, 'The one way to get a token.'),
    response_types_supported: described(texts, 'None: there is no page to sign in on.'),
    token_endpoint_auth_methods_supported: described(texts, 'How credentials may be sent to sign in.'),
    revocation_endpoint_auth_methods_supported: described(texts, 'How credentials may be sent to sign off.'),
    scopes_supported: described(texts, 'Every permission that a token can hold.'),
    service_documentation: address('The page for integrators.'),
  }),
  Ping: closed(
    {
      ok: { const: true, description: 'The token is valid.' },
      client: { type: 'string', description: 'The name of the client system.' },
      scopes: arrayOf(oneOf(permissions), { uniqueItems: true, description: 'The permissions of the token.' }),
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
          name: described(text, 'How paths call the resource.'),
          path: described(text, 'The address of its list.'),
          changes: described(text, 'The address of its change feed, where there is one.'),
          permission: described(oneOf(permissions), 'The permission that opens it.'),
          fields: arrayOf({ ...refer('schemas', 'ResourceField') }, { description: 'What its records hold.' }),
          filters: arrayOf(filter, { description: 'The parameters that narrow its list.' }),
          search: described(texts, 'The fields that `search` looks into.'),
          sort: described(
            closed({
              fields: described(texts, 'What it can be sorted by.'),
              default: described(text, 'The order if `sort` is left out.'),
            }),
            'How its list can be ordered.',
          ),
        },
        ['changes'],
      ),
      { description: 'One entry for each resource that the token may read.' },
    ),
  }),
  ResourceField: field(permissions),
  OpenApi: {
    type: 'object',
    properties: {
      openapi: { const: '3.1.0', description: 'The version of the format.' },
      info: { type: 'object', description: 'What the API is called.' },
      paths: { type: 'object', description: 'Every operation.' },
      components: { type: 'object', description: 'What operations refer to.' },
    },
    required: ['openapi', 'info', 'paths', 'components'],
  },
})
