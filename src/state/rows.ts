// How stores write parts of a key down, and read them again.
import { inPermissionOrder, type Permission } from '../catalogue/access.ts'
import type { Key, KeyAsShown, LastUse } from './state.ts'

export const writeStores = (stores: readonly number[] | null) => (stores === null ? null : JSON.stringify(stores))
// Anything but null or a list is refused: a restriction must not get lost.
export function readStores(cell: unknown): number[] | null {
  if (cell === null) return null
  if (typeof cell !== 'string') throw new Error('a key has no readable stores')
  return JSON.parse(cell) as number[]
}

export function readPriceList(cell: unknown): number | null {
  if (cell === null || typeof cell === 'number') return cell
  throw new Error('a key has no readable price list')
}

export const writePermissions = (permissions: readonly Permission[]) => permissions.join(' ')
export const readPermissions = (cell: unknown) => inPermissionOrder(String(cell).split(' '))

// What a token was granted, as far as its key still holds it.
export function stillHeld(granted: unknown, held: unknown): Permission[] {
  const kept = new Set(readPermissions(held))
  return readPermissions(granted).filter((permission) => kept.has(permission))
}

// Two administrators may have the same key before them: the second must see what the first has done.
export const isAsShown = (key: Key, shown: KeyAsShown = {}): boolean =>
  Object.entries(shown).every(
    ([name, value]) => JSON.stringify(key[name as keyof KeyAsShown]) === JSON.stringify(value),
  )

const hourMs = 3_600_000
export const hourOf = (now: number) => now - (now % hourMs)

// What a key has just been given counts as used: nobody can have needed it before.
export const givenNow = (now: number, key: Key, before?: Key): LastUse[] =>
  key.permissions
    .filter((permission) => !before?.permissions.includes(permission))
    .map((permission) => ({ accessKey: key.accessKey, permission, hour: hourOf(now) }))
