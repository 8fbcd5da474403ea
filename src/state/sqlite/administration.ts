// What administrators do, in the SQLite store: each act and its entry in the audit are one transaction.
import { inTransaction, type Sqlite } from '../../platform/sqlite.ts'
import { blocksCleared, codeRotated, keyAct, keyChanged, keyCreated, subscription, type Cleared } from '../audit.ts'
import {
  givenNow,
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
import type { AdministrationMethod, Timed } from '../method-groups.ts'
import type { Key } from '../state.ts'
import type { StoredKey } from '../token-policy.ts'
import type { createHistory } from './history.ts'

type Administration = Timed<AdministrationMethod | 'clearBlocks'>

interface Parts {
  readonly isEnabled: () => boolean
  readonly forgetFailures: (now: number, address: string) => Cleared
  readonly history: ReturnType<typeof createHistory>
  readonly durably: Durably
}

export type Durably = ReturnType<typeof createDurably>

// A transaction that is on the disk when it returns: a revocation that a power cut undoes is none. It is in the file itself,
// too: whoever removes its log does not bring back a key that was revoked.
export const createDurably =
  (database: Sqlite) =>
  <Result>(run: () => Result): Result => {
    database.exec('PRAGMA synchronous = FULL')
    try {
      const result = inTransaction(database, 'BEGIN IMMEDIATE', run)
      try {
        // A reader of an older snapshot may have kept a part of it in the log.
        const copied = database.prepare('PRAGMA wal_checkpoint').get()
        if (copied?.['checkpointed'] !== copied?.['log']) database.exec('PRAGMA wal_checkpoint(FULL)')
      } catch {
        // It is done all the same, and in the log.
      }
      return result
    } finally {
      database.exec('PRAGMA synchronous = NORMAL')
    }
  }

export function createAdministration(
  database: Sqlite,
  { isEnabled, forgetFailures, history, durably }: Parts,
): Administration {
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
        history.noteUse(givenNow(now, key))
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
        history.noteUse(givenNow(now, next, key))
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
        const gone = forgetFailures(now, address)
        if (gone.cleared > 0) history.note(now, blocksCleared(address, gone), by)
        return gone.cleared
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

// What a token request is compared with; what the key may do is read only for whoever is let in.
export const readStored = (row: Readonly<Record<string, unknown>>, readKeyOf: () => Key): StoredKey => ({
  codeHash: row['code_hash'] as Uint8Array,
  oldCodeHash: row['old_code_hash'] as Uint8Array,
  oldCodeUntil: row['old_code_until'] as number | null,
  isDisabled: row['is_disabled'] === 1,
  revokedAt: row['revoked_at'] as number | null,
  expiresAt: row['expires_at'] as number | null,
  addresses: row['addresses'],
  readKey: readKeyOf,
})
