// A row of the table of keys → a key.
import type { PostgresRow } from '../../platform/postgres/connection.ts'
import { readAddresses, readExpiry, readPermissions, readPriceList, readStores } from '../rows.ts'
import type { Key } from '../state.ts'
import type { StoredKey } from '../token-policy.ts'

export const keyColumns =
  'access_key, name, permissions, stores, price_list, rate, is_disabled, created_at, revoked_at, expires_on, expires_at, addresses, old_code_until'

// In the place of a key that is not there.
export const noKeyColumns = "'', '', '', NULL, NULL, 0, true, 0, NULL, NULL, NULL, NULL, NULL"

export function readKey(row: PostgresRow): Key {
  const [accessKey, name, permissions, stores, priceList, rate, isDisabled, createdAt, revokedAt, ...rest] = row
  const [expiresOn, expiresAt, addresses, oldCodeUntil] = rest
  return {
    accessKey: String(accessKey),
    name: String(name),
    permissions: readPermissions(permissions),
    stores: readStores(stores),
    priceList: readPriceList(priceList),
    rate: Number(rate),
    isDisabled: isDisabled === true,
    expires: readExpiry(expiresOn, expiresAt),
    addresses: readAddresses(addresses),
    oldCodeUntil: oldCodeUntil as number | null,
    createdAt: Number(createdAt),
    revokedAt: revokedAt as number | null,
  }
}

// What a token request asks for; what it may do is read only for whoever is let in.
export const readStoredKey = (codeHash: Uint8Array, oldCodeHash: Uint8Array, row: PostgresRow): StoredKey => ({
  codeHash,
  oldCodeHash,
  isDisabled: row[6] === true,
  revokedAt: row[8] as number | null,
  expiresAt: row[10] as number | null,
  addresses: row[11] ?? null,
  oldCodeUntil: row[12] as number | null,
  readKey: () => readKey(row),
})
