// What the service itself remembers: keys, tokens, windows, blocks, the subscription, what was done by whom, and how much each
// key was used. One interface for every store.
// If a store cannot answer, its promise is rejected and the request is refused: nothing is let through.
import type { Access, Permission } from '../catalogue/access.ts'

// A fixed window of requests, as the X-RateLimit headers show it.
export interface Window {
  readonly limit: number
  readonly remaining: number
  // Whole seconds to the end of the window, rounded up, at least 1.
  readonly resetSeconds: number
  // The request that was just counted is one too many.
  readonly isExceeded: boolean
}

export interface Caller extends Access {
  readonly accessKey: string
  readonly name: string
}

export interface Admission {
  readonly isEnabled: boolean
  // null: no token was given, or it is not valid (any more).
  readonly admitted: { readonly caller: Caller; readonly window: Window } | null
}

export interface TokenAttempt {
  readonly address: string
  // The key as sent: stored as a hash only, because a caller may send a secret by mistake.
  readonly accessKey: string | null
  readonly codeHash: Uint8Array | null
  // false when the request is already known to be wrong: it counts for the rate, and no credentials are looked at.
  readonly isReadable: boolean
  readonly scope: readonly string[] | null
  readonly tokenHash: Uint8Array
}

export type TokenOutcome = { readonly window: Window } & (
  | { readonly is: 'not enabled' | 'rate limited' | 'unreadable' | 'refused' | 'scope not held' }
  | { readonly is: 'blocked'; readonly retryAfterSeconds: number }
  | { readonly is: 'granted'; readonly permissions: readonly Permission[] }
)

// Signing in to the console: counted, refused and blocked as token requests are.
export interface SignIn {
  readonly address: string
  // Derived from what was typed with the salt of the password that is set.
  readonly passwordHash: Uint8Array | null
  readonly sessionHash: Uint8Array
  // Who says to be signing in, for the audit.
  readonly by: string
  // Set in place of the one that was typed, instead of a session.
  readonly newPassword?: Password
}

export interface Password {
  readonly salt: Uint8Array
  readonly hash: Uint8Array
}

export interface Session {
  readonly by: string
  readonly startedAt: number
}

export interface Key extends Access {
  readonly accessKey: string
  readonly name: string
  readonly rate: number
  readonly isDisabled: boolean
  readonly createdAt: number
  readonly revokedAt: number | null
}

export type KeyChanges = Partial<Pick<Key, 'name' | 'permissions' | 'stores' | 'priceList' | 'rate' | 'isDisabled'>>

// What somebody had before them when they decided on a change, as far as they say.
export type KeyAsShown = { readonly [Name in keyof KeyChanges]: unknown }

export interface Block {
  readonly address: string
  // Blocked for one key, or whatever the key.
  readonly scope: 'key' | 'address'
  // The key that was tried, where it is one of ours.
  readonly accessKey: string | null
  readonly failures: number
  readonly until: number
}

// What administrators did, and who was blocked.
export const acts = [
  'key created',
  'key changed',
  'code regenerated',
  'key revoked',
  'subscription enabled',
  'subscription disabled',
  'blocks cleared',
  'caller blocked',
  'password set',
  'signed in',
  'everybody signed out',
] as const
export type Act = (typeof acts)[number]

export interface AuditEntry {
  // Counts up: the later act has the higher one.
  readonly id: number
  readonly at: number
  readonly by: string
  readonly act: Act
  // The access key or the address it was done to; the company's is empty.
  readonly subject: string
  // What changed: for a key, each field with what it was and what it is.
  readonly details: Readonly<Record<string, unknown>>
}

export interface AuditQuery {
  readonly limit: number
  // Only entries that are older than this one.
  readonly before?: number
  readonly subject?: string
  readonly by?: string
  readonly act?: Act
  // From the first to before the second.
  readonly from?: number
  readonly to?: number
}

// A refusal is any answer but 200 that somebody still waited for.
export interface Use {
  readonly requests: number
  readonly records: number
  readonly refusals: number
}

// Of one key in one hour.
export interface Usage extends Use {
  readonly hour: number
  readonly accessKey: string
}
export type UseOfHour = Omit<Usage, 'accessKey'>
export type UseOfKey = Omit<Usage, 'hour'>

// The hour in which a key last used a permission, or was given it; '' is whatever it asked for last.
export interface LastUse {
  readonly accessKey: string
  readonly permission: Permission | ''
  readonly hour: number
}

export interface State {
  // One round trip for token, key, window and subscription together. Counts the request in the key's window.
  admit(tokenHash: Uint8Array | null): Promise<Admission>
  // Everything between a token request's body and its answer. Exact under concurrency.
  requestToken(attempt: TokenAttempt): Promise<TokenOutcome>
  // The token window of an address, without counting.
  tokenWindow(address: string): Promise<Window>
  // The subscription as last heard of; never waits for the store.
  lastKnownEnabled(): boolean

  listKeys(): Promise<Key[]>
  findKey(accessKey: string): Promise<Key | null>
  isEnabled(): Promise<boolean>
  listBlocks(): Promise<Block[]>

  // What administrators do. Each act is written down with it, all or nothing; `by` is who did it, the service itself if nobody
  // is named.
  createKey(key: Omit<Key, 'createdAt' | 'revokedAt' | 'isDisabled'>, codeHash: Uint8Array, by?: string): Promise<Key>
  // Nothing is changed of a key that is not as it was shown any more.
  updateKey(
    accessKey: string,
    changes: KeyChanges,
    by?: string,
    shown?: KeyAsShown,
  ): Promise<Key | 'changed meanwhile' | null>
  // A new code: the old one and every live token end at once.
  regenerateKey(accessKey: string, codeHash: Uint8Array, by?: string): Promise<Key | null>
  revokeKey(accessKey: string, by?: string): Promise<Key | null>
  setEnabled(isEnabled: boolean, by?: string): Promise<void>
  // How many blocks and series of failures were forgotten.
  clearBlocks(address: string, by?: string): Promise<number>

  // The console's password; setting it ends every session, and any link to set it. null: none is set.
  findSalt(): Promise<Uint8Array | null>
  setPassword(password: Password, by?: string): Promise<void>
  // A link by which the first password can be set, once, until it ends. False: a password is set already.
  offerLink(linkHash: Uint8Array): Promise<boolean>
  useLink(linkHash: Uint8Array, password: Password, by?: string): Promise<boolean>
  signIn(attempt: SignIn): Promise<TokenOutcome>
  // A session that is used goes on; one that is left alone ends, and so does each after half a day. Not every question is use.
  findSession(sessionHash: Uint8Array, isUse?: boolean): Promise<Session | null>
  endSession(sessionHash: Uint8Array): Promise<void>
  endSessions(by?: string): Promise<void>

  // The latest first.
  listAudit(query: AuditQuery): Promise<AuditEntry[]>
  // Everybody it names, in the order of their names.
  listActors(): Promise<string[]>
  // Adds to what is there; of a last use, the later one stays.
  addUsage(usage: readonly Usage[], lastUse?: readonly LastUse[]): Promise<void>
  // Hours from the first to before the second, in order, then by key.
  listUsage(from: number, to: number): Promise<Usage[]>
  // Summed where it is kept. null: of all keys.
  usageByHour(from: number, to: number, accessKey: string | null): Promise<UseOfHour[]>
  usageByKey(from: number, to: number): Promise<UseOfKey[]>
  // Of each key, or of each of its permissions; by key, then permission. null: of all keys.
  listLastUse(of: 'keys' | 'permissions', accessKey: string | null): Promise<LastUse[]>
  close(): Promise<void>
}
