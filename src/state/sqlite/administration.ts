// Administration of keys, blocks and the subscription in the SQLite store. Each change and its audit entry are one transaction.
import { inTransaction, type Sqlite } from '../../platform/sqlite.ts'
import {
  blocksCleared,
  codeRotated,
  keyAct,
  keyChanged,
  keyCreated,
  subscription,
  type ClearedFailures,
} from '../audit.ts'
import {
  grantedNow,
  isAsShown,
  newKey,
  readAddresses,
  readExpiry,
  readPermissions,
  readPriceList,
  readStores,
  writeAddresses,
  writePermissions,
  writeStores,
} from '../rows.ts'
import type { Timed } from '../methods.ts'
import type { Key, KeyAdministration } from '../state.ts'
import type { StoredKey } from '../token-policy.ts'
import type { createHistory } from './history.ts'

interface AdministrationOptions {
  readonly isEnabled: () => boolean
  readonly deleteFailures: (now: number, address: string) => ClearedFailures
  readonly history: ReturnType<typeof createHistory>
  readonly durably: Durably
}

export type Durably = ReturnType<typeof createDurably>

// A transaction that is on the disk when it returns: a power cut must not undo a revocation. The log is checkpointed too, so that
// removing the log does not bring a revoked key back.
export const createDurably =
  (database: Sqlite) =>
  <Result>(run: () => Result): Result => {
    database.exec('PRAGMA synchronous = FULL')
    try {
      const result = inTransaction(database, 'BEGIN IMMEDIATE', run)
      try {
        // A reader of an older snapshot can keep a passive checkpoint from finishing.
        const copied = database.prepare('PRAGMA wal_checkpoint').get()
        if (copied?.['checkpointed'] !== copied?.['log']) database.exec('PRAGMA wal_checkpoint(FULL)')
      } catch {
        // The change is committed, and in the log.
      }
      return result
    } finally {
      database.exec('PRAGMA synchronous = NORMAL')
    }
  }

