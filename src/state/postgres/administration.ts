// Administration of keys and the subscription on PostgreSQL. Each change and its audit entry are one transaction.
import type { PostgresConnection } from '../../platform/postgres/connection.ts'
import { inTransaction, type Pool } from '../../platform/postgres/pool.ts'
import { codeRotated, keyAct, keyChanged, keyCreated, subscription } from '../audit.ts'
import { grantedNow, isAsShown, newKey, writeAddresses, writePermissions, writeStores } from '../rows.ts'
import type { Act, Key, KeyAdministration } from '../state.ts'
import { noteAct, noteUse } from './history.ts'
import { keyColumns, nowSql, readKey, timeOr } from './shared-sql.ts'

export function createAdministration(pool: Pool, now: () => number | null): KeyAdministration {
  const rows = (text: string, ...values: readonly unknown[]) => pool.use((connection) => connection.rows(text, values))
  const act = <Result>(run: (connection: PostgresConnection) => Promise<Result>) => inTransaction(pool, run)

  // A token request holds the row of its key (FOR SHARE): its token is either deleted here, or refused there.
  const endTokens = (performed: Act, change: string, accessKey: string, value: unknown, by: string | undefined) =>
    act(async (connection): Promise<Key | null> => {
      const [row] = await connection.rows(
        `UPDATE keys SET ${change} WHERE access_key = $1 AND revoked_at IS NULL RETURNING ${keyColumns}`,
        [accessKey, value],
      )
      if (!row) return null
      await connection.rows('DELETE FROM tokens WHERE access_key = $1', [accessKey])
      await noteAct(connection, now(), keyAct(performed, accessKey), by)
      return readKey(row)
    })

  return {
    listKeys: async () => (await rows(`SELECT ${keyColumns} FROM keys ORDER BY created_at, access_key`)).map(readKey),
    async findKey(accessKey) {
      const [row] = await rows(`SELECT ${keyColumns} FROM keys WHERE access_key = $1`, accessKey)
      return row ? readKey(row) : null
    },

    async listExpiries() {
      const expiries = await rows(
        `SELECT access_key, name, expires_on, expires_at FROM keys WHERE expires_at IS NOT NULL AND revoked_at IS NULL
         ORDER BY expires_at, access_key`,
      )
      return expiries.map(([accessKey, name, day, at]) => ({
        accessKey: String(accessKey),
        name: String(name),
        expires: { day: String(day), at: Number(at) },
      }))
    },

    createKey: (terms, codeHash, by) =>
      act(async (connection) => {
        const { accessKey, name, permissions, stores, priceList, rate, expires, addresses } = newKey(terms, 0)
        const [row = []] = await connection.rows(
          `INSERT INTO keys (${keyColumns}, code_hash)
           VALUES ($2, $3, $4, $5, $6, $7, false, ${nowSql}, NULL, $8, $9, $10, NULL, $11) RETURNING created_at`,
          [
            now(),
            accessKey,
            name,
            writePermissions(permissions),
            writeStores(stores),
            priceList,
            rate,
            expires?.day ?? null,
            expires?.at ?? null,
            writeAddresses(addresses),
            codeHash,
          ],
        )
        const key = newKey(terms, Number(row[0]))
        await noteUse(connection, grantedNow(key.createdAt, key))
        await noteAct(connection, now(), keyCreated(key), by)
        return key
      }),

    updateKey: (accessKey, changes, by, shown) =>
      act(async (connection) => {
        const [row] = await connection.rows(
          `SELECT ${keyColumns}, ${nowSql} FROM keys WHERE access_key = $2 AND revoked_at IS NULL FOR UPDATE`,
          [now(), accessKey],
        )
        if (!row) return null
        const key = readKey(row)
        if (!isAsShown(key, shown)) return 'changed meanwhile'
        const next = { ...key, ...changes }
        await noteUse(connection, grantedNow(Number(row.at(-1)), next, key))
        await connection.rows(
          `UPDATE keys SET name = $2, permissions = $3, stores = $4, price_list = $5, rate = $6, is_disabled = $7,
             expires_on = $8, expires_at = $9, addresses = $10
           WHERE access_key = $1`,
          [
            accessKey,
            next.name,
            writePermissions(next.permissions),
            writeStores(next.stores),
            next.priceList,
            next.rate,
            next.isDisabled,
            next.expires?.day ?? null,
            next.expires?.at ?? null,
            writeAddresses(next.addresses),
          ],
        )
        const entry = keyChanged(key, next)
        if (entry) await noteAct(connection, now(), entry, by)
        return next
      }),

    regenerateKey: (accessKey, codeHash, by) =>
      endTokens(
        'code regenerated',
        'code_hash = $2, old_code_hash = NULL, old_code_until = NULL',
        accessKey,
        codeHash,
        by,
      ),
    rotateKey: (accessKey, codeHash, overlapMs, by) =>
      act(async (connection) => {
        const [row] = await connection.rows(
          `SELECT old_code_until > ${nowSql} FROM keys WHERE access_key = $2 AND revoked_at IS NULL FOR UPDATE`,
          [now(), accessKey],
        )
        if (!row) return null
        if (row[0] === true) return 'under rotation'
        const [rotated = []] = await connection.rows(
          `UPDATE keys SET old_code_hash = code_hash, old_code_until = ${nowSql} + $3, code_hash = $4
           WHERE access_key = $2 RETURNING ${keyColumns}`,
          [now(), accessKey, overlapMs, codeHash],
        )
        const key = readKey(rotated)
        await noteAct(connection, now(), codeRotated(key), by)
        return key
      }),
    finishRotation: (accessKey, by) =>
      act(async (connection) => {
        const [row] = await connection.rows(
          `UPDATE keys SET old_code_hash = NULL, old_code_until = NULL
           WHERE access_key = $2 AND revoked_at IS NULL AND old_code_until > ${nowSql} RETURNING ${keyColumns}`,
          [now(), accessKey],
        )
        if (!row) return null
        await noteAct(connection, now(), keyAct('rotation finished', accessKey), by)
        return readKey(row)
      }),
    revokeKey: (accessKey, by) => endTokens('key revoked', `revoked_at = ${timeOr('$2')}`, accessKey, now(), by),

    setEnabled: (isEnabled, by) =>
      act(async (connection) => {
        const changed = await connection.rows('UPDATE company SET is_enabled = $1 WHERE is_enabled <> $1 RETURNING 1', [
          isEnabled,
        ])
        if (changed.length > 0) await noteAct(connection, now(), subscription(isEnabled), by)
      }),
  }
}
