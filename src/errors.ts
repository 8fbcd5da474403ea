// Every error of the API: its code, its status, the sentence for the caller, and the routes that answer with it. The cause goes to the
// log with the request id, never into a body.

export const missingPermission = (permission: string) => `The access token does not hold the permission ${permission}.`

export const errors = {
  invalid_parameter: { status: 400, message: 'One or more parameters are not valid; see details.' },
  invalid_request: { status: 400, message: 'The request body cannot be read.' },
  unsupported_grant_type: { status: 400, message: 'grant_type must be client_credentials.' },
  invalid_scope: { status: 400, message: 'The key does not hold every requested permission.' },
  invalid_client: { status: 401, message: 'The access key or the security code is missing or wrong.' },
  missing_token: { status: 401, message: 'Send an access token: Authorization: Bearer <token>.' },
  invalid_token: { status: 401, message: 'The access token is malformed, unknown, expired or revoked.' },
  insufficient_scope: { status: 403, message: missingPermission('for this resource') },
  https_required: { status: 403, message: 'Use HTTPS: requests over plain HTTP are refused.' },
  cursor_expired: { status: 410, message: 'The cursor is no longer valid; begin again without one.' },
  not_found: { status: 404, message: 'There is nothing at this address.' },
  method_not_allowed: { status: 405, message: 'This method is not allowed here.' },
  bad_request: { status: 400, message: 'The request is not valid HTTP.' },
  request_timeout: { status: 408, message: 'The request did not arrive in time.' },
  header_too_large: { status: 431, message: 'The request line and headers are larger than 16 KiB.' },
  rate_limited: { status: 429, message: 'Too many requests; wait as long as Retry-After says.' },
  too_many_attempts: { status: 429, message: 'Blocked after repeated failures; wait as long as Retry-After says.' },
  internal_error: { status: 500, message: 'Something failed inside the service; it has been logged.' },
  api_not_enabled: { status: 503, message: 'The company has no API subscription.' },
  temporarily_unavailable: { status: 503, message: 'The service cannot answer right now; try again shortly.' },
} as const satisfies Record<string, { status: number; message: string }>

export type ErrorCode = keyof typeof errors

// For the documentation page.
export const errorsInFrench: Readonly<Record<ErrorCode, string>> = {
  invalid_parameter: 'Un ou plusieurs paramètres ne sont pas valables ; voir details.',
  invalid_request: 'Le corps de la requête est illisible.',
  unsupported_grant_type: 'grant_type doit être client_credentials.',
  invalid_scope: 'La clé n’a pas tous les droits demandés.',
  invalid_client: 'La clé d’accès ou le code de sécurité manque ou est faux.',
  missing_token: 'Envoyez un jeton : Authorization: Bearer <token>.',
  invalid_token: 'Le jeton est mal formé, inconnu, expiré ou révoqué.',
  insufficient_scope: 'Le jeton n’a pas le droit de lire cette ressource.',
  https_required: 'Utilisez HTTPS : les requêtes en HTTP simple sont refusées.',
  cursor_expired: 'Le curseur n’est plus valable ; recommencez sans lui.',
  not_found: 'Il n’y a rien à cette adresse.',
  method_not_allowed: 'Cette méthode n’est pas permise ici.',
  bad_request: 'La requête n’est pas du HTTP valable.',
  request_timeout: 'La requête n’est pas arrivée à temps.',
  header_too_large: 'La ligne de requête et les en-têtes dépassent 16 Kio.',
  rate_limited: 'Trop de requêtes ; attendez aussi longtemps que le dit Retry-After.',
  too_many_attempts: 'Bloqué après des échecs répétés ; attendez aussi longtemps que le dit Retry-After.',
  internal_error: 'Quelque chose a échoué dans le service ; c’est dans son journal.',
  api_not_enabled: 'L’entreprise n’a pas d’abonnement à l’API.',
  temporarily_unavailable: 'Le service ne peut pas répondre pour l’instant ; réessayez bientôt.',
}

// Refused by the HTTP parser, before any route.
export const unparsed: readonly ErrorCode[] = ['bad_request', 'request_timeout', 'header_too_large']
const everywhere: readonly ErrorCode[] = [
  ...unparsed,
  'https_required',
  'method_not_allowed',
  'rate_limited',
  'internal_error',
]
const subscribed: readonly ErrorCode[] = [...everywhere, 'api_not_enabled', 'temporarily_unavailable']
const withToken: readonly ErrorCode[] = [...subscribed, 'missing_token', 'invalid_token', 'invalid_parameter']
const list: readonly ErrorCode[] = [...withToken, 'insufficient_scope']
const detail: readonly ErrorCode[] = [...list, 'not_found']

// Which codes a route can answer with, by its kind.
export const codesOf = {
  status: everywhere,
  openApi: [...subscribed, 'invalid_token', 'invalid_parameter'],
  withToken,
  list,
  detail,
  changes: [...withToken, 'not_found', 'cursor_expired'],
  changesOfOne: [...detail, 'cursor_expired'],
  token: [
    ...subscribed,
    'invalid_request',
    'unsupported_grant_type',
    'invalid_scope',
    'invalid_client',
    'too_many_attempts',
  ],
  revocation: [...subscribed, 'invalid_request', 'invalid_client', 'too_many_attempts'],
} as const satisfies Readonly<Record<string, readonly ErrorCode[]>>

// The two formats of the specification for an error body.
export type ErrorFormat = 'data' | 'oauth'

// A fault of one parameter.
export interface Fault {
  readonly parameter: string
  readonly message: string
}

interface ErrorExtras {
  readonly message?: string
  readonly details?: readonly Fault[]
  readonly headers?: Readonly<Record<string, string>>
  readonly retryAfter?: number
  readonly cause?: unknown
}

export class ApiError extends Error {
  readonly code: ErrorCode
  readonly extras: ErrorExtras

  constructor(code: ErrorCode, extras: ErrorExtras = {}) {
    super(extras.message ?? errors[code].message, extras.cause === undefined ? {} : { cause: extras.cause })
    this.code = code
    this.extras = extras
  }

  get status(): number {
    return errors[this.code].status
  }
}

// A sentence for the operator's terminal. Exit status 2: wrong usage or settings. 1: a failure.
export class OperatorError extends Error {
  readonly exitStatus: 1 | 2

  constructor(message: string, exitStatus: 1 | 2 = 2) {
    super(message)
    this.exitStatus = exitStatus
  }
}