export function createAdministration(
  database: Sqlite,
  { isEnabled, deleteFailures, history, durably }: AdministrationOptions,
): Timed<keyof KeyAdministration | 'clearBlocks'> {
  const prepare = (text: string) => database.prepare(text)
  const keyRow = prepare('SELECT * FROM keys WHERE access_key = ?')

  const findKey = (accessKey: string): Key | null => {
    const row = keyRow.get(accessKey)
    return row ? readKey(row) : null
  }
  const endTokens = (accessKey: string) => prepare('DELETE FROM tokens WHERE access_key = ?').run(accessKey)

  return {
    listKeys: () => prepare('SELECT * FROM keys ORDER BY created_at, access_key').all().map(readKey),
    findKey: (_now, accessKey) => findKey(accessKey),
    listExpiries: () =>
      prepare(
        `SELECT access_key, name, expires_on, expires_at FROM keys WHERE expires_at IS NOT NULL AND revoked_at IS NULL
         ORDER BY expires_at, access_key`,
      )
        .all()
        .map((row) => ({
          accessKey: String(row['access_key']),
          name: String(row['name']),
          expires: { day: String(row['expires_on']), at: Number(row['expires_at']) },
        })),

    createKey: (now, terms, codeHash, by) =>
      durably(() => {
        const key = newKey(terms, now)
        prepare(
          `INSERT INTO keys (access_key, name, code_hash, permissions, stores, price_list, rate, is_disabled, created_at,
             expires_on, expires_at, addresses)
           VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?)`,
        ).run(
          key.accessKey,
          key.name,
          codeHash,
          writePermissions(key.permissions),
          writeStores(key.stores),
          key.priceList,
          key.rate,
          now,
          key.expires?.day ?? null,
          key.expires?.at ?? null,
          writeAddresses(key.addresses),
        )
        history.noteUse(grantedNow(now, key))
        history.note(now, keyCreated(key), by)
        return key
      }),

    updateKey: (now, accessKey, changes, by, shown) =>
      durably(() => {
        const key = findKey(accessKey)
        if (!key || key.revokedAt !== null) return null
        if (!isAsShown(key, shown)) return 'changed meanwhile'
        const next = { ...key, ...changes }
        prepare(
          `UPDATE keys SET name = ?, permissions = ?, stores = ?, price_list = ?, rate = ?, is_disabled = ?, expires_on = ?,
             expires_at = ?, addresses = ?
           WHERE access_key = ?`,
        ).run(
          next.name,
          writePermissions(next.permissions),
          writeStores(next.stores),
          next.priceList,
          next.rate,
          next.isDisabled ? 1 : 0,
          next.expires?.day ?? null,
          next.expires?.at ?? null,
          writeAddresses(next.addresses),
          accessKey,
        )
        history.noteUse(grantedNow(now, next, key))
        const entry = keyChanged(key, next)
        if (entry) history.note(now, entry, by)
        return next
      }),

    regenerateKey: (now, accessKey, codeHash, by) =>
      durably(() => {
        const update = prepare(
          `UPDATE keys SET code_hash = ?, old_code_hash = NULL, old_code_until = NULL
           WHERE access_key = ? AND revoked_at IS NULL`,
        )
        if (update.run(codeHash, accessKey).changes === 0) return null
        endTokens(accessKey)
        history.note(now, keyAct('code regenerated', accessKey), by)
        return findKey(accessKey)
      }),

    rotateKey: (now, accessKey, codeHash, overlapMs, by) =>
      durably(() => {
        const key = findKey(accessKey)
        if (!key || key.revokedAt !== null) return null
        if (key.oldCodeUntil !== null && now < key.oldCodeUntil) return 'under rotation'
        prepare(
          'UPDATE keys SET old_code_hash = code_hash, old_code_until = ?, code_hash = ? WHERE access_key = ?',
        ).run(now + overlapMs, codeHash, accessKey)
        const next = { ...key, oldCodeUntil: now + overlapMs }
        history.note(now, codeRotated(next), by)
        return next
      }),

    finishRotation: (now, accessKey, by) =>
      durably(() => {
        const update = prepare(
          `UPDATE keys SET old_code_hash = NULL, old_code_until = NULL
           WHERE access_key = ? AND revoked_at IS NULL AND old_code_until > ?`,
        )
        if (update.run(accessKey, now).changes === 0) return null
        history.note(now, keyAct('rotation finished', accessKey), by)
        return findKey(accessKey)
      }),

    revokeKey: (now, accessKey, by) =>
      durably(() => {
        const update = prepare('UPDATE keys SET revoked_at = ? WHERE access_key = ? AND revoked_at IS NULL')
        if (update.run(now, accessKey).changes === 0) return null
        endTokens(accessKey)
        history.note(now, keyAct('key revoked', accessKey), by)
        return findKey(accessKey)
      }),

    setEnabled: (now, value, by) =>
      durably(() => {
        if (isEnabled() === value) return
        prepare('UPDATE company SET is_enabled = ?').run(value ? 1 : 0)
        history.note(now, subscription(value), by)
      }),

    clearBlocks: (now, address, by) =>
      durably(() => {
        const deleted = deleteFailures(now, address)
        if (deleted.cleared > 0) history.note(now, blocksCleared(address, deleted), by)
        return deleted.cleared
      }),
  }
}

export const readKey = (row: Readonly<Record<string, unknown>>): Key => ({
  accessKey: String(row['access_key']),
  name: String(row['name']),
  permissions: readPermissions(row['permissions']),
  stores: readStores(row['stores']),
  priceList: readPriceList(row['price_list']),
  rate: Number(row['rate']),
  isDisabled: row['is_disabled'] === 1,
  expires: readExpiry(row['expires_on'], row['expires_at']),
  addresses: readAddresses(row['addresses']),
  oldCodeUntil: row['old_code_until'] as number | null,
  createdAt: Number(row['created_at']),
  revokedAt: row['revoked_at'] as number | null,
})

export const readStoredKey = (row: Readonly<Record<string, unknown>>, readKeyOf: () => Key): StoredKey => ({
  codeHash: row['code_hash'] as Uint8Array,
  oldCodeHash: row['old_code_hash'] as Uint8Array,
  oldCodeUntil: row['old_code_until'] as number | null,
  isDisabled: row['is_disabled'] === 1,
  revokedAt: row['revoked_at'] as number | null,
  expiresAt: row['expires_at'] as number | null,
  addresses: row['addresses'],
  readKey: readKeyOf,
})
