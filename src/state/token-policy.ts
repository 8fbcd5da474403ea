// Decides a token request: facts of the store in, outcome and effects out. Every store reads the facts and writes the effects in
// one transaction that excludes other requests from the same address.
import { timingSafeEqual } from 'node:crypto'
import { inPermissionOrder } from '../catalogue/permissions.ts'
import { callerBlocked, type NewAuditEntry } from './audit.ts'
import { limitBlock, failOnce, type Series } from './failure-series.ts'
import { limits } from './limits.ts'
import { isAllowedFrom } from './rows.ts'
import type { Key, TokenAttempt, TokenOutcome, Window } from './state.ts'
import { countOne, describeWindow, type Counter } from './window.ts'

interface TokenFacts {
  readonly isEnabled: boolean
  // Of the address.
  readonly window: Counter | null
  readonly addressSeries: Series | null
  // Of the key tried from this address.
  readonly keySeries: Series | null
  readonly stored: StoredKey | null
}

// The part of a key that decides. `readKey` reads the rest after a success, so that no refusal takes longer than another.
export interface StoredKey extends Pick<Key, 'isDisabled' | 'revokedAt' | 'oldCodeUntil'> {
  readonly codeHash: Uint8Array
  // Zeros of the same length if there is none.
  readonly oldCodeHash: Uint8Array
  readonly expiresAt: number | null
  // As stored.
  readonly addresses: unknown
  readKey(): Key
}

// Writes of the store: null deletes, absent leaves unchanged.
interface TokenEffects {
  readonly window?: Counter
  readonly addressSeries?: Series | null
  readonly keySeries?: Series | null
  // Blocks that this request led to.
  readonly audit?: readonly NewAuditEntry[]
}

export interface TokenDecision {
  readonly outcome: TokenOutcome
  readonly effects: TokenEffects
}

export function decideToken(now: number, attempt: TokenAttempt, facts: TokenFacts): TokenDecision {
  const counter = countOne(facts.window, now)
  const window = describeWindow(limits.tokenRequests, facts.window, now)
  const counted = describeWindow(limits.tokenRequests, counter, now)
  const addressSeries = limitBlock(facts.addressSeries, now)
  const keySeries = limitBlock(facts.keySeries, now)
  if (!facts.isEnabled) return { outcome: { is: 'not enabled', window }, effects: {} }
  // Before the rate limit, so that a blocked caller gets the Retry-After of the block.
  const blockedUntil = Math.max(addressSeries?.blockedUntil ?? 0, keySeries?.blockedUntil ?? 0)
  if (blockedUntil > now) {
    const retryAfterSeconds = Math.ceil((blockedUntil - now) / 1000)
    const effects = {
      ...(addressSeries === facts.addressSeries ? {} : { addressSeries }),
      ...(keySeries === facts.keySeries ? {} : { keySeries }),
    }
    return { outcome: { is: 'blocked', window, retryAfterSeconds }, effects }
  }
  // Not counted: the count is already above the limit.
  if (counted.isExceeded) return { outcome: { is: 'rate limited', window: counted }, effects: {} }
  if (!attempt.isReadable) return { outcome: { is: 'unreadable', window: counted }, effects: { window: counter } }
  const key = isValid(now, attempt, facts.stored ?? noKey) ? facts.stored?.readKey() : undefined
  if (key) return { outcome: grant(key, attempt.scope, counted), effects: { window: counter, keySeries: null } }
  const failed = {
    addressSeries: failOnce(addressSeries, now, limits.failuresOfAddress),
    keySeries: failOnce(keySeries, now, limits.failuresOfKey),
  }
  const audit = newBlocks(attempt, failed, facts.stored !== null, now)
  return { outcome: { is: 'refused', window: counted }, effects: { window: counter, ...failed, audit } }
}

const noHash = new Uint8Array(32)

// In place of a missing key, so that its refusal takes as long.
const noKey: Omit<StoredKey, 'readKey'> = {
  codeHash: noHash,
  oldCodeHash: noHash,
  oldCodeUntil: null,
  isDisabled: true,
  revokedAt: null,
  expiresAt: null,
  addresses: null,
}

// A blocked caller is refused earlier, so a block that is active after a failure is new.
function newBlocks(
  { address, accessKey }: TokenAttempt,
  { addressSeries, keySeries }: { readonly addressSeries: Series; readonly keySeries: Series },
  isKnown: boolean,
  now: number,
): NewAuditEntry[] {
  const isBlocked = ({ blockedUntil }: Series) => (blockedUntil ?? 0) > now
  return [
    ...(isBlocked(keySeries) ? [callerBlocked(address, 'key', keySeries, isKnown ? accessKey : null)] : []),
    ...(isBlocked(addressSeries) ? [callerBlocked(address, 'address', addressSeries, null)] : []),
  ]
}

// Evaluates every condition, so that the time tells neither which one failed nor whether a rotation is under way.
function isValid(now: number, { codeHash, fullAddress }: TokenAttempt, stored: Omit<StoredKey, 'readKey'>): boolean {
  const given = codeHash ?? noHash
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
