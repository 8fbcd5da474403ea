// What becomes of a token request, decided from what a store knows: the order of the checks, and what each answer leaves
// behind. Every store reads the facts, asks here and writes the effects within one transaction.
import { timingSafeEqual } from 'node:crypto'
import { inPermissionOrder } from '../catalogue/access.ts'
import type { Key, TokenAttempt, TokenOutcome, Window } from './state.ts'

export interface TokenFacts {
  readonly isEnabled: boolean
  // The later of the blocks of the address and of the key tried from it.
  readonly blockedUntil: number | null
  // The token window of the address without this request, and with it.
  readonly window: Window
  readonly counted: Window
  // The key is read only once the code is known to be right: until then an unknown key costs the same work.
  readonly stored: { readonly codeHash: Uint8Array; readKey(): Key } | null
}

export interface TokenDecision {
  readonly outcome: TokenOutcome
  readonly isCounted: boolean
  // What becomes of the failures of this key from this address.
  readonly failures: 'stay' | 'one more' | 'forgotten'
}

export function decideToken(now: number, attempt: TokenAttempt, facts: TokenFacts): TokenDecision {
  const { isEnabled, blockedUntil, window, counted } = facts
  if (!isEnabled) return { outcome: { is: 'not enabled', window }, isCounted: false, failures: 'stay' }
  // Looked at before the rate, so that a blocked caller reads how long it really has to wait.
  if (blockedUntil !== null) {
    const retryAfterSeconds = Math.ceil((blockedUntil - now) / 1000)
    return { outcome: { is: 'blocked', window, retryAfterSeconds }, isCounted: false, failures: 'stay' }
  }
  if (counted.isExceeded) return { outcome: { is: 'rate limited', window: counted }, isCounted: true, failures: 'stay' }
  if (!attempt.isReadable) return { outcome: { is: 'unreadable', window: counted }, isCounted: true, failures: 'stay' }
  const key = rightKey(attempt, facts.stored)
  if (!key) return { outcome: { is: 'refused', window: counted }, isCounted: true, failures: 'one more' }
  const outcome = grant(key, attempt.scope, counted)
  return { outcome, isCounted: true, failures: 'forgotten' }
}

const nobody = new Uint8Array(32)

function rightKey({ codeHash }: TokenAttempt, stored: TokenFacts['stored']): Key | null {
  const isRight = timingSafeEqual(stored?.codeHash ?? nobody, codeHash ?? nobody)
  if (!isRight || !stored || !codeHash) return null
  const key = stored.readKey()
  return key.isDisabled || key.revokedAt !== null ? null : key
}

function grant({ permissions }: Key, scope: readonly string[] | null, window: Window): TokenOutcome {
  const held: readonly string[] = permissions
  if (scope?.some((name) => !held.includes(name))) return { is: 'scope not held', window }
  return { is: 'granted', window, permissions: inPermissionOrder(scope ?? held) }
}
