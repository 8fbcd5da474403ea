// The part of the state that the console needs: accounts, sign-in and sessions.

export const roles = ['administrator', 'viewer'] as const
// A viewer sees everything and changes nothing but their own password.
export type Role = (typeof roles)[number]

// Names that differ only in case, or in how letters are composed, are one account.
export const accountId = (name: string): string => name.normalize('NFC').toLowerCase()

// A person who signs in to the console.
export interface Account {
  readonly name: string
  readonly role: Role
  readonly createdAt: number
  readonly lastSignInAt: number | null
}

interface AccountChanges {
  readonly role?: Role | undefined
  readonly password?: Password | undefined
}

// Where the password of an account is typed: in a session, or in a browser, with the name it got when it last signed in.
export type SignInOrigin = { readonly address: string; readonly account: string } & (
  | { readonly browser: string | null }
  | { readonly sessionHash: Uint8Array }
)

export interface SignIn {
  // Derived from the typed password with the salt of the account.
  readonly passwordHash: Uint8Array
  readonly sessionHash: Uint8Array
}

// 'slowed': the caller must wait after earlier failures; the password was not checked.
export type SignInOutcome =
  | { readonly is: 'granted' | 'refused' }
  | { readonly is: 'slowed'; readonly retryAfterSeconds: number }

export interface Password {
  readonly salt: Uint8Array
  readonly hash: Uint8Array
}

export interface ConsoleSession extends Pick<Account, 'role'> {
  // The name of the account.
  readonly account: string
  // The same person, for the audit.
  readonly by: string
  readonly startedAt: number
}

// Accounts and sessions of the console. The last administrator can neither be removed nor become a viewer.
export interface ConsoleAccess {
  // By name.
  listAccounts(): Promise<Account[]>
  // null: there is no such account.
  findSalt(account: string): Promise<Uint8Array | null>
  // Ends every link.
  createAccount(name: string, role: Role, password: Password, by?: string): Promise<Account | 'exists'>
  // A change ends the sessions of the account.
  updateAccount(name: string, changes: AccountChanges, by?: string): Promise<Account | 'last administrator' | null>
  removeAccount(name: string, by?: string): Promise<Account | 'last administrator' | null>
  // A link that makes the first account, an administrator, once, until it expires. false: there is an account.
  offerLink(linkHash: Uint8Array): Promise<boolean>
  isLinkOpen(linkHash: Uint8Array): Promise<boolean>
  useLink(linkHash: Uint8Array, name: string, password: Password, by?: string): Promise<boolean>
  // Seconds until the next attempt is checked. Asked before deriving a hash, which is expensive.
  signInWait(origin: SignInOrigin): Promise<number>
  // Exact under concurrency: an attempt during a wait is refused, right or wrong.
  signIn(origin: SignInOrigin, attempt: SignIn): Promise<SignInOutcome>
  // Sets a new password if the attempt names the current one, and ends the sessions of the account. Starts no session.
  changePassword(origin: SignInOrigin, passwordHash: Uint8Array, password: Password): Promise<SignInOutcome>
  // Extends the session if `isUse`: an automatic refresh must not keep it alive.
  findSession(sessionHash: Uint8Array, isUse?: boolean): Promise<ConsoleSession | null>
  endSession(sessionHash: Uint8Array): Promise<void>
  endSessions(by?: string): Promise<void>
}
