// Token requests on PostgreSQL. The effects of a request are written while the row of its address's window is locked, so that
// requests of one address run one after the other, across all instances. Certain refusals need no lock.
import type { PostgresCell, PostgresConnection, PostgresRow } from '../../platform/postgres/connection.ts'
import { inTransaction, type Pool } from '../../platform/postgres/pool.ts'
import { blocksCleared } from '../audit.ts'
import { anyKey, hashKey, type Series } from '../failure-series.ts'
import { limits } from '../limits.ts'
import { writePermissions } from '../rows.ts'
import { addressName, signInNames } from '../sign-in-policy.ts'
import type { Block, CredentialsPurpose, TokenAttempt, TokenOutcome, Window } from '../state.ts'
import { decideToken, type StoredKey, type TokenDecision, type TokenEffects } from '../token-policy.ts'
import { describeWindow, type Counter } from '../window.ts'
import { noteAct, noteBlocks } from './history.ts'
import { keyColumns, noKeyColumns, nowSql, readStoredKey } from './shared-sql.ts'

// Creates the row or leaves it unchanged, and locks it. The time is read after locking.
const lockWindow = `
  INSERT INTO windows AS w (name, started_at, count) VALUES ($2, 0, 0)
  ON CONFLICT (name) DO UPDATE SET count = w.count
  RETURNING ${nowSql}`

// Always a row of the same size, so that the time of the answer does not tell whether the key exists or has two codes.
const noCode = "decode(repeat('00', 32), 'hex')"
const tokenFacts = `
  SELECT moment.now, company.is_enabled, w.started_at, w.count, a.started_at, a.count, a.blocked_until,
    s.started_at, s.count, s.blocked_until, k.*
  FROM (SELECT ${nowSql} AS now) moment CROSS JOIN company
    CROSS JOIN (
      SELECT true AS is_known, code_hash, coalesce(old_code_hash, ${noCode}), ${keyColumns} FROM keys WHERE access_key = $6
      UNION ALL SELECT false, ${noCode}, ${noCode}, ${noKeyColumns} ORDER BY is_known DESC LIMIT 1
    ) k
    LEFT JOIN windows w ON w.name = $2
    LEFT JOIN failures a ON a.address = $3 AND a.key_hash = $4
    LEFT JOIN failures s ON s.address = $3 AND s.key_hash = $5`

// Only if the key has not changed since its code was compared. FOR SHARE keeps it unchanged until the commit.
const addToken = `
  INSERT INTO tokens (hash, access_key, permissions, expires_at)
  SELECT $1, access_key, $2, $3::bigint + ${limits.tokenLifetimeMs} FROM keys
  WHERE access_key = $4 AND revoked_at IS NULL AND NOT is_disabled AND addresses IS NOT DISTINCT FROM $6
    AND (code_hash = $5 OR (old_code_hash = $5 AND old_code_until > $3)) AND (expires_at IS NULL OR expires_at > $3)
  FOR SHARE
  RETURNING 1`

class KeyChanged extends Error {}

// Every other decision at least counts in the window.
const hasNoEffects = ({ effects }: TokenDecision) => Object.keys(effects).length === 0

// A token may end even if its key has changed since the code was compared.
const endToken = 'DELETE FROM tokens WHERE hash = $1 AND access_key = $2'

