// The interface of every store of the service's own state: keys, tokens, rate windows, blocks, the subscription, the accounts of
// the console, the audit and the usage of each key. If a store cannot answer, its promise is rejected and the request is refused.
import type { Access, Permission } from '../catalogue/access.ts'
import type { ConsoleAccess } from './console-access.ts'
import type { Usage, UsageBy, UsageDimension, UsageRange } from './usage.ts'

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
  // null: no token, or an invalid one.
  readonly admitted: { readonly caller: Caller; readonly window: Window } | null
}

export interface TokenAttempt {
  readonly address: string
  // Compared with the addresses that a key is limited to; if absent, such a key is refused.
  readonly fullAddress?: string | null
  // As sent. Stored only as a hash, because a caller may send a secret by mistake.
  readonly accessKey: string | null
  readonly codeHash: Uint8Array | null
  // false: the request is malformed. It counts for the rate limit; its credentials are not checked.
  readonly isReadable: boolean
  readonly scope: readonly string[] | null
  readonly tokenHash: Uint8Array
}

// Each purpose has its own rate window; failures and blocks are shared.
export type CredentialsPurpose = 'token' | 'revocation'

export type TokenOutcome = { readonly window: Window } & (
  | { readonly is: 'not enabled' | 'rate limited' | 'unreadable' | 'refused' | 'scope not held' }
  | { readonly is: 'blocked'; readonly retryAfterSeconds: number }
  | { readonly is: 'granted'; readonly permissions: readonly Permission[] }
)

export interface Key extends Access {
  readonly accessKey: string
  readonly name: string
  readonly rate: number
  readonly isDisabled: boolean
  // null: no expiry.
  readonly expires: Expiry | null
  // Ranges in canonical form; null: any address.
  readonly addresses: readonly string[] | null
  // When the previous code stops being valid. Set during a rotation and up to a minute after it.
  readonly oldCodeUntil: number | null
  readonly createdAt: number
  readonly revokedAt: number | null
}

// The last day of a key, and the moment at which that day ends.
export interface Expiry {
  readonly day: string
  readonly at: number
}

export type KeyTerms = Omit<Key, 'createdAt' | 'revokedAt' | 'isDisabled' | 'oldCodeUntil' | 'expires' | 'addresses'> &
  Partial<Pick<Key, 'expires' | 'addresses'>>

export type KeyChanges = Partial<
  Pick<Key, 'name' | 'permissions' | 'stores' | 'priceList' | 'rate' | 'isDisabled' | 'expires' | 'addresses'>
>

// The values on the administrator's screen when a change was made; absent values are not compared.
export type KeyAsShown = { readonly [Name in keyof KeyChanges]: unknown }

export interface Block {
  readonly address: string
  // 'address': blocked for every key.
  readonly scope: 'key' | 'address'
  // null: an unknown key, or every key.
  readonly accessKey: string | null
  readonly failures: number
  readonly until: number
}

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
  'account created',
  'account changed',
  'account removed',
  'password set',
  'signed in',
  'everybody signed out',
  'sign-in slowed down',
] as const
export type Act = (typeof acts)[number]

export interface AuditEntry {
  // Ascending with time.
  readonly id: number
  readonly at: number
  readonly by: string
  readonly act: Act
  // An access key, an address or the name of an account; empty for the company.
  readonly subject: string
  // For a changed key: each changed field with its old and new value.
  readonly details: Readonly<Record<string, unknown>>
}

export interface AuditQuery {
  readonly limit: number
  // Only entries older than this id.
  readonly before?: number
  readonly subjects?: readonly string[]
  readonly by?: string
  readonly act?: Act
  readonly from?: number
  // Exclusive.
  readonly to?: number
}

// When a key last used a permission, or was given it.
export interface LastUse {
  readonly accessKey: string
  // '': any request.
  readonly permission: Permission | ''
  // The beginning of a minute.
  readonly at: number
  // null: the permission was given, not used.
  readonly address: string | null
}

export interface KeyExpiry {
  readonly accessKey: string
  readonly name: string
  readonly expires: Expiry
}

// Each change and its audit entry are one transaction. Without `by`, the audit names the service itself.
export interface KeyAdministration {
  listKeys(): Promise<Key[]>
  findKey(accessKey: string): Promise<Key | null>
  // Keys that expire and are not revoked, soonest first.
  listExpiries(): Promise<KeyExpiry[]>
  createKey(key: KeyTerms, codeHash: Uint8Array, by?: string): Promise<Key>
  // Changes nothing if the key differs from `shown`.
  updateKey(
    accessKey: string,
    changes: KeyChanges,
    by?: string,
    shown?: KeyAsShown,
  ): Promise<Key | 'changed meanwhile' | null>
  // Replaces the code. The old code and every live token end at once.
  regenerateKey(accessKey: string, codeHash: Uint8Array, by?: string): Promise<Key | null>
  // Adds a new code. The current one stays valid for the overlap; tokens stay valid. Never a third code.
  rotateKey(
    accessKey: string,
    codeHash: Uint8Array,
    overlapMs: number,
    by?: string,
  ): Promise<Key | 'under rotation' | null>
  // Ends the old code at once. null: no rotation is under way.
  finishRotation(accessKey: string, by?: string): Promise<Key | null>
  revokeKey(accessKey: string, by?: string): Promise<Key | null>
  setEnabled(isEnabled: boolean, by?: string): Promise<void>
}

export interface History {
  // Latest first.
  listAudit(query: AuditQuery): Promise<AuditEntry[]>
  // Every `by` of the audit, sorted.
  listActors(): Promise<string[]>
  // Every `subject` of the audit, sorted.
  listSubjects(): Promise<string[]>
  // Adds to the stored counts; keeps the later of two last uses.
  addUsage(usage: readonly Usage[], lastUse?: readonly LastUse[]): Promise<void>
  // One sum for each hour, key or resource, or each combination of them, in that order.
  sumUsage<By extends UsageDimension>(by: readonly By[], range: UsageRange): Promise<UsageBy<By>[]>
  // For each key, or for each of its permissions. By key, then permission. null: all keys.
  listLastUse(of: 'keys' | 'permissions', accessKey: string | null): Promise<LastUse[]>
}

export interface State extends KeyAdministration, ConsoleAccess, History {
  // The key that tags access tokens (auth/secrets.ts), as last read. All instances share it.
  tokenKey(): Promise<Uint8Array>
  // Checks token, key, window and subscription in one round trip, and counts the request in the key's window. Without a token
  // only the subscription is checked, which may be as old as a moment.
  admit(tokenHash: Uint8Array | null, fullAddress?: string | null): Promise<Admission>
  // Everything between a token request's body and its answer. Exact under concurrency.
  requestToken(attempt: TokenAttempt): Promise<TokenOutcome>
  // The same checks; then ends the token if it belongs to this key. `granted` does not tell whether the token existed.
  revokeToken(attempt: Omit<TokenAttempt, 'scope'>): Promise<TokenOutcome>
  // The window of an address at /auth/token or /auth/revoke, without counting.
  tokenWindow(address: string, purpose?: CredentialsPurpose): Promise<Window>
  isEnabled(): Promise<boolean>
  // The subscription as last read; never waits for the store.
  lastKnownEnabled(): boolean
  listBlocks(): Promise<Block[]>
  // The number of blocks and series of failures that were deleted.
  clearBlocks(address: string, by?: string): Promise<number>
  close(): Promise<void>
}
