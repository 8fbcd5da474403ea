// Errors in the OpenAPI document: the schemas of both formats, and one response for each set of codes that a route can answer with a
// status, named after the codes.
import { codesOf, errors, unparsed, type ErrorCode, type ErrorFormat } from '../../errors.ts'
import { limits } from '../../query/limits.ts'
import { carried } from './headers.ts'
import {
  arrayOf,
  closed,
  pascal,
  refer,
  type ByName,
  type ComponentReference,
  type Response,
  type Schema,
} from './parts.ts'

const message = { type: 'string', minLength: 1, description: 'What is wrong, in a sentence for people.' }
const requestId = { type: 'string', format: 'uuid', description: 'Names the request in the log of the service.' }
const codeMeaning = 'What is wrong, in a word for programs.'
const dataCodes = codesOf.changesOfOne.filter((code) => code !== 'invalid_parameter')
const oauthCodes = codesOf.token.filter((code) => !unparsed.includes(code))

const refusal = (properties: ByName<Schema>): Schema =>
  closed({ error: { ...closed(properties), description: 'Why the request was refused.' } })

export const errorSchemas: ByName<Schema> = {
  Error: refusal({
    code: { type: 'string', enum: dataCodes, description: codeMeaning },
    message,
    request_id: requestId,
  }),
  ParameterError: refusal({
    code: { const: 'invalid_parameter', description: codeMeaning },
    message,
    request_id: requestId,
    details: arrayOf(closed({ parameter: { type: 'string', description: 'Which one is at fault.' }, message }), {
      minItems: 1,
      description: 'Every fault, with what is allowed.',
    }),
  }),
  TokenError: closed({
    error: { type: 'string', enum: oauthCodes, description: codeMeaning },
    error_description: message,
  }),
}

const inOrder = (codes: readonly ErrorCode[]) =>
  (Object.keys(errors) as ErrorCode[]).filter((code) => codes.includes(code))

function byStatus(codes: readonly ErrorCode[]): [status: string, codes: ErrorCode[]][] {
  const statuses = [...new Set(codes.map((code) => errors[code].status))].toSorted((one, other) => one - other)
  return statuses.map((status) => [String(status), inOrder(codes).filter((code) => errors[code].status === status)])
}

// The parser refuses before the route is known, so always in the data format.
const formatOf = (code: ErrorCode, format: ErrorFormat): ErrorFormat => (unparsed.includes(code) ? 'data' : format)
const hasOauth = (codes: readonly ErrorCode[], format: ErrorFormat) =>
  codes.some((code) => formatOf(code, format) === 'oauth')

const nameOf = (codes: readonly ErrorCode[], format: ErrorFormat) =>
  (hasOauth(codes, format) ? 'Token' : '') + codes.map(pascal).join('Or')

// The errors of an operation, by status.
export const errorResponses = (codes: readonly ErrorCode[], format: ErrorFormat = 'data'): ByName<ComponentReference> =>
  Object.fromEntries(byStatus(codes).map(([status, own]) => [status, refer('responses', nameOf(own, format))]))

// The same for every access.
export const errorComponents: ByName<Response> = makeComponents()

function makeComponents(): ByName<Response> {
  const made: Record<string, Response> = {}
  for (const [route, codes] of Object.entries(codesOf)) {
    const format = route === 'token' || route === 'revocation' ? 'oauth' : 'data'
    for (const [status, own] of byStatus(codes)) made[nameOf(own, format)] = errorResponse(Number(status), own, format)
  }
  return made
}

function errorResponse(status: number, codes: readonly ErrorCode[], format: ErrorFormat): Response {
  const more = [
    ...(status === 401 || codes.includes('insufficient_scope') ? ['WWW-Authenticate'] : []),
    ...(status === 405 ? ['Allow'] : []),
    ...(status === 429 || status === 503 ? ['Retry-After'] : []),
    ...(hasOauth(codes, format) ? ['Pragma'] : []),
  ]
  return {
    description: codes.map((code) => `\`${code}\`: ${errors[code].message}`).join(' '),
    headers: carried(...more),
    content: {
      'application/json': {
        schema: schemaOf(codes, format),
        examples: Object.fromEntries(codes.map((code) => [code, { value: example(code, formatOf(code, format)) }])),
      },
    },
  }
}

function schemaOf(codes: readonly ErrorCode[], format: ErrorFormat): Schema {
  const kinds = {
    ParameterError: codes.filter((code) => code === 'invalid_parameter'),
    Error: codes.filter((code) => code !== 'invalid_parameter' && formatOf(code, format) === 'data'),
    TokenError: codes.filter((code) => formatOf(code, format) === 'oauth'),
  }
  const schemas = Object.entries(kinds).flatMap(([name, own]) => (own.length > 0 ? [narrowed(name, own)] : []))
  return schemas.length === 1 && schemas[0] ? schemas[0] : { oneOf: schemas }
}

function narrowed(name: string, codes: readonly ErrorCode[]): Schema {
  const schema = refer('schemas', name)
  if (name === 'ParameterError') return schema
  const code = { enum: codes }
  // Linters want the other properties named again beside a narrowed one.
  const error = name === 'TokenError' ? code : { properties: { code, message: {}, request_id: {} } }
  return { allOf: [schema, { properties: { error } }] }
}

function example(code: ErrorCode, format: ErrorFormat): unknown {
  const { message } = errors[code]
  if (format === 'oauth') return { error: code, error_description: message }
  const details = [{ parameter: 'page', message: `"0" is not a whole number from 1 to ${limits.page}.` }]
  return {
    error: {
      code,
      message,
      request_id: '7f3d3a52-9c1b-4d57-8a54-2f0c6f1d9b10',
      ...(code === 'invalid_parameter' ? { details } : {}),
    },
  }
}
