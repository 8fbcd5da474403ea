// Every route of the specification, and those that were added to it, written out: what the service offers is held
// against it.
import { isOverViews } from './place.ts'

// In the order of the specification; departments, price-lists and customer-types are named in it without fields.
export const permissionOf: Readonly<Record<string, string>> = {
  products: 'products:read',
  customers: 'customers:read',
  vendors: 'vendors:read',
  quotes: 'quotes:read',
  'sales-orders': 'sales-orders:read',
  invoices: 'invoices:read',
  'credit-memos': 'credit-memos:read',
  payments: 'payments:read',
  'purchase-orders': 'purchase-orders:read',
  receivings: 'receivings:read',
  transfers: 'transfers:read',
  adjustments: 'adjustments:read',
  stores: 'reference:read',
  'sub-departments': 'reference:read',
  departments: 'reference:read',
  'price-lists': 'reference:read',
  'customer-types': 'reference:read',
}

export const allPermissions = [...new Set(Object.values(permissionOf)), 'costs:read', 'customers:financial']

export const listPaths = Object.keys(permissionOf).map((name) => `/${name}`)
export const detailPaths = listPaths.map((path) => `${path}/1`)
export const dataPaths = [...listPaths, ...detailPaths]
// Where the POS database has our journal.
export const feedPaths = ['/changes', ...listPaths.map((path) => `/changes${path}`)]
// Everything that a bearer token opens.
export const tokenPaths = ['/ping', '/resources', ...dataPaths, ...(isOverViews ? [] : feedPaths)]
// Those that take credentials: by POST, with errors in the OAuth format.
export const credentialsPaths = ['/auth/token', '/auth/revoke']
export const allPaths = ['/status', ...credentialsPaths, '/openapi.json', ...tokenPaths]

export const methodOf = (path: string) => (credentialsPaths.includes(path) ? 'POST' : 'GET')

// By its whole path: it stands beside the API.
export const metadataPath = '/.well-known/oauth-authorization-server'
