// How both stores write the parts of a key and read them again, and the rules for keys that they share.
import { inPermissionOrder, type Permission } from '../catalogue/access.ts'
import { isWithin, readRange } from '../platform/addresses.ts'
import { createLruCache } from '../platform/lru-cache.ts'
import type { Expiry, Key, KeyAsShown, KeyTerms, LastUse } from './state.ts'

export const writeStores = (stores: readonly number[] | null) => (stores === null ? null : JSON.stringify(stores))
// Anything but null or a list throws: a restriction must not get lost.
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

// Whether a key may be used from this address. A key without ranges is compared with stand-ins, and parsed ranges are cached, so
// that the time of a refusal does not tell whether the key exists or is limited.
export function isAllowedFrom(cell: unknown, fullAddress: string | null | undefined): boolean {
  const isIn = isWithin(rangesOf(cell ?? standIn), fullAddress ?? '')
  return cell === null || isIn
}

// Ranges reserved for documentation (RFC 5737, RFC 3849).
const standIn = '["192.0.2.0/24","2001:db8::/32"]'
const parsedRanges = createLruCache<unknown, ReturnType<typeof readRanges>>(1000)
const rangesOf = (cell: unknown) => parsedRanges.get(cell) ?? parsedRanges.set(cell, readRanges(cell))

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

// The permissions of a token that its key still holds.
export function stillHeld(granted: unknown, held: unknown): Permission[] {
  const kept = new Set(readPermissions(held))
  return readPermissions(granted).filter((permission) => kept.has(permission))
}

// Two administrators may edit the same key: the second must first see the changes of the first.
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

// A permission counts as used when it is given, so that a new one is not listed as unused.
export const grantedNow = (now: number, key: Key, before?: Key): LastUse[] =>
  key.permissions
    .filter((permission) => !before?.permissions.includes(permission))
    .map((permission) => ({ accessKey: key.accessKey, permission, at: minuteOf(now), address: null }))
