// Every error of the API: its code, its status and the sentence for the caller. The cause goes to the log with the request id, never
// into a body.

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
