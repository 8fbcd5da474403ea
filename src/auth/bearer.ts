// The Authorization headers of a request → the token they carry (RFC 6750, section 2.1).
import { looksLikeToken } from './secrets.ts'

export type Bearer = { readonly token: string } | { readonly error: 'missing_token' | 'invalid_token' }

export function readBearer(headers: readonly string[]): Bearer {
  if (headers.length > 1) return { error: 'invalid_token' }
  const [scheme = '', token = ''] = (headers[0] ?? '').split(/ +(.*)/s)
  if (scheme.toLowerCase() !== 'bearer') return { error: 'missing_token' }
  return looksLikeToken(token) ? { token } : { error: 'invalid_token' }
}
