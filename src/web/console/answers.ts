// The JSON that the console's routes send and its page reads.
import type { Permission } from '../../catalogue/access.ts'
import type { permissionWords, presets } from '../../catalogue/permissions.ts'
import type { Resource } from '../../catalogue/resource.ts'
import type { ResourcePreview } from '../../describe/resource-preview.ts'
import type { Role } from '../../state/console-access.ts'
import type { causes } from '../../state/usage.ts'

export interface Data<Entry> {
  readonly data: readonly Entry[]
}

export interface Session {
  readonly signed_in: boolean
  // The name of the account.
  readonly account: string | null
  readonly role: Role | null
  readonly has_password: boolean
  // The subscription; like the rest, only in a session.
  readonly enabled?: boolean
  readonly words?: CatalogueWords
  readonly api?: {
    readonly port: number
    readonly base_path: string
    readonly authority: string | null
    readonly public_url: string | null
  }
}

// What the catalogue calls things, in every language.
export interface CatalogueWords {
  readonly permissions: typeof permissionWords
  readonly resources: readonly Pick<Resource, 'name' | 'names'>[]
  readonly presets: typeof presets
}

export interface Account {
  readonly name: string
  readonly role: Role
  readonly created_at: string
  readonly last_sign_in_at: string | null
  readonly is_self: boolean
}

export interface Key {
  readonly client_id: string
  readonly name: string
  readonly permissions: readonly string[]
  readonly stores: readonly number[] | null
  readonly price_list: number | null
  readonly rate: number
  // The last day on which it works.
  readonly expires: string | null
  // null before the last thirty days.
  readonly days_left: number | null
  readonly addresses: readonly string[] | null
  readonly old_code_until: string | null
  readonly state: 'active' | 'disabled' | 'expired' | 'revoked'
  readonly created_at: string
  readonly revoked_at: string | null
}

export interface ListedKey extends Key {
  readonly requests_today: number
  // The minute of its last use.
  readonly last_used: string | null
  readonly last_address: string | null
}

export interface ShownKey {
  readonly data: ListedKey
  // Permissions that it has not used in `days` days.
  readonly unused: readonly Permission[]
  readonly days: number
}

export interface NewCode {
  readonly data: Key
  readonly client_secret: string
}

export interface KeyPreview extends Data<ResourcePreview> {
  readonly key: Key
}

export interface UnusedKeys extends Data<Pick<Key, 'client_id' | 'name' | 'permissions'>> {
  readonly days: number
}

export interface Named {
  readonly id: number
  readonly name: string | null
}

// The stores and price lists that a key can be restricted to.
export interface Choices {
  readonly stores: readonly Named[]
  readonly price_lists: readonly Named[]
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

export interface Entry {
  readonly id: number
  readonly at: string
  readonly by: string
  readonly action: string
  readonly subject: string
  readonly name: string | null
  readonly details: Readonly<Record<string, unknown>>
}

// Newest first.
export interface Entries extends Data<Entry> {
  readonly is_last: boolean
  // All names in the history, to choose from.
  readonly by: readonly string[]
}

export interface Usage {
  readonly requests: number
  readonly records: number
  readonly refusals: Readonly<Record<(typeof causes)[number], number>>
}

export interface UsageAnswer {
  readonly name: string | null
  readonly hours: readonly (Usage & { readonly hour: string })[]
  readonly keys: readonly (Usage & Pick<Key, 'client_id'> & { readonly name: string | null })[]
  readonly resources: readonly (Usage & { readonly resource: string })[]
}

export interface Health {
  readonly engine_up: boolean
  readonly state_up: boolean
  readonly readers: number
  readonly readers_busy: number
  readonly waiting: number
  readonly statements_stopped: number
  readonly lag_seconds: number | null
  // A transaction of the POS that has been running for longer than a minute, and for which newer changes wait.
  readonly feed_hold: { readonly holder: string; readonly remedy: string; readonly seconds: number } | null
  readonly blocks: number | null
  // null: no lists are kept in memory.
  readonly plain_lists: readonly { readonly name: string; readonly why: string }[] | null
  // The time of the oldest change that programs can still read. null: all are there. Absent: no program has asked yet.
  readonly changes_from?: string | null
  // null: no copy is kept.
  readonly copy: HealthOfCopy | null
  readonly certificate_ends_at: string
}

export interface HealthOfCopy {
  // null: it is not complete yet.
  readonly age_seconds: number | null
  readonly problem: string | null
  readonly failing_since: string | null
  // Wrong rows of the POS, by relation.
  readonly kept_out: readonly { readonly relation: string; readonly rows: number }[]
  // Relations that would lose most of their rows: those in the copy, in the POS, and those that would be deleted.
  readonly waiting: readonly {
    readonly relation: string
    readonly had: number
    readonly has: number
    readonly lost: number
  }[]
}

// The number of records of a resource; null: could not be counted.
export interface Volume {
  readonly name: string
  readonly total: number | null
}
