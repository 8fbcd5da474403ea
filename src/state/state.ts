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
  // Where the caller really is, which a key's addresses are compared with; absent: nowhere that any of them allows.
  readonly fullAddress?: string | null
  // The key as sent: stored as a hash only, because a caller may send a secret by mistake.
  readonly accessKey: string | null
  readonly codeHash: Uint8Array | null
  // false when the request is already known to be wrong: it counts for the rate, and no credentials are looked at.
  readonly isReadable: boolean
  readonly scope: readonly string[] | null
  readonly tokenHash: Uint8Array
}

// What credentials are sent for. Each has a window of its own; failures and blocks are shared.
export type CredentialsUse = 'token' | 'revocation'

export type TokenOutcome = { readonly window: Window } & (
  | { readonly is: 'not enabled' | 'rate limited' | 'unreadable' | 'refused' | 'scope not held' }
  | { readonly is: 'blocked'; readonly retryAfterSeconds: number }
  | { readonly is: 'granted'; readonly permissions: readonly Permission[] }
)

// Who types a password at the console: somebody who is signed in, or a browser with what it was given when it last signed in.
export type Trier = { readonly address: string } & (
  | { readonly browser: string | null }
  | { readonly sessionHash: Uint8Array }
)

export interface SignIn {
  // Derived from what was typed with the salt of the password that is set.
  readonly passwordHash: Uint8Array
  readonly sessionHash: Uint8Array
  // Who says to be signing in, for the audit.
  readonly by: string
}

// 'slowed': after earlier failures; the password was not looked at.
export type SignInOutcome =
  | { readonly is: 'granted' | 'refused' }
  | { readonly is: 'slowed'; readonly retryAfterSeconds: number }

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
  // null: it does not end by itself.
  readonly expires: Expiry | null
  // Ranges in canonical form; null: any address.
  readonly addresses: readonly string[] | null
  // During a rotation, and perhaps for a minute after it: until when the code before the present one is valid.
  readonly oldCodeUntil: number | null
  readonly createdAt: number
  readonly revokedAt: number | null
}

// The last day of a key, as it was given, and the moment at which that day is over.
export interface Expiry {
  readonly day: string
  readonly at: number
}

// What is given with a new key; the rest follows.
export type KeyTerms = Omit<Key, 'createdAt' | 'revokedAt' | 'isDisabled' | 'oldCodeUntil' | 'expires' | 'addresses'> &
  Partial<Pick<Key, 'expires' | 'addresses'>>

export type KeyChanges = Partial<
  Pick<Key, 'name' | 'permissions' | 'stores' | 'priceList' | 'rate' | 'isDisabled' | 'expires' | 'addresses'>
>

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
  'code rotated',
  'rotation finished',
  'key revoked',
  'subscription enabled',
  'subscription disabled',
  'blocks cleared',
  'caller blocked',
  'more callers blocked',
  'password set',
  'signed in',
  'everybody signed out',
  'sign-in slowed down',
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

// The minute in which a key last used a permission, or was given it; '' is whatever it asked for last.
export interface LastUse {
  readonly accessKey: string
  readonly permission: Permission | ''
  readonly at: number
  // From where; null: it was given, or used before this was written down.
  readonly address: string | null
}

export interface KeyExpiry {
  readonly accessKey: string
  readonly name: string
  readonly expires: Expiry
}

export interface State {
  // With which the tags of access tokens are made and checked (auth/secrets.ts), as last heard of: the same for all instances.
  tokenKey(): Promise<Uint8Array>
  // One round trip for token, key, window and subscription together. Counts the request in the key's window. A key that is
  // limited to addresses admits nobody whose full address is not given. Without a token it tells of the subscription, as it was
  // a moment ago at the earliest.
  admit(tokenHash: Uint8Array | null, fullAddress?: string | null): Promise<Admission>
  // Everything between a token request's body and its answer. Exact under concurrency.
  requestToken(attempt: TokenAttempt): Promise<TokenOutcome>
  // A client signs off: the same checks, then the token that is named ends, if it is a token of this key. `granted` does not say
  // whether there was one.
  revokeToken(attempt: Omit<TokenAttempt, 'scope'>): Promise<TokenOutcome>
  // The window of an address at /auth/token or /auth/revoke, without counting.
  tokenWindow(address: string, use?: CredentialsUse): Promise<Window>
  // The subscription as last heard of; never waits for the store.
  lastKnownEnabled(): boolean

  listKeys(): Promise<Key[]>
  findKey(accessKey: string): Promise<Key | null>
  // Of keys that end by themselves and are not revoked, by when they end.
  listExpiries(): Promise<KeyExpiry[]>
  isEnabled(): Promise<boolean>
  listBlocks(): Promise<Block[]>

  // What administrators do. Each act is written down with it, all or nothing; `by` is who did it, the service itself if nobody
  // is named.
  createKey(key: KeyTerms, codeHash: Uint8Array, by?: string): Promise<Key>
  // Nothing is changed of a key that is not as it was shown any more.
  updateKey(
    accessKey: string,
    changes: KeyChanges,
    by?: string,
    shown?: KeyAsShown,
  ): Promise<Key | 'changed meanwhile' | null>
  // A new code: the old one and every live token end at once.
  regenerateKey(accessKey: string, codeHash: Uint8Array, by?: string): Promise<Key | null>
  // A new code beside the present one, which then ends after the overlap. Tokens go on. Never a third.
  rotateKey(
    accessKey: string,
    codeHash: Uint8Array,
    overlapMs: number,
    by?: string,
  ): Promise<Key | 'under rotation' | null>
  // The old code ends at once. null: there is none.
  finishRotation(accessKey: string, by?: string): Promise<Key | null>
  revokeKey(accessKey: string, by?: string): Promise<Key | null>
  setEnabled(isEnabled: boolean, by?: string): Promise<void>
  // How many blocks and series of failures were forgotten.
  clearBlocks(address: string, by?: string): Promise<number>

  // The console's password; setting it ends every session, and any link to set it. null: none is set.
  findSalt(): Promise<Uint8Array | null>
  setPassword(password: Password, by?: string): Promise<void>
  // A link by which the first password can be set, once, until it ends. False: a password is set already.
  offerLink(linkHash: Uint8Array): Promise<boolean>
  isLinkOpen(linkHash: Uint8Array): Promise<boolean>
  useLink(linkHash: Uint8Array, password: Password, by?: string): Promise<boolean>
  // Seconds that a caller has to wait before a password is looked at: asked before one is derived, which is dear.
  signInWait(trier: Trier): Promise<number>
  // Exact under concurrency: what is typed during a wait is refused whether it is right or wrong.
  signIn(trier: Trier, attempt: SignIn): Promise<SignInOutcome>
  // Sets another one in place of what was typed, where that is right; no session begins.
  changePassword(trier: Trier, attempt: Omit<SignIn, 'sessionHash'>, password: Password): Promise<SignInOutcome>
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
