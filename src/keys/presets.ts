// Ready-made choices of permissions for a new key, by what the key is for. An administrator can then change them.
import type { Permission } from '../catalogue/access.ts'

interface Preset {
  readonly id: string
  readonly permissions: readonly Permission[]
}

// Each has `reference:read`, which names stores, departments and price lists. Only an accountant sees costs and balances.
export const presets = [
  { id: 'web_shop', permissions: ['products:read', 'reference:read'] },
  {
    id: 'accountant',
    permissions: [
      'customers:read',
      'vendors:read',
      'invoices:read',
      'credit-memos:read',
      'payments:read',
      'purchase-orders:read',
      'receivings:read',
      'adjustments:read',
      'reference:read',
      'costs:read',
      'customers:financial',
    ],
  },
  {
    id: 'dashboard',
    permissions: ['quotes:read', 'sales-orders:read', 'invoices:read', 'credit-memos:read', 'reference:read'],
  },
] as const satisfies readonly Preset[]
