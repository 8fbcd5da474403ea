// What the console's routes answer, as far as the page reads it.

export type KeyState = 'active' | 'disabled' | 'expired' | 'revoked'

export interface Key {
  readonly client_id: string
  readonly name: string
  readonly permissions: readonly string[]
  readonly stores: readonly number[] | null
  readonly price_list: number | null
  readonly rate: number
  // Its last day.
  readonly expires: string | null
  // Only in the last thirty days.
  readonly days_left: number | null
  readonly addresses: readonly string[] | null
  readonly old_code_until: string | null
  readonly state: KeyState
  readonly created_at: string
  readonly revoked_at: string | null
}

export interface ListedKey extends Key {
  readonly requests_today: number
  // The minute of its last use.
  readonly last_used: string | null
  readonly last_address: string | null
}

export interface Named {
  readonly id: number
  readonly name: string | null
}

export interface Choices {
  readonly stores: readonly Named[]
  readonly price_lists: readonly Named[]
  readonly presets?: readonly Preset[]
  // The POS database could not be read.
  readonly isUnread?: true
}

export interface Preset {
  readonly id: 'web_shop' | 'accountant' | 'dashboard'
  readonly permissions: readonly string[]
}

export interface Block {
  readonly address: string
  // 'address': blocked for every key.
  readonly scope: 'key' | 'address'
  readonly client_id: string | null
  readonly name: string | null
  readonly failures: number
  readonly until: string
}

export interface Session {
  readonly signed_in: boolean
  readonly by: string | null
  readonly account: string | null
  readonly role: 'administrator' | 'viewer' | null
  readonly has_password: boolean
  // The subscription; only in a session.
  readonly enabled?: boolean
  readonly api?: { readonly port: number; readonly base_path: string; readonly authority: string | null }
}

export interface Entry {
  readonly id: number
  readonly at: string
  readonly by: string
  readonly act: string
  readonly subject: string
  readonly name: string | null
  readonly details: Readonly<Record<string, unknown>>
}
