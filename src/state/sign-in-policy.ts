// What becomes of a password that is typed at the console: how long a caller has to wait after failures, and whose failures they
// are. Nobody is shut out. From the fifth failure of a series on, each doubles the wait until the next password is looked at, up
// to a minute. Strangers also share a series, so that many addresses do not guess faster than two a minute. What is typed during
// a wait is not compared with the password. Every store reads the facts, asks here and writes the effects, one attempt at a time.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { signInSlowed, type NewEntry } from './audit.ts'
import type { Series } from './failure-series.ts'
import { limits } from './limits.ts'
import type { SignInOutcome, Trier } from './state.ts'

interface Rule {
  // The failure with which waiting begins.
  readonly slowFrom: number
  readonly longestMs: number
}

// The wait of all is shorter than that of one: a single guesser leaves other addresses half of every minute.
const rules = {
  own: { slowFrom: 5, longestMs: 60_000 },
  all: { slowFrom: 20, longestMs: 30_000 },
} as const satisfies Readonly<Record<string, Rule>>
const firstWaitMs = 1000

// The names under which series are stored, among those of callers of the API, whose names are addresses.
export const signInNames = 'console%'
export const addressName = (address: string) => `console ${address}`
export const allName = 'console'

// Whose failures an attempt counts with: those of its session, of its browser where that has signed in before, or of its address
// and of all strangers.
export interface Counted {
  readonly name: string
  readonly isStranger: boolean
}

export function countedAs(trier: Trier, passwordHash: Uint8Array | null): Counted {
  if ('sessionHash' in trier) return { name: `console-session ${hexOf(trier.sessionHash)}`, isStranger: false }
  const browser = passwordHash && trier.browser !== null ? browserOf(trier.browser, passwordHash) : null
  return browser === null
    ? { name: addressName(trier.address), isStranger: true }
    : { name: `console-browser ${browser}`, isStranger: false }
}

// What a browser is given when it signs in, and shows the next time: a random name, signed with the password's hash. Another
// password ends them all. It opens nothing: it only keeps strangers' failures apart from this browser's.
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
  // null for whoever is no stranger.
  readonly all: Series | null
}

// What the store then holds; what is not named stays as it is, null is forgotten.
interface SignInEffects {
  readonly own?: Series | null
  readonly all?: Series
  readonly audit?: readonly NewEntry[]
}

// Whole seconds until the next attempt is looked at; 0: it is looked at now.
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

// Written down once a series. While all strangers wait, addresses are not named one by one: a flood from many of them must not
// fill the audit.
function newWaits(address: string, own: Series, all: Series | null): NewEntry[] {
  const strangers = all?.count ?? 0
  if (strangers === rules.all.slowFrom) return [signInSlowed('', strangers)]
  return own.count === rules.own.slowFrom && strangers < rules.all.slowFrom ? [signInSlowed(address, own.count)] : []
}

// A series is forgotten when it has been quiet for long enough: `startedAt` is its last failure.
function failOnce(now: number, series: Series | null, { slowFrom, longestMs }: Rule): Series {
  const count = series && now - series.startedAt < limits.seriesMs ? series.count + 1 : 1
  const wait = count < slowFrom ? null : Math.min(longestMs, firstWaitMs * 2 ** (count - slowFrom))
  return { startedAt: now, count, blockedUntil: wait === null ? null : now + wait }
}

// If the clock was set back, a wait is no longer than if it began now.
const waitMs = (now: number, series: Series | null, { longestMs }: Rule): number =>
  Math.min(Math.max(0, (series?.blockedUntil ?? 0) - now), longestMs)

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
