// An access: the permissions of a token and the restrictions of its key.

// The permissions that do not open a resource but add fields to others.
export const gates = ['costs:read', 'customers:financial'] as const
export type Gate = (typeof gates)[number]
export const isGate = (permission: string): permission is Gate => (gates as readonly string[]).includes(permission)

export type Permission = `${string}:read` | Gate

// The parts of the form of a key, and its ready-made choices.
export type Group = 'goods' | 'sales' | 'stock' | 'people'
export const presetNames = ['web_shop', 'accountant', 'dashboard'] as const
export type Preset = (typeof presetNames)[number]

export interface Access {
  readonly permissions: readonly Permission[]
  // null: every store. An empty list: no store.
  readonly stores: readonly number[] | null
  // null: not restricted to a price list.
  readonly priceList: number | null
}
