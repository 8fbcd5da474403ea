// The security schemes: how callers sign in, and what each permission opens.
import { isGate, type Gate, type Permission } from '../../catalogue/access.ts'
import type { FieldDescription, ResourceDescription } from '../resources.ts'
import type { ByName } from './parts.ts'

export type Security = readonly ByName<readonly string[]>[]

// Any valid token, or one with these permissions.
export const needs = (...permissions: Permission[]): Security => [{ token: permissions }]
export const openToAll: Security = []
export const openToAllOrTokens: Security = [{}, { token: [] }]
export const credentials: Security = [{ credentials: [] }, {}]

export const securitySchemes = (
  permissions: readonly Permission[],
  described: readonly ResourceDescription[],
  baseUrl: string,
) => ({
  token: {
    type: 'oauth2',
    description:
      'An access token of /auth/token. Use it until it is refused with `invalid_token`, then ask for a new one.',
    flows: {
      clientCredentials: {
        tokenUrl: `${baseUrl}/auth/token`,
        scopes: Object.fromEntries(permissions.map((permission) => [permission, opens(permission, described)])),
      },
    },
  },
  credentials: {
    type: 'http',
    scheme: 'basic',
    description: 'The access key as the name, the security code as the password.',
  },
})

function opens(permission: Permission, described: readonly ResourceDescription[]): string {
  if (!isGate(permission)) {
    const own = described.filter((resource) => resource.permission === permission)
    return `Opens ${own.map(({ name }) => name).join(', ')}.`
  }
  const adds = described.flatMap(({ name, fields }) => {
    const own = gated(fields, permission)
    return own.length > 0 ? [`${name} (${own.join(', ')})`] : []
  })
  return adds.length > 0 ? `Adds fields to ${adds.join(', ')}.` : 'Adds fields to resources that are not open.'
}

const gated = (fields: readonly FieldDescription[], gate: Gate): string[] =>
  fields.flatMap(({ name, permission, items = [] }) =>
    permission === gate ? [name] : gated(items, gate).map((item) => `${name}.${item}`),
  )
