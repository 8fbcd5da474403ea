// What becomes of a token request, decided from what a store knows: the order of the checks, and what each answer leaves
// behind. Every store reads the facts, asks here and writes the effects, alone with what it knows of the address.
import { timingSafeEqual } from 'node:crypto'
import { inPermissionOrder } from '../catalogue/access.ts'
import { callerBlocked, type NewEntry } from './audit.ts'
import { bounded, failOnce, type Series } from './failure-series.ts'
import { limits } from './limits.ts'
import type { Key, SignIn, TokenAttempt, TokenOutcome, Window } from './state.ts'
import { countOne, describeWindow, type Counter } from './window.ts'

export interface TokenFacts {
  readonly isEnabled: boolean
  // The token window of the address, its failures, and those of the key tried from it.
  readonly window: Counter | null
  readonly addressSeries: Series | null
  readonly keySeries: Series | null
  // The key is read only once the code is known to be right: until then an unknown key costs the same work.
  readonly stored: { readonly codeHash: Uint8Array; readKey(): Key } | null
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
  const key = rightKey(attempt, facts.stored)
  if (key) return { outcome: grant(key, attempt.scope, counted), effects: { window: counter, keySeries: null } }
  const failed = {
    addressSeries: failOnce(addressSeries, now, limits.failuresOfAddress),
    keySeries: failOnce(keySeries, now, limits.failuresOfKey),
  }
  const audit = newBlocks(attempt, failed, facts.stored !== null, now)
  return { outcome: { is: 'refused', window: counted }, effects: { window: counter, ...failed, audit } }
}

const nobody = new Uint8Array(32)

// The console is one more that can be signed in to: by a password instead of a code, whatever the subscription.
export const consoleName = 'console'
export const consoleKey: Key = {
  accessKey: consoleName,
  name: consoleName,
  permissions: [],
  stores: [],
  priceList: null,
  rate: 0,
  isDisabled: false,
  createdAt: 0,
  revokedAt: null,
}

// Counted apart from token requests of the same address: whoever may call the API must not be able to shut the console.
const apart = 'console '
export const consoleAddress = (address: string) => apart + address
// The address as people know it, and whether it is blocked at the console.
export const readAddress = (address: string) =>
  address.startsWith(apart) ? { address: address.slice(apart.length), isConsole: true } : { address, isConsole: false }

export const asTokenAttempt = ({ address, passwordHash }: Omit<SignIn, 'sessionHash'>): TokenAttempt => ({
  address: consoleAddress(address),
  accessKey: consoleName,
  codeHash: passwordHash,
  isReadable: true,
  scope: null,
  // There is no token: what is granted is a session, or another password.
  tokenHash: nobody,
})

// Nobody who is blocked comes as far as to fail: a block there is now was not there before.
function newBlocks(
  { address: counted, accessKey }: TokenAttempt,
  { addressSeries, keySeries }: { readonly addressSeries: Series; readonly keySeries: Series },
  isKnown: boolean,
  now: number,
): NewEntry[] {
  const { address } = readAddress(counted)
  const isBlocked = ({ blockedUntil }: Series) => (blockedUntil ?? 0) > now
  return [
    ...(isBlocked(keySeries) ? [callerBlocked(address, 'key', keySeries, isKnown ? accessKey : null)] : []),
    ...(isBlocked(addressSeries) ? [callerBlocked(address, 'address', addressSeries, null)] : []),
  ]
}

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
