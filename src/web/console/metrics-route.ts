// `/metrics`: what Prometheus reads, for whoever has the token where one is set.
import { timingSafeEqual } from 'node:crypto'
import { hashSecret } from '../../auth/secrets.ts'
import { refused, sentence, type ConsoleAnswer, type ConsoleCall } from './exchange.ts'

export async function showMetrics(
  { method, authorization }: ConsoleCall,
  token: string | null,
  read: () => Promise<string>,
): Promise<ConsoleAnswer> {
  if (token !== null && !isRight(authorization, token))
    return sentence(401, '/metrics wants the token of VITRINE_METRICS_TOKEN: Authorization: Bearer TOKEN.', {
      'WWW-Authenticate': `Bearer realm="metrics"${authorization.length > 0 ? ', error="invalid_token"' : ''}`,
    })
  if (method !== 'GET') return refused(405, 'method_not_allowed', { allowed: 'GET' }, { Allow: 'GET' })
  return { status: 200, headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }, body: await read() }
}

// Hashes are compared: they are of one length, whatever was sent.
function isRight(authorization: readonly string[], token: string): boolean {
  const [, given = ''] = (authorization.length === 1 && /^bearer +(\S+) *$/i.exec(authorization[0] ?? '')) || []
  return timingSafeEqual(hashSecret(given), hashSecret(token))
}
