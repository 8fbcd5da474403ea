// What becomes of a token request, decided from what a store knows: the order of the checks, and what each answer leaves
// behind. Every store reads the facts, asks here and writes the effects, alone with what it knows of the address.
import { timingSafeEqual } from 'node:crypto'
import { inPermissionOrder } from '../catalogue/access.ts'
import { callerBlocked, type NewEntry } from './audit.ts'
import { bounded, failOnce, type Series } from './failure-series.ts'
import { limits } from './limits.ts'
import { isAllowedFrom } from './rows.ts'
import type { Key, TokenAttempt, TokenOutcome, Window } from './state.ts'
import { countOne, describeWindow, type Counter } from './window.ts'

export interface TokenFacts {
  readonly isEnabled: boolean
  // The token window of the address, its failures, and those of the key tried from it.
  readonly window: Counter | null
  readonly addressSeries: Series | null
  readonly keySeries: Series | null
  readonly stored: StoredKey | null
}

// A key as far as it decides who is let in. All of that is read at once, so that no refusal takes a statement more than another;
// what the key may do is read only for whoever is let in.
export interface StoredKey extends Pick<Key, 'isDisabled' | 'revokedAt' | 'oldCodeUntil'> {
  readonly codeHash: Uint8Array
  // Of the same length where there is none.
  readonly oldCodeHash: Uint8Array
  readonly expiresAt: number | null
  // As stored.
  readonly addresses: unknown
  readKey(): Key
}

// What the store then holds; what is not named stays as it is, null is forgotten.
export interface TokenEffects {
  readonly window?: Counter
  readonly addressSeries?: Series | null
  readonly keySeries?: Series | null
  // Blocks that this request led to.
  readonly audit?: readonly NewEntry[]
}

export interface TokenDecision {
  readonly outcome: TokenOutcome
  readonly effects: TokenEffects
}

export function decideToken(now: number, attempt: TokenAttempt, facts: TokenFacts): TokenDecision {
  const counter = countOne(facts.window, now)
  const window = describeWindow(limits.tokenRequests, facts.window, now)
  const counted = describeWindow(limits.tokenRequests, counter, now)
  const addressSeries = bounded(facts.addressSeries, now)
  const keySeries = bounded(facts.keySeries, now)
  if (!facts.isEnabled) return { outcome: { is: 'not enabled', window }, effects: {} }
  // Looked at before the rate, so that a blocked caller reads how long it really has to wait.
  const blockedUntil = Math.max(addressSeries?.blockedUntil ?? 0, keySeries?.blockedUntil ?? 0)
  if (blockedUntil > now) {
    const retryAfterSeconds = Math.ceil((blockedUntil - now) / 1000)
    const effects = {
      ...(addressSeries === facts.addressSeries ? {} : { addressSeries }),
      ...(keySeries === facts.keySeries ? {} : { keySeries }),
    }
    return { outcome: { is: 'blocked', window, retryAfterSeconds }, effects }
  }
  // Not counted any further: it would change nothing that anybody sees.
  if (counted.isExceeded) return { outcome: { is: 'rate limited', window: counted }, effects: {} }
  if (!attempt.isReadable) return { outcome: { is: 'unreadable', window: counted }, effects: { window: counter } }
  const key = isLetIn(now, attempt, facts.stored ?? noKey) ? facts.stored?.readKey() : undefined
  if (key) return { outcome: grant(key, attempt.scope, counted), effects: { window: counter, keySeries: null } }
  const failed = {
    addressSeries: failOnce(addressSeries, now, limits.failuresOfAddress),
    keySeries: failOnce(keySeries, now, limits.failuresOfKey),
  }
  const audit = newBlocks(attempt, failed, facts.stored !== null, now)
  return { outcome: { is: 'refused', window: counted }, effects: { window: counter, ...failed, audit } }
}

const nobody = new Uint8Array(32)

// Stands for a key that is not there: refused by the same work as any other.
const noKey: Omit<StoredKey, 'readKey'> = {
  codeHash: nobody,
  oldCodeHash: nobody,
  oldCodeUntil: null,
  isDisabled: true,
  revokedAt: null,
  expiresAt: null,
  addresses: null,
}

// Nobody who is blocked comes as far as to fail: a block there is now was not there before.
function newBlocks(
  { address, accessKey }: TokenAttempt,
  { addressSeries, keySeries }: { readonly addressSeries: Series; readonly keySeries: Series },
  isKnown: boolean,
  now: number,
): NewEntry[] {
  const isBlocked = ({ blockedUntil }: Series) => (blockedUntil ?? 0) > now
  return [
    ...(isBlocked(keySeries) ? [callerBlocked(address, 'key', keySeries, isKnown ? accessKey : null)] : []),
    ...(isBlocked(addressSeries) ? [callerBlocked(address, 'address', addressSeries, null)] : []),
  ]
}

// Everything is looked at, whatever is wrong first: the time tells neither what it was, nor that a rotation is under way.
function isLetIn(now: number, { codeHash, fullAddress }: TokenAttempt, stored: Omit<StoredKey, 'readKey'>): boolean {
  const given = codeHash ?? nobody
  const isCode = timingSafeEqual(stored.codeHash, given)
  const isOldCode = timingSafeEqual(stored.oldCodeHash, given)
  const isInOverlap = stored.oldCodeUntil !== null && now < stored.oldCodeUntil
  const isHere = isAllowedFrom(stored.addresses, fullAddress)
  const isLive = !stored.isDisabled && stored.revokedAt === null && !isOver(stored.expiresAt, now)
  const isRight = codeHash !== null && (isCode || (isOldCode && isInOverlap))
  return isRight && isHere && isLive
}

const isOver = (at: number | null, now: number) => at !== null && at <= now

function grant({ permissions }: Key, scope: readonly string[] | null, window: Window): TokenOutcome {
  const held: readonly string[] = permissions
  if (scope?.some((name) => !held.includes(name))) return { is: 'scope not held', window }
  return { is: 'granted', window, permissions: inPermissionOrder(scope ?? held) }
}
