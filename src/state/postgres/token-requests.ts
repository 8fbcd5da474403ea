// Token requests on PostgreSQL. Everything that is known of an address is read and written while the row of its window is
// held, so that parallel requests from it, at whichever instance, come one after the other.
import type { PostgresCell, PostgresConnection } from '../../postgres/connection.ts'
import type { Pool } from '../../postgres/pool.ts'
import { anyKey, hashKey, type Series } from '../failure-series.ts'
import { limits } from '../limits.ts'
import { writePermissions } from '../rows.ts'
import type { Block, TokenAttempt, TokenOutcome, Window } from '../state.ts'
import { decideToken, type TokenEffects } from '../token-policy.ts'
import { describeWindow } from '../window.ts'
import { keyColumns, readKey } from './key-row.ts'
import { nowSql } from './time.ts'
import { inTransaction } from './transaction.ts'

// Makes the row or changes nothing of it, and holds it; the time is read once it is held.
const holdAddress = `
  INSERT INTO windows AS w (name, started_at, count) VALUES ($2, 0, 0)
  ON CONFLICT (name) DO UPDATE SET count = w.count
  RETURNING ${nowSql}, w.started_at, w.count`

const readSeries = `
  SELECT key_hash, started_at, count, blocked_until FROM failures WHERE address = $1 AND key_hash IN ($2, $3)`

// Only while the key is as it was when the code was compared; until the token is there, nobody changes it.
const addToken = `
  INSERT INTO tokens (hash, access_key, permissions, expires_at)
  SELECT $1, access_key, $2, $3 FROM keys
  WHERE access_key = $4 AND code_hash = $5 AND revoked_at IS NULL AND NOT is_disabled FOR SHARE
  RETURNING 1`

class KeyChanged extends Error {}

export function createTokenRequests(pool: Pool, now: () => number | null) {
  const attemptOnce = (attempt: TokenAttempt): Promise<TokenOutcome> =>
    inTransaction(pool, async (connection) => {
      const { address, accessKey, codeHash, tokenHash } = attempt
      const [held = []] = await connection.rows(holdAddress, [now(), `token ${address}`])
      const moment = Number(held[0])
      const [[isEnabled] = []] = await connection.rows('SELECT is_enabled FROM company')
      const keyHash = hashKey(accessKey)
      const series = await connection.rows(readSeries, [address, anyKey, keyHash])
      const seriesOf = (hash: Uint8Array): Series | null => {
        const [, ...cells] = series.find((row) => Buffer.compare(row[0] as Uint8Array, hash) === 0) ?? []
        return cells.length === 0 ? null : toSeries(cells)
      }
      // A text with a NUL cannot be asked for: no key has one.
      const [row] = await connection.rows(`SELECT ${keyColumns}, code_hash FROM keys WHERE access_key = $1`, [
        accessKey?.replaceAll('\0', ' ') ?? '',
      ])
      const { outcome, effects } = decideToken(moment, attempt, {
        isEnabled: isEnabled === true,
        window: { startedAt: Number(held[1]), count: Number(held[2]) },
        addressSeries: seriesOf(anyKey),
        keySeries: seriesOf(keyHash),
        stored: row ? { codeHash: row.at(-1) as Uint8Array, readKey: () => readKey(row) } : null,
      })
      await write(connection, address, keyHash, effects)
      if (outcome.is === 'granted') {
        const permissions = writePermissions(outcome.permissions)
        const expiresAt = moment + limits.tokenLifetimeMs
        const values = [tokenHash, permissions, expiresAt, accessKey, codeHash]
        if ((await connection.rows(addToken, values)).length === 0) throw new KeyChanged()
      }
      return outcome
    })

  return {
    // A key that was changed in the meantime is looked at once more.
    request: (attempt: TokenAttempt): Promise<TokenOutcome> =>
      attemptOnce(attempt).catch((error: unknown) => {
        if (error instanceof KeyChanged) return attemptOnce(attempt)
        throw error
      }),

    async window(address: string): Promise<Window> {
      const [[moment, startedAt, count] = []] = await pool.use((connection) =>
        connection.rows(
          `SELECT moment.now, w.started_at, w.count
           FROM (SELECT ${nowSql} AS now) moment LEFT JOIN windows w ON w.name = $2`,
          [now(), `token ${address}`],
        ),
      )
      const counter = startedAt === null ? null : { startedAt: Number(startedAt), count: Number(count) }
      return describeWindow(limits.tokenRequests, counter, Number(moment))
    },

    async listBlocks(): Promise<Block[]> {
      const rows = await pool.use((connection) =>
        connection.rows(
          `SELECT f.address, f.key_hash, f.count, f.blocked_until, k.access_key
           FROM failures f LEFT JOIN keys k ON sha256(convert_to(k.access_key, 'UTF8')) = f.key_hash
           WHERE f.blocked_until > ${nowSql} ORDER BY f.address, f.blocked_until`,
          [now()],
        ),
      )
      return rows.map(([address, keyHash, failures, until, accessKey]) => ({
        address: String(address),
        scope: (keyHash as Uint8Array).length === 0 ? ('address' as const) : ('key' as const),
        accessKey: typeof accessKey === 'string' ? accessKey : null,
        failures: Number(failures),
        until: Number(until),
      }))
    },

    clearBlocks: (address: string): Promise<number> =>
      inTransaction(pool, async (connection) => {
        await connection.rows(holdAddress, [now(), `token ${address}`])
        return (await connection.rows('DELETE FROM failures WHERE address = $1 RETURNING 1', [address])).length
      }),
  }
}

const toSeries = ([startedAt, count, blockedUntil]: readonly (PostgresCell | undefined)[]): Series => ({
  startedAt: Number(startedAt),
  count: Number(count),
  blockedUntil: typeof blockedUntil === 'number' ? blockedUntil : null,
})

async function write(
  connection: PostgresConnection,
  address: string,
  keyHash: Uint8Array,
  { window, addressSeries, keySeries }: TokenEffects,
): Promise<void> {
  if (window)
    await connection.rows('UPDATE windows SET started_at = $2, count = $3 WHERE name = $1', [
      `token ${address}`,
      window.startedAt,
      window.count,
    ])
  await writeSeries(connection, address, anyKey, addressSeries)
  await writeSeries(connection, address, keyHash, keySeries)
}

async function writeSeries(
  connection: PostgresConnection,
  address: string,
  keyHash: Uint8Array,
  series: Series | null | undefined,
): Promise<void> {
  if (series === null)
    await connection.rows('DELETE FROM failures WHERE address = $1 AND key_hash = $2', [address, keyHash])
  else if (series)
    await connection.rows(
      `INSERT INTO failures (address, key_hash, started_at, count, blocked_until) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (address, key_hash) DO UPDATE SET
         started_at = excluded.started_at, count = excluded.count, blocked_until = excluded.blocked_until`,
      [address, keyHash, series.startedAt, series.count, series.blockedUntil],
    )
}
