// What administrators do, in the SQLite store: each act and its entry in the audit are one transaction.
import { inTransaction, type Sqlite } from '../../sqlite.ts'
import { blocksCleared, keyAct, keyChanged, keyCreated, subscription, type Cleared } from '../audit.ts'
import {
  givenNow,
  isAsShown,
  readPermissions,
  readPriceList,
  readStores,
  writePermissions,
  writeStores,
} from '../rows.ts'
import type { Key } from '../state.ts'
import type { createHistory } from './history.ts'
import type { SqliteStore } from './store.ts'

type Administration = Pick<
  SqliteStore,
  'createKey' | 'listKeys' | 'findKey' | 'updateKey' | 'regenerateKey' | 'revokeKey' | 'setEnabled' | 'clearBlocks'
>

interface Parts {
  readonly isEnabled: () => boolean
  readonly forgetFailures: (now: number, address: string) => Cleared
  readonly history: ReturnType<typeof createHistory>
  readonly durably: Durably
}

export type Durably = ReturnType<typeof createDurably>

// A transaction that is on the disk when it returns: a revocation that a power cut undoes is none.
export const createDurably =
  (database: Sqlite) =>
  <Result>(run: () => Result): Result => {
    database.exec('PRAGMA synchronous = FULL')
    try {
      return inTransaction(database, 'BEGIN IMMEDIATE', run)
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

    createKey: (now, input, codeHash, by) =>
      durably(() => {
        prepare('INSERT INTO keys VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, NULL)').run(
          input.accessKey,
          input.name,
          codeHash,
          writePermissions(input.permissions),
          writeStores(input.stores),
          input.priceList,
          input.rate,
          now,
        )
        const key = { ...input, isDisabled: false, createdAt: now, revokedAt: null }
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
          `UPDATE keys SET name = ?, permissions = ?, stores = ?, price_list = ?, rate = ?, is_disabled = ?
           WHERE access_key = ?`,
        ).run(
          next.name,
          writePermissions(next.permissions),
          writeStores(next.stores),
          next.priceList,
          next.rate,
          next.isDisabled ? 1 : 0,
          accessKey,
        )
        history.noteUse(givenNow(now, next, key))
        const entry = keyChanged(key, next)
        if (entry) history.note(now, entry, by)
        return next
      }),

    regenerateKey: (now, accessKey, codeHash, by) =>
      durably(() => {
        const update = prepare('UPDATE keys SET code_hash = ? WHERE access_key = ? AND revoked_at IS NULL')
        if (update.run(codeHash, accessKey).changes === 0) return null
        endTokens(accessKey)
        history.note(now, keyAct('code regenerated', accessKey), by)
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
  createdAt: Number(row['created_at']),
  revokedAt: row['revoked_at'] as number | null,
})
