// Error replies in the two formats of the specification, and the headers of every response.
import { ApiError, type ErrorFormat, type Fault } from '../errors.ts'
import { withoutSecrets } from '../platform/redact.ts'
import type { Window } from '../state/state.ts'
import type { Reply } from './exchange.ts'

export function errorReply(error: ApiError, format: ErrorFormat, requestId: string): Reply {
  const { headers = {}, retryAfter } = error.extras
  const details = error.extras.details?.map(withoutSecretsIn)
  const body =
    format === 'oauth'
      ? { error: error.code, error_description: error.message }
      : { error: { code: error.code, message: error.message, request_id: requestId, ...(details ? { details } : {}) } }
  return {
    status: error.status,
    headers: { ...headers, ...(retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }) },
    body: JSON.stringify(body),
  }
}

// Faults quote the request, and callers may log them.
const withoutSecretsIn = ({ parameter, message }: Fault): Fault => ({
  parameter: withoutSecrets(parameter),
  message: withoutSecrets(message),
})

// The same on every listener, because browsers keep it for a host, whatever the port.
export const transportSecurity = { 'Strict-Transport-Security': 'max-age=31536000' }

export function commonHeaders(requestId: string, isTls: boolean): Record<string, string> {
  return {
    'Content-Type': 'application/json; charset=utf-8',
    'X-Request-Id': requestId,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...(isTls ? transportSecurity : {}),
  }
}

export const windowHeaders = ({ limit, remaining, resetSeconds }: Window): Record<string, string> => ({
  'X-RateLimit-Limit': String(limit),
  'X-RateLimit-Remaining': String(remaining),
  'X-RateLimit-Reset': String(resetSeconds),
})
