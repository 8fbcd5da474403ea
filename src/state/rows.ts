// How stores write parts of a key down, and read them again.
import { inPermissionOrder, type Permission } from '../catalogue/access.ts'

export const writeStores = (stores: readonly number[] | null) => (stores === null ? null : JSON.stringify(stores))
export const readStores = (cell: unknown) => (typeof cell === 'string' ? (JSON.parse(cell) as number[]) : null)

export const writePermissions = (permissions: readonly Permission[]) => permissions.join(' ')
export const readPermissions = (cell: unknown) => inPermissionOrder(String(cell).split(' '))

// What a token was granted, as far as its key still holds it.
export function stillHeld(granted: unknown, held: unknown): Permission[] {
  const kept = new Set(readPermissions(held))
  return readPermissions(granted).filter((permission) => kept.has(permission))
}
