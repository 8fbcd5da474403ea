// How a key is written into columns and read again, and rules for keys.
import type { Permission } from '../catalogue/access.ts'
import { inPermissionOrder } from '../catalogue/permissions.ts'
import { isWithin, readRange } from '../platform/addresses.ts'
import { createBoundedCache } from '../platform/bounded-cache.ts'
import type { Caller, Expiry, Key, KeyAsShown, KeyTerms, LastUse } from './state.ts'
import { raw, sql, type Row } from './steps.ts'

const writeList = (items: readonly unknown[] | null) => (items === null ? null : JSON.stringify(items))
// Anything but null or a list throws: a restriction must not get lost.
function readList(cell: unknown, what: string): unknown[] | null {
  if (cell === null) return null
  if (typeof cell !== 'string') throw new Error(`a key has no readable ${what}`)
  return JSON.parse(cell) as unknown[]
}
const readStores = (cell: unknown) => readList(cell, 'stores') as number[] | null
const readAddresses = (cell: unknown) => readList(cell, 'addresses') as string[] | null

function readPriceList(cell: unknown): number | null {
  if (cell === null || typeof cell === 'number') return cell
  throw new Error('a key has no readable price list')
}

// Whether a key may be used from this address. A key without ranges is compared with stand-ins, and parsed ranges are cached, so
// that the time of a refusal does not tell whether the key exists or is limited.
export function isAllowedFrom(cell: unknown, fullAddress: string | null | undefined): boolean {
  const isIn = isWithin(rangesOf(cell ?? standIn), fullAddress ?? '')
  return cell === null || isIn
}

// Ranges reserved for documentation (RFC 5737, RFC 3849).
const standIn = '["192.0.2.0/24","2001:db8::/32"]'
const parsedRanges = createBoundedCache<unknown, ReturnType<typeof readRanges>>(1000)
const rangesOf = (cell: unknown) => parsedRanges.get(cell) ?? parsedRanges.set(cell, readRanges(cell))

const readRanges = (cell: unknown) =>
  (readAddresses(cell) ?? []).map(readRange).flatMap((each) => ('range' in each ? [each.range] : []))

function readExpiry(day: unknown, at: unknown): Expiry | null {
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
const readPermissions = (cell: unknown) => inPermissionOrder(String(cell).split(' '))

// The permissions of a token that its key still holds.
function stillHeld(granted: unknown, held: unknown): Permission[] {
  const kept = new Set(readPermissions(held))
  return readPermissions(granted).filter((permission) => kept.has(permission))
}

// What an administrator may change of a key.
export const termColumns = raw(
  'name, permissions, stores, price_list, rate, is_disabled, expires_on, expires_at, addresses',
)
export const writeTerms = ({ name, permissions, stores, priceList, rate, isDisabled, expires, addresses }: Key) =>
  sql`${name}, ${writePermissions(permissions)}, ${writeList(stores)}, ${priceList}, ${rate}, ${isDisabled},
    ${expires?.day ?? null}, ${expires?.at ?? null}, ${writeList(addresses)}`

export const keyColumns = sql`access_key, ${termColumns}, old_code_until, created_at, revoked_at`
export function readKey(row: Row): Key {
  const [accessKey, name, permissions, stores, priceList, rate, isDisabled, expiresOn, expiresAt, ...rest] = row
  const [addresses, oldCodeUntil, createdAt, revokedAt] = rest
  return {
    accessKey: String(accessKey),
    name: String(name),
    permissions: readPermissions(permissions),
    stores: readStores(stores),
    priceList: readPriceList(priceList),
    rate: Number(rate),
    isDisabled: Boolean(isDisabled),
    expires: readExpiry(expiresOn, expiresAt),
    addresses: readAddresses(addresses),
    oldCodeUntil: oldCodeUntil as number | null,
    createdAt: Number(createdAt),
    revokedAt: revokedAt as number | null,
  }
}

// Permissions of the token (t) and of its key (k).
export const callerColumns = raw(
  'k.access_key, k.name, t.permissions AS granted, k.permissions AS held, k.stores, k.price_list',
)
export const readCaller = ([accessKey, name, granted, held, stores, priceList]: Row): Caller => ({
  accessKey: String(accessKey),
  name: String(name),
  permissions: stillHeld(granted, held),
  stores: readStores(stores),
  priceList: readPriceList(priceList),
})

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
