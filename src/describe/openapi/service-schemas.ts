// The schemas of the answers of operations beside the resources.
import type { Permission } from '../../catalogue/access.ts'
import { limits } from '../../state/limits.ts'
import { arrayOf, closed, refer, value, type ByName, type Schema } from './parts.ts'

const text = { type: 'string' }
const texts = arrayOf(text)

const described = (schema: Schema, description: string): Schema => ({ ...schema, description })

// A key may have lost every permission of its token, and an empty enum is not valid.
const oneOf = (permissions: readonly Permission[]): Schema =>
  permissions.length > 0 ? { type: 'string', enum: permissions } : text

const field = (permissions: readonly Permission[]): Schema =>
  closed(
    {
      name: value('string', 'How records call the field.'),
      type: value('string', 'The JSON type of its values.', {
        enum: ['integer', 'number', 'string', 'boolean', 'array'],
      }),
      format: value('string', 'How a time or a day is written.', { enum: ['date-time', 'date'] }),
      values: described(texts, 'All that it can hold, where that is limited.'),
      in: value('string', '`list`: in lists and details; `detail`: in details only.', { enum: ['list', 'detail'] }),
      permission: described(oneOf(permissions), 'The permission that shows it.'),
      items: arrayOf(refer('schemas', 'ResourceField'), { description: 'The fields of each entry of an array.' }),
    },
    ['format', 'values', 'permission', 'items'],
  )

const filter = closed(
  {
    name: value('string', 'The parameter that sets the filter.'),
    type: value('string', 'How a value is written.', { enum: ['string', 'integer', 'date', 'date-time'] }),
    values: described(texts, 'All that it takes, where that is limited.'),
    multiple: { const: true, description: 'It takes several values, separated by commas.' },
    default: value('string', 'What counts if it is left out.'),
  },
  ['values', 'multiple', 'default'],
)

const credentials = {
  client_id: value('string', 'The access key.'),
  client_secret: value('string', 'The security code.'),
}
const address = (description: string): Schema => ({ type: 'string', format: 'uri', description })

export const serviceSchemas = (permissions: readonly Permission[]): ByName<Schema> => ({
  Status: closed({
    status: { const: 'ok', description: 'The service answers.' },
    api: { const: 'v1', description: 'The version of the API.' },
    enabled: value('boolean', 'Whether the company has a subscription.'),
    authorization_header_received: value('boolean', 'Whether an Authorization header arrived: some proxies remove it.'),
    https: value('boolean', 'Whether the request came over TLS.'),
    time: value('string', 'The local time of the company, with its offset.', { format: 'date-time' }),
  }),
  TokenRequest: {
    type: 'object',
    properties: {
      grant_type: { const: 'client_credentials', description: 'Always this word.' },
      ...credentials,
      scope: value('string', 'Permissions separated by blanks, for a token that may do less.'),
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
    scope: value('string', 'The granted permissions, separated by blanks.'),
  }),
  RevocationRequest: {
    type: 'object',
    properties: {
      token: value('string', 'The access token to end.'),
      token_type_hint: value('string', 'Ignored: there is one type of token.'),
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
      client: value('string', 'The name of the client system.'),
      scopes: arrayOf(oneOf(permissions), { uniqueItems: true, description: 'The permissions of the token.' }),
      data_lag_seconds: value('number', 'How far the data is behind the tills, where it is read from a copy.', {
        minimum: 0,
      }),
    },
    ['data_lag_seconds'],
  ),
  Resources: closed({
    data: arrayOf(
      closed(
        {
          name: value('string', 'How paths call the resource.'),
          path: value('string', 'The address of its list.'),
          changes: value('string', 'The address of its change feed, where there is one.'),
          permission: described(oneOf(permissions), 'The permission that opens it.'),
          fields: arrayOf(refer('schemas', 'ResourceField'), { description: 'What its records hold.' }),
          filters: arrayOf(filter, { description: 'The parameters that narrow its list.' }),
          search: described(texts, 'The fields that `search` looks into.'),
          sort: described(
            closed({
              fields: described(texts, 'What it can be sorted by.'),
              default: value('string', 'The order if `sort` is left out.'),
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
      info: value('object', 'What the API is called.'),
      paths: value('object', 'Every operation.'),
      components: value('object', 'What operations refer to.'),
    },
    required: ['openapi', 'info', 'paths', 'components'],
  },
})
