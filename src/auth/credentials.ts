// Reads the credentials of a request: its access token, or the parameters, key and code of a token request or a revocation (RFC 6749,
// sections 2.3.1 and 4.4.2; RFC 7009, section 2.1).
import { looksLikeToken } from './secrets.ts'

export interface CredentialsRequest {
  readonly accessKey: string | null
  readonly securityCode: string | null
  // Why the body cannot be read; null if it can.
  readonly problem: string | null
  readonly usedBasic: boolean
}

export interface TokenRequest extends CredentialsRequest {
  readonly grantType: string | null
  // null: all permissions of the key.
  readonly scope: readonly string[] | null
}

export interface RevocationRequest extends CredentialsRequest {
  readonly token: string | null
}

type SentParts = readonly [contentType: string | undefined, body: string | null, authorization: readonly string[]]

type Body = { readonly parameters: ReadonlyMap<string, string> } | { readonly problem: string }

export function readTokenRequest(...sent: SentParts): TokenRequest {
  const { request, value } = readRequest(sent, ['grant_type', 'scope'])
  return { ...request, grantType: value('grant_type'), scope: readScope(value('scope')) }
}

// `token_type_hint` is ignored: there is only one kind of token.
export function readRevocation(...sent: SentParts): RevocationRequest {
  const { request, value } = readRequest(sent, ['token'])
  return { ...request, token: value('token') }
}

function readRequest([contentType, body, authorization]: SentParts, names: readonly string[]) {
  const read: Body =
    body === null ? { problem: 'The body is too large or incomplete.' } : readBody(contentType, body, names)
  const parameters: ReadonlyMap<string, string> = 'parameters' in read ? read.parameters : new Map()
  // RFC 6749, section 3.2: a parameter without a value counts as omitted.
  const value = (name: string) => parameters.get(name) || null
  const inBody = { accessKey: value('client_id'), securityCode: value('client_secret') }
  const basic = authorization.length === 1 ? readBasic(authorization[0] ?? '') : null
  const bodyWins = inBody.accessKey !== null && inBody.securityCode !== null
  const credentials = bodyWins || !basic ? inBody : basic
  const request: CredentialsRequest = {
    ...credentials,
    problem: 'problem' in read ? read.problem : null,
    usedBasic: !bodyWins && authorization.some((header) => /^basic( |$)/i.test(header)),
  }
  return { request, value }
}

// A scope of blanks only is kept as an unknown name, so that it is refused: a token without permissions is never intended.
function readScope(text: string | null): readonly string[] | null {
  if (text === null) return null
  const names = text.split(' ').filter(Boolean)
  return names.length > 0 ? names : [text]
}

function readBody(contentType: string | undefined, body: string, names: readonly string[]): Body {
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase()
  if (type === 'application/x-www-form-urlencoded') return readForm(body)
  if (type === 'application/json') return readJson(body, names)
  return { problem: 'Content-Type must be application/x-www-form-urlencoded or application/json.' }
}

function readForm(body: string): Body {
  const parameters = new Map<string, string>()
  try {
    for (const pair of body.split('&').filter(Boolean)) {
      const [name = '', ...rest] = pair.split('=').map((part) => decodeURIComponent(part.replaceAll('+', ' ')))
      if (parameters.has(name)) return { problem: 'A parameter is given more than once.' }
      parameters.set(name, rest.join('='))
    }
  } catch {
    return { problem: 'The form holds a percent escape that is not valid UTF-8.' }
  }
  return { parameters }
}

function readJson(body: string, names: readonly string[]): Body {
  let parsed: unknown
  try {
    parsed = JSON.parse(body)
  } catch {
    return { problem: 'The body is not valid JSON.' }
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    return { problem: 'The body must be a JSON object.' }
  const entries = Object.entries(parsed)
  const known = entries.filter(([name]) => ['client_id', 'client_secret', ...names].includes(name))
  if (known.some(([, value]) => typeof value !== 'string')) return { problem: 'Every JSON value must be a string.' }
  return { parameters: new Map(known as [string, string][]) }
}

// Clients that follow RFC 6749 form-encode both halves (`svc%5Fak%5F…`), others do not. Our alphabet allows decoding both.
function readBasic(header: string): { accessKey: string | null; securityCode: string | null } | null {
  const encoded = /^basic +([A-Za-z0-9+/=_-]+) *$/i.exec(header)?.[1]
  if (!encoded) return null
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const at = text.indexOf(':')
  if (at === -1) return null
  return { accessKey: decodeForm(text.slice(0, at)) || null, securityCode: decodeForm(text.slice(at + 1)) || null }
}

function decodeForm(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

// RFC 6750, section 2.1.
type Bearer = { readonly token: string } | { readonly error: 'missing_token' | 'invalid_token' }

export function readBearer(headers: readonly string[]): Bearer {
  if (headers.length > 1) return { error: 'invalid_token' }
  const [scheme = '', token = ''] = (headers[0] ?? '').split(/ +(.*)/s)
  if (scheme.toLowerCase() !== 'bearer') return { error: 'missing_token' }
  return looksLikeToken(token) ? { token } : { error: 'invalid_token' }
}
