// What the routes share that take credentials: the state checks them, in one step with all that depends on it, and its refusals
// become errors. The order: subscription, block, rate of the address, body, credentials, scope.
import type { CredentialsRequest } from '../auth/credentials.ts'
import { hashSecret, looksLikeAccessKey } from '../auth/secrets.ts'
import { ApiError } from '../errors.ts'
import { notEnabled } from '../http/checks.ts'
import type { Call } from '../http/exchange.ts'
import type { Note } from '../http/route.ts'
import type { TokenAttempt, TokenOutcome } from '../state/state.ts'

interface Asked {
  readonly call: Call
  readonly note: Note
  readonly request: CredentialsRequest
  // What is wrong with the parameters, where the body could be read.
  readonly fault: ApiError | null
  readonly ask: (attempt: Omit<TokenAttempt, 'scope' | 'tokenHash'>) => Promise<TokenOutcome>
}

type Granted = Extract<TokenOutcome, { is: 'granted' }>

export async function checkCredentials({ call, note, request, fault, ask }: Asked): Promise<Granted> {
  const { accessKey, securityCode, problem, usedBasic } = request
  const unreadable = problem === null ? fault : new ApiError('invalid_request', { message: problem })
  // Only what looks like a key: a caller may have put a secret in its place.
  if (looksLikeAccessKey(accessKey)) note({ accessKey })
  const asked = ask({
    address: call.address,
    fullAddress: call.fullAddress,
    accessKey,
    codeHash: securityCode === null ? null : hashSecret(securityCode),
    isReadable: unreadable === null,
  })
  const outcome = await asked.catch((cause: unknown) => {
    throw new ApiError('temporarily_unavailable', { retryAfter: 1, cause })
  })
  note({ window: outcome.window })
  switch (outcome.is) {
    case 'not enabled':
      throw notEnabled()
    case 'blocked':
      throw new ApiError('too_many_attempts', { retryAfter: outcome.retryAfterSeconds })
    case 'rate limited':
      throw new ApiError('rate_limited', { retryAfter: outcome.window.resetSeconds })
    case 'unreadable':
      throw unreadable ?? new ApiError('invalid_request')
    case 'refused':
      throw new ApiError('invalid_client', {
        headers: usedBasic ? { 'WWW-Authenticate': 'Basic realm="Vitrine"' } : {},
      })
    case 'scope not held':
      throw new ApiError('invalid_scope')
    case 'granted':
      return outcome
  }
}
