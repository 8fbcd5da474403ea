// Every route of the specification, and those that were added to it: what the service offers is held against it.
import { addOns } from './gates.ts'
import { isOverViews } from './place.ts'
import { specification } from './specification/index.ts'

export const permissionOf: Readonly<Record<string, string>> = Object.fromEntries(
  specification.map(({ name, permission }) => [name, permission]),
)
export const allPermissions = [...new Set(Object.values(permissionOf)), ...addOns]

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
