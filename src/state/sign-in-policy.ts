// Decides a sign-in attempt at the console: facts of the store in, outcome and effects out. Failures slow attempts down but never
// lock anyone out. From the fifth failure of a series on, each one doubles the wait, up to a minute. Unknown browsers also share
// one series, so that many addresses together guess at most twice a minute. A password typed during a wait is not checked.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { signInSlowed, type NewAuditEntry } from './audit.ts'
import type { Series } from './failure-series.ts'
import { limits } from './limits.ts'
import type { SignInOutcome, SignInOrigin } from './console-access.ts'

interface WaitRule {
  // The failure from which on attempts wait.
  readonly slowFrom: number
  readonly longestMs: number
}

// The shared wait is shorter than that of one address, so that a single guesser leaves other addresses half of every minute.
const rules = {
  own: { slowFrom: 5, longestMs: 60_000 },
  all: { slowFrom: 20, longestMs: 30_000 },
} as const satisfies Readonly<Record<string, WaitRule>>
const firstWaitMs = 1000

// Series of the console are stored under these names, beside those of API callers, which are named by address.
export const signInNames = 'console%'
export const addressName = (address: string) => `console ${address}`
export const allName = 'console'

// The series that an attempt counts in: that of its session; of its browser, if that has signed in before; or of its address and
// of all strangers, that is, unknown browsers.
export interface AttemptSeries {
  readonly name: string
  readonly isStranger: boolean
}

// In place of the hash of an account that does not exist. Random, so that no password matches it and no browser is signed with it;
// everything takes as long as with a wrong password.
const unknownAccount = new Uint8Array(randomBytes(32))
export const hashOrUnknown = (stored: unknown, isKnown: boolean): Uint8Array =>
  isKnown && stored instanceof Uint8Array ? stored : unknownAccount

export function countedAs(origin: SignInOrigin, passwordHash: Uint8Array): AttemptSeries {
  if ('sessionHash' in origin) return { name: `console-session ${hexOf(origin.sessionHash)}`, isStranger: false }
  const browser = origin.browser === null ? null : browserOf(origin.browser, passwordHash)
  return browser === null
    ? { name: addressName(origin.address), isStranger: true }
    : { name: `console-browser ${browser}`, isStranger: false }
}

// A browser gets this name when it signs in, and sends it with the next attempt. It is signed with the hash of the account's
// password, so a new password ends all names. It grants nothing: it only separates this browser's failures from those of strangers.
export function nameBrowser(passwordHash: Uint8Array): string {
  const name = randomBytes(16).toString('base64url')
  return `${name}.${signatureOf(name, passwordHash).toString('base64url')}`
}

function browserOf(shown: string, passwordHash: Uint8Array): string | null {
  const [, name, signature] = /^([\w-]{22})\.([\w-]{43})$/.exec(shown) ?? []
  if (name === undefined || signature === undefined) return null
  return timingSafeEqual(Buffer.from(signature, 'base64url'), signatureOf(name, passwordHash)) ? name : null
}

const signatureOf = (name: string, passwordHash: Uint8Array) =>
  createHmac('sha256', passwordHash).update(`browser ${name}`).digest()

export interface SignInFacts {
  readonly own: Series | null
  // null for known browsers and sessions.
  readonly all: Series | null
}

// Writes of the store: null deletes, absent leaves unchanged.
interface SignInEffects {
  readonly own?: Series | null
  readonly all?: Series
  readonly audit?: readonly NewAuditEntry[]
}

// Whole seconds until the next attempt is checked.
export const secondsToWait = (now: number, { own, all }: SignInFacts): number =>
  Math.ceil(Math.max(waitMs(now, own, rules.own), waitMs(now, all, rules.all)) / 1000)

export function decideSignIn(
  now: number,
  { address, isStranger }: { readonly address: string; readonly isStranger: boolean },
  facts: SignInFacts,
  isRight: boolean,
): { readonly outcome: SignInOutcome; readonly effects: SignInEffects } {
  const retryAfterSeconds = secondsToWait(now, facts)
  if (retryAfterSeconds > 0) return { outcome: { is: 'slowed', retryAfterSeconds }, effects: {} }
  if (isRight) return { outcome: { is: 'granted' }, effects: { own: null } }
  const own = failOnce(now, facts.own, rules.own)
  if (!isStranger) return { outcome: { is: 'refused' }, effects: { own, audit: newWaits(address, own, null) } }
  const all = failOnce(now, facts.all, rules.all)
  return { outcome: { is: 'refused' }, effects: { own, all, audit: newWaits(address, own, all) } }
}

// One audit entry for each series. While all strangers wait, single addresses get none: a flood must not fill the audit.
function newWaits(address: string, own: Series, all: Series | null): NewAuditEntry[] {
  const strangers = all?.count ?? 0
  if (strangers === rules.all.slowFrom) return [signInSlowed('', strangers)]
  return own.count === rules.own.slowFrom && strangers < rules.all.slowFrom ? [signInSlowed(address, own.count)] : []
}

// Unlike in a series of token requests, `startedAt` is the last failure.
function failOnce(now: number, series: Series | null, { slowFrom, longestMs }: WaitRule): Series {
  const count = series && now - series.startedAt < limits.seriesMs ? series.count + 1 : 1
  const wait = count < slowFrom ? null : Math.min(longestMs, firstWaitMs * 2 ** (count - slowFrom))
  return { startedAt: now, count, blockedUntil: wait === null ? null : now + wait }
}

// If the clock was set back, a wait must not last longer than one that starts now.
const waitMs = (now: number, series: Series | null, { longestMs }: WaitRule): number =>
  Math.min(Math.max(0, (series?.blockedUntil ?? 0) - now), longestMs)

export const sessionEnd = (startedAt: number, now: number): number =>
  Math.min(now + limits.sessionIdleMs, startedAt + limits.sessionMs)

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
