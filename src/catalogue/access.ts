// An access: the permissions of a token and the restrictions of its key.

// In the order of the specification's table, which is also the order in a granted scope.
export const permissions = [
  'products:read',
  'customers:read',
  'vendors:read',
  'quotes:read',
  'sales-orders:read',
  'invoices:read',
  'credit-memos:read',
  'payments:read',
  'purchase-orders:read',
  'receivings:read',
  'transfers:read',
  'adjustments:read',
  'reference:read',
  'costs:read',
  'customers:financial',
] as const

export type Permission = (typeof permissions)[number]

// The permissions that do not open a resource but add fields to others.
export const gates = ['costs:read', 'customers:financial'] as const satisfies readonly Permission[]
export type Gate = (typeof gates)[number]

export interface Access {
  readonly permissions: readonly Permission[]
  // null: every store. An empty list: no store.
  readonly stores: readonly number[] | null
  // null: not restricted to a price list.
  readonly priceList: number | null
}

export function inPermissionOrder(names: Iterable<string>): Permission[] {
  const wanted = new Set(names)
  return permissions.filter((permission) => wanted.has(permission))
}
