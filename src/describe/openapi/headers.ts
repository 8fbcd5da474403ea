// The headers of responses; the first six are on every response.
import {
  refer,
  type ByName,
  type ComponentReference,
  type Response,
  type ResponseHeader,
  type Schema,
} from './parts.ts'

const sure = (description: string, schema: Schema): ResponseHeader => ({ description, required: true, schema })
const wholeNumber = (least: number) => ({ type: 'integer', minimum: least })

export const headers: ByName<ResponseHeader> = {
  'X-Request-Id': sure('Names the request in the log of the service. Tell it when you ask for help.', {
    type: 'string',
    format: 'uuid',
  }),
  'Cache-Control': sure('Answers are never cached.', { const: 'no-store' }),
  'X-Content-Type-Options': sure('Answers are JSON.', { const: 'nosniff' }),
  'X-RateLimit-Limit': sure(
    'Requests allowed a minute: of the key if a valid token came, of the address otherwise; on /auth/token and /auth/revoke its requests there.',
    wholeNumber(1),
  ),
  'X-RateLimit-Remaining': sure('Requests left in the current minute.', wholeNumber(0)),
  'X-RateLimit-Reset': sure('Seconds until the minute is over.', { type: 'integer', minimum: 1, maximum: 60 }),
  'X-Total-Count': sure('How many records match, on all pages together; the same as meta.total.', wholeNumber(0)),
  'X-Data-Lag-Seconds': {
    description: 'How far the data is behind the tills, where that is more than a second.',
    schema: wholeNumber(1),
  },
  'Retry-After': sure('Seconds to wait.', wholeNumber(1)),
  Allow: sure('The one method of the path.', { enum: ['GET', 'POST'] }),
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

// The answer with status 200. Headers: beside those of every response.
export const answer = (description: string, schema: string, example: unknown, ...more: string[]): Response => ({
  description,
  headers: carried(...more),
  content: {
    'application/json': { schema: refer('schemas', schema), ...(example === undefined ? {} : { example }) },
  },
})
