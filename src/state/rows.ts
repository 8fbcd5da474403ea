// How stores write parts of a key down, and read them again.
import { inPermissionOrder, type Permission } from '../catalogue/access.ts'
import { isWithin, readRange } from '../platform/addresses.ts'
import type { Expiry, Key, KeyAsShown, KeyTerms, LastUse } from './state.ts'

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

export const writeAddresses = (ranges: Key['addresses']) => (ranges === null ? null : JSON.stringify(ranges))
export function readAddresses(cell: unknown): string[] | null {
  if (cell === null) return null
  if (typeof cell !== 'string') throw new Error('a key has no readable addresses')
  return JSON.parse(cell) as string[]
}

// Whether a key may be used from there. Where it has no ranges others are compared all the same, and to read ranges takes longer
// than to compare them, so they are read once: the time does not tell.
export function isAllowedFrom(cell: unknown, fullAddress: string | null | undefined): boolean {
  const isIn = isWithin(rangesOf(cell ?? standIn), fullAddress ?? '')
  return cell === null || isIn
}

// Of nobody: ranges for documentation (RFC 5737, RFC 3849).
const standIn = '["192.0.2.0/24","2001:db8::/32"]'
const known = new Map<unknown, ReturnType<typeof readRanges>>()
const mostKnown = 1000

function rangesOf(cell: unknown) {
  const found = known.get(cell)
  if (found) return found
  const ranges = readRanges(cell)
  if (known.size >= mostKnown) known.clear()
  known.set(cell, ranges)
  return ranges
}

const readRanges = (cell: unknown) =>
  (readAddresses(cell) ?? []).map(readRange).flatMap((each) => ('range' in each ? [each.range] : []))

export function readExpiry(day: unknown, at: unknown): Expiry | null {
  if (at === null) return null
  if (typeof at !== 'number') throw new Error('a key has no readable end')
  return { day: String(day), at }
}

export const newKey = (terms: KeyTerms, createdAt: number): Key => ({
  expires: null,
  addresses: null,
  ...terms,
  isDisabled: false,
  oldCodeUntil: null,
  createdAt,
  revokedAt: null,
})

export const writePermissions = (permissions: readonly Permission[]) => permissions.join(' ')
export const readPermissions = (cell: unknown) => inPermissionOrder(String(cell).split(' '))

// What a token was granted, as far as its key still holds it.
export function stillHeld(granted: unknown, held: unknown): Permission[] {
  const kept = new Set(readPermissions(held))
  return readPermissions(granted).filter((permission) => kept.has(permission))
}

// Two administrators may have the same key before them: the second must see what the first has done.
export function isAsShown(key: Key, shown: KeyAsShown = {}): boolean {
  const own = { ...key, expires: key.expires?.day ?? null }
  return Object.entries(shown).every(
    ([name, value]) => JSON.stringify(own[name as keyof KeyAsShown]) === JSON.stringify(value),
  )
}

const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const minuteOf = (now: number) => now - (now % minuteMs)
export const hourOf = (now: number) => now - (now % hourMs)

// What a key has just been given counts as used: nobody can have needed it before.
export const givenNow = (now: number, key: Key, before?: Key): LastUse[] =>
  key.permissions
    .filter((permission) => !before?.permissions.includes(permission))
    .map((permission) => ({ accessKey: key.accessKey, permission, at: minuteOf(now), address: null }))
