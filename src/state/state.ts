// What the service itself remembers: keys, tokens, windows, blocks and the subscription. One interface for every store.
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

export interface Key extends Access {
  readonly accessKey: string
  readonly name: string
  readonly rate: number
  readonly isDisabled: boolean
  readonly createdAt: number
  readonly revokedAt: number | null
}

export type KeyChanges = Partial<Pick<Key, 'name' | 'permissions' | 'stores' | 'priceList' | 'rate' | 'isDisabled'>>

export interface Block {
  readonly address: string
  // Blocked for one key, or whatever the key.
  readonly scope: 'key' | 'address'
  // The key that was tried, where it is one of ours.
  readonly accessKey: string | null
  readonly failures: number
  readonly until: number
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

  createKey(key: Omit<Key, 'createdAt' | 'revokedAt' | 'isDisabled'>, codeHash: Uint8Array): Promise<Key>
  listKeys(): Promise<Key[]>
  findKey(accessKey: string): Promise<Key | null>
  updateKey(accessKey: string, changes: KeyChanges): Promise<Key | null>
  // A new code: the old one and every live token end at once.
  regenerateKey(accessKey: string, codeHash: Uint8Array): Promise<Key | null>
  revokeKey(accessKey: string): Promise<Key | null>
  setEnabled(isEnabled: boolean): Promise<void>
  isEnabled(): Promise<boolean>
  listBlocks(): Promise<Block[]>
  // How many blocks and series of failures were forgotten.
  clearBlocks(address: string): Promise<number>
  close(): Promise<void>
}