export function createTokenRequests(pool: Pool, now: () => number | null) {
  const attemptOnce = async (attempt: TokenAttempt, purpose?: CredentialsPurpose): Promise<TokenOutcome> => {
    const { address, accessKey, codeHash, tokenHash } = attempt
    // Without a lock: a caller that is blocked or over the limit neither waits nor delays others.
    const first = await pool.use((connection) => decide(connection, attempt, purpose, now()))
    if (hasNoEffects(first.decision)) return first.decision.outcome
    return inTransaction(pool, async (connection) => {
      const lock = async (name: string) => Number((await connection.rows(lockWindow, [now(), name]))[0]?.[0])
      // Both purposes share failures, so the row of the token window is always locked first.
      if (purpose) await lock(windowOf(address))
      const lockedAt = await lock(windowOf(address, purpose))
      const { decision, moment, stored } = await decide(connection, attempt, purpose, lockedAt)
      const { outcome, effects } = decision
      await write(connection, attempt, purpose, effects)
      await noteBlocks(connection, moment, effects.audit ?? [])
      if (outcome.is !== 'granted') return outcome
      if (purpose === 'revocation') {
        await connection.rows(endToken, [tokenHash, accessKey])
        return outcome
      }
      const permissions = writePermissions(outcome.permissions)
      const token = [tokenHash, permissions, moment, accessKey, codeHash, stored?.addresses]
      if ((await connection.rows(addToken, token)).length === 0) throw new KeyChanged()
      return outcome
    })
  }

  // One retry with the changed key.
  const run = (attempt: TokenAttempt, purpose?: CredentialsPurpose): Promise<TokenOutcome> =>
    attemptOnce(attempt, purpose).catch((error: unknown) => {
      if (error instanceof KeyChanged) return attemptOnce(attempt, purpose)
      throw error
    })

  return {
    request: (attempt: TokenAttempt) => run(attempt),
    revoke: (attempt: Omit<TokenAttempt, 'scope'>) => run({ ...attempt, scope: null }, 'revocation'),

    async window(address: string, purpose?: CredentialsPurpose): Promise<Window> {
      const [[moment, startedAt, count] = []] = await pool.use((connection) =>
        connection.rows(
          `SELECT moment.now, w.started_at, w.count
           FROM (SELECT ${nowSql} AS now) moment LEFT JOIN windows w ON w.name = $2`,
          [now(), windowOf(address, purpose)],
        ),
      )
      return describeWindow(limits.tokenRequests, toCounter(startedAt, count), Number(moment))
    },

    async listBlocks(): Promise<Block[]> {
      const rows = await pool.use((connection) =>
        connection.rows(
          `SELECT f.address, f.key_hash, f.count, f.blocked_until, k.access_key
           FROM failures f LEFT JOIN keys k ON sha256(convert_to(k.access_key, 'UTF8')) = f.key_hash
           WHERE f.blocked_until > ${nowSql} AND f.address NOT LIKE $2 ORDER BY f.address, f.blocked_until`,
          [now(), signInNames],
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

    clearBlocks: (address: string, by?: string): Promise<number> =>
      inTransaction(pool, async (connection) => {
        await connection.rows(lockWindow, [now(), windowOf(address)])
        const deleted = await connection.rows(
          `DELETE FROM failures WHERE address IN ($2, $3) RETURNING coalesce(blocked_until, 0) > ${nowSql}`,
          [now(), address, addressName(address)],
        )
        const cleared = deleted.length
        const blocks = deleted.filter(([isBlocked]) => isBlocked === true).length
        if (cleared > 0) await noteAct(connection, now(), blocksCleared(address, { blocks, cleared }), by)
        return cleared
      }),
  }
}

const windowOf = (address: string, purpose: CredentialsPurpose = 'token') => `${purpose} ${address}`

async function decide(
  connection: PostgresConnection,
  attempt: TokenAttempt,
  purpose: CredentialsPurpose | undefined,
  now: number | null,
): Promise<{ decision: TokenDecision; moment: number; stored: StoredKey | null }> {
  const { address, accessKey } = attempt
  // PostgreSQL refuses a text with NUL; no key has one.
  const soughtKey = accessKey?.replaceAll('\0', ' ') ?? ''
  const [row = []] = await connection.rows(tokenFacts, [
    now,
    windowOf(address, purpose),
    address,
    anyKey,
    hashKey(accessKey),
    soughtKey,
  ])
  const [moment, isEnabled, ...rest] = row
  const [isKnown, codeHash, oldCodeHash, ...key] = rest.slice(8)
  const read = readStoredKey(codeHash as Uint8Array, oldCodeHash as Uint8Array, key)
  const stored = isKnown === true ? read : null
  const decision = decideToken(Number(moment), attempt, {
    isEnabled: isEnabled === true,
    window: toCounter(rest[0], rest[1]),
    addressSeries: toSeries(rest.slice(2, 5)),
    keySeries: toSeries(rest.slice(5, 8)),
    stored,
  })
  return { decision, moment: Number(moment), stored }
}

const toCounter = (startedAt: PostgresCell | undefined, count: PostgresCell | undefined): Counter | null =>
  typeof startedAt === 'number' ? { startedAt, count: Number(count) } : null

export function toSeries([startedAt, count, blockedUntil]: PostgresRow): Series | null {
  if (typeof startedAt !== 'number') return null
  return { startedAt, count: Number(count), blockedUntil: typeof blockedUntil === 'number' ? blockedUntil : null }
}

async function write(
  connection: PostgresConnection,
  { address, accessKey }: TokenAttempt,
  purpose: CredentialsPurpose | undefined,
  { window, addressSeries, keySeries }: TokenEffects,
): Promise<void> {
  if (window)
    await connection.rows('UPDATE windows SET started_at = $2, count = $3 WHERE name = $1', [
      windowOf(address, purpose),
      window.startedAt,
      window.count,
    ])
  await writeSeries(connection, address, anyKey, addressSeries)
  await writeSeries(connection, address, hashKey(accessKey), keySeries)
}

export async function writeSeries(
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
