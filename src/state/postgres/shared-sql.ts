// SQL that several statements of the PostgreSQL store share: the time, and the columns of a key with their reader.
import type { PostgresRow } from '../../platform/postgres/connection.ts'
import { readAddresses, readExpiry, readPermissions, readPriceList, readStores } from '../rows.ts'
import type { Key } from '../state.ts'
import type { StoredKey } from '../token-policy.ts'

const serverTime = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'
// Milliseconds since 1970: the server's time, or the parameter where a test gives one.
export const timeOr = (parameter: string) => `coalesce(${parameter}::bigint, ${serverTime})`
export const nowSql = timeOr('$1')

export const keyColumns =
  'access_key, name, permissions, stores, price_list, rate, is_disabled, created_at, revoked_at, expires_on, expires_at, addresses, old_code_until'

// In place of a missing key.
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
