// The headers of responses; the first six are on every response.
import { refer, type ResponseHeader, type ByName, type ComponentReference } from './parts.ts'

const wholeNumber = (least: number) => ({ type: 'integer', minimum: least })

export const headers: ByName<ResponseHeader> = {
  'X-Request-Id': {
    description: 'Names the request in the log of the service. Tell it when you ask for help.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
  'Cache-Control': { description: 'Answers are never cached.', required: true, schema: { const: 'no-store' } },
  'X-Content-Type-Options': { description: 'Answers are JSON.', required: true, schema: { const: 'nosniff' } },
  'X-RateLimit-Limit': {
    description:
      'Requests allowed a minute: of the key if a valid token came, of the address otherwise; on /auth/token and /auth/revoke its requests there.',
    required: true,
    schema: wholeNumber(1),
  },
  'X-RateLimit-Remaining': {
    description: 'Requests left in the current minute.',
    required: true,
    schema: wholeNumber(0),
  },
  'X-RateLimit-Reset': {
    description: 'Seconds until the minute is over.',
    required: true,
    schema: { type: 'integer', minimum: 1, maximum: 60 },
  },
  'X-Total-Count': {
    description: 'How many records match, on all pages together; the same as meta.total.',
    required: true,
    schema: wholeNumber(0),
  },
  'X-Data-Lag-Seconds': {
    description: 'How far the data is behind the tills, where that is more than a second.',
    schema: wholeNumber(1),
  },
  'Retry-After': { description: 'Seconds to wait.', required: true, schema: wholeNumber(1) },
  Allow: { description: 'The one method of the path.', required: true, schema: { enum: ['GET', 'POST'] } },
  'WWW-Authenticate': {
    description:
      'What is asked for, and what is wrong with what was sent (RFC 6750; RFC 7617 on /auth/token and /auth/revoke).',
    schema: { type: 'string', pattern: '^(Bearer|Basic) realm="' },
  },
  Pragma: { description: 'As RFC 6749 has it.', schema: { const: 'no-cache' } },
}

const always = Object.keys(headers).slice(0, 6)

export const carried = (...more: string[]): ByName<ComponentReference> =>
  Object.fromEntries([...always, ...more].map((name) => [name, refer('headers', name)]))
