// A row of the table of keys → a key.
import type { PostgresRow } from '../../postgres/connection.ts'
import { readPermissions, readPriceList, readStores } from '../rows.ts'
import type { Key } from '../state.ts'

export const keyColumns = 'access_key, name, permissions, stores, price_list, rate, is_disabled, created_at, revoked_at'

export function readKey(row: PostgresRow): Key {
  const [accessKey, name, permissions, stores, priceList, rate, isDisabled, createdAt, revokedAt] = row
  return {
    accessKey: String(accessKey),
    name: String(name),
    permissions: readPermissions(permissions),
    stores: readStores(stores),
    priceList: readPriceList(priceList),
    rate: Number(rate),
    isDisabled: isDisabled === true,
    createdAt: Number(createdAt),
    revokedAt: revokedAt as number | null,
  }
}
