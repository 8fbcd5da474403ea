// What the console's routes answer, as far as the page reads it.

export type KeyState = 'active' | 'disabled' | 'revoked'

export interface Key {
  readonly client_id: string
  readonly name: string
  readonly permissions: readonly string[]
  readonly stores: readonly number[] | null
  readonly price_list: number | null
  readonly rate: number
  readonly state: KeyState
  readonly created_at: string
  readonly revoked_at: string | null
}

export interface ListedKey extends Key {
  readonly requests_today: number
  // The hour of its last use.
  readonly last_used: string | null
}

export interface Named {
  readonly id: number
  readonly name: string | null
}

export interface Choices {
  readonly permissions: readonly { readonly name: string; readonly is_addition: boolean }[]
  readonly stores: readonly Named[]
  readonly price_lists: readonly Named[]
  // The POS database is away.
  readonly isUnread?: true
}

export interface Session {
  readonly signed_in: boolean
  readonly by: string | null
  readonly has_password: boolean
  // The subscription, for whoever is signed in.
  readonly enabled?: boolean
  readonly api?: { readonly port: number; readonly base_path: string; readonly authority: string | null }
}

export interface Use {
  readonly requests: number
  readonly records: number
  readonly refusals: number
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
