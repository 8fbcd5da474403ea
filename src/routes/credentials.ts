// Shared by the routes that take credentials: the state checks them, and its refusals become errors. The order of the checks:
// subscription, block, rate limit of the address, body, credentials, scope.
import type { CredentialsRequest } from '../auth/credentials.ts'
import { hashSecret, looksLikeAccessKey } from '../auth/secrets.ts'
import { ApiError } from '../errors.ts'
import { notEnabled } from '../http/checks.ts'
import type { Call } from '../http/exchange.ts'
import type { Note } from '../http/route.ts'
import type { TokenAttempt, TokenOutcome } from '../state/state.ts'

interface CredentialsCheck {
  readonly call: Call
  readonly note: Note
  readonly request: CredentialsRequest
  // A fault of the parameters, if the body could be read.
  readonly fault: ApiError | null
  readonly ask: (attempt: Omit<TokenAttempt, 'scope' | 'tokenHash'>) => Promise<TokenOutcome>
}

type Granted = Extract<TokenOutcome, { is: 'granted' }>

export async function checkCredentials({ call, note, request, fault, ask }: CredentialsCheck): Promise<Granted> {
  const { accessKey, securityCode, problem, usedBasic } = request
  const unreadable = problem === null ? fault : new ApiError('invalid_request', { message: problem })
  // Only a text that looks like a key: a caller may have sent a secret in its place.
  if (looksLikeAccessKey(accessKey)) note({ accessKey })
  const answer = ask({
    address: call.address,
    fullAddress: call.fullAddress,
    accessKey,
    codeHash: securityCode === null ? null : hashSecret(securityCode),
    isReadable: unreadable === null,
  })
  const outcome = await answer.catch((cause: unknown) => {
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
