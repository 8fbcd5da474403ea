// Requests with credentials (/auth/token, /auth/revoke), and the windows, failures and blocks of their addresses. On PostgreSQL the
// row of the address's window is locked meanwhile, so that requests of one address run one after the other, across all instances.
import { blocksCleared } from './audit.ts'
import { anyKey, hashKey, readSeries, writeSeries } from './failure-series.ts'
import type { HistoryOperations } from './history.ts'
import { limits } from './limits.ts'
import type { Operations } from './methods.ts'
import { keyColumns, readKey, writePermissions } from './rows.ts'
import { addressName, signInNames } from './sign-in-policy.ts'
import type { CredentialsPurpose, TokenAttempt, TokenOutcome } from './state.ts'
import { rows, type Moment, type Row, type StateDialect, type Steps } from './steps.ts'
import { decideToken, type StoredKey, type TokenDecision } from './token-policy.ts'
import { describeWindow, readCounter, setWindow } from './window.ts'

// The key was changed after its code was compared.
export class KeyChanged extends Error {}

type TokenOperations = Operations<'requestToken' | 'revokeToken' | 'tokenWindow' | 'listBlocks' | 'clearBlocks'>

const windowOf = (address: string, purpose: CredentialsPurpose = 'token') => `${purpose} ${address}`

interface Decided {
  readonly decision: TokenDecision
  readonly moment: number
  readonly stored: StoredKey | null
}

// A token may end even if its key has changed since the code was compared.
export const endToken = ({ tokenHash, accessKey }: Pick<TokenAttempt, 'tokenHash' | 'accessKey'>) =>
  rows`DELETE FROM tokens WHERE hash = ${tokenHash} AND access_key = ${accessKey}`

export function createTokenRequests(
  { time, zeros, forShare, lock }: StateDialect,
  { note, noteBlocks }: HistoryOperations,
) {
  // Creates the row or leaves it unchanged, and locks it. The time is read after locking.
  function* lockWindow(now: Moment, name: string): Steps<Moment> {
    if (!lock) return now
    const [row] = yield* rows`
      INSERT INTO windows AS w (name, started_at, count) VALUES (${name}, 0, 0)
      ON CONFLICT (name) DO UPDATE SET count = w.count RETURNING ${time(now)}`
    return Number(row?.[0])
  }

  function* decide(now: Moment, attempt: TokenAttempt, purpose: CredentialsPurpose): Steps<Decided> {
    const { address, accessKey } = attempt
    // PostgreSQL refuses a text with NUL; no key has one.
    const soughtKey = accessKey?.replaceAll('\0', ' ') ?? ''
    // Always a row of the same size, so that the time of the answer does not tell whether the key exists or has two codes.
    const [[at, isEnabled, ...row] = []] = yield* rows`
      SELECT moment.now, company.is_enabled, w.started_at, w.count, a.started_at, a.count, a.blocked_until,
        s.started_at, s.count, s.blocked_until, k.*
      FROM (SELECT ${time(now)} AS now) moment CROSS JOIN company
        CROSS JOIN (
          SELECT 1 AS is_known, code_hash, coalesce(old_code_hash, ${zeros(32)}), ${keyColumns} FROM keys
          WHERE access_key = ${soughtKey}
          UNION ALL SELECT 0, ${zeros(32)}, ${zeros(32)}, '', '', '', NULL, NULL, 0, true, NULL, NULL, NULL, NULL, 0, NULL
          ORDER BY is_known DESC LIMIT 1
        ) k
        LEFT JOIN windows w ON w.name = ${windowOf(address, purpose)}
        LEFT JOIN failures a ON a.address = ${address} AND a.key_hash = ${anyKey}
        LEFT JOIN failures s ON s.address = ${address} AND s.key_hash = ${hashKey(accessKey)}`
    const [isKnown, ...key] = row.slice(8)
    const read = readStoredKey(key)
    const [moment, stored] = [Number(at), isKnown === 1 ? read : null]
    const decision = decideToken(moment, attempt, {
      isEnabled: Boolean(isEnabled),
      window: readCounter(row),
      addressSeries: readSeries(row.slice(2)),
      keySeries: readSeries(row.slice(5)),
      stored,
    })
    return { decision, moment, stored }
  }

  // Within a transaction: decides and writes the effects.
  function* authenticate(now: Moment, attempt: TokenAttempt, purpose: CredentialsPurpose): Steps<Decided> {
    const { address, accessKey } = attempt
    // Both purposes share failures, so the row of the token window is always locked first.
    let lockedAt = yield* lockWindow(now, windowOf(address))
    if (purpose !== 'token') lockedAt = yield* lockWindow(now, windowOf(address, purpose))
    const decided = yield* decide(lockedAt, attempt, purpose)
    const { window, addressSeries, keySeries, audit = [] } = decided.decision.effects
    if (window) yield* setWindow(windowOf(address, purpose), window)
    yield* writeSeries(address, anyKey, addressSeries)
    yield* writeSeries(address, hashKey(accessKey), keySeries)
    yield* noteBlocks(decided.moment, audit)
    return decided
  }

  const operations: TokenOperations = {
    *requestToken(now, attempt): Steps<TokenOutcome> {
      const { tokenHash, accessKey, codeHash } = attempt
      const { decision, moment, stored } = yield* authenticate(now, attempt, 'token')
      const { outcome } = decision
      if (outcome.is !== 'granted') return outcome
      // Only if the key has not changed since its code was compared. FOR SHARE keeps it unchanged until the commit.
      const added = yield* rows`
        INSERT INTO tokens (hash, access_key, permissions, expires_at)
        SELECT ${tokenHash}, access_key, ${writePermissions(outcome.permissions)}, ${moment + limits.tokenLifetimeMs} FROM keys
        WHERE access_key = ${accessKey} AND revoked_at IS NULL AND NOT is_disabled
          AND addresses IS NOT DISTINCT FROM ${stored?.addresses} AND (expires_at IS NULL OR expires_at > ${moment})
          AND (code_hash = ${codeHash} OR (old_code_hash = ${codeHash} AND old_code_until > ${moment}))
        ${forShare} RETURNING 1`
      if (added.length === 0) throw new KeyChanged()
      return outcome
    },
    *revokeToken(now, attempt) {
      const { decision } = yield* authenticate(now, { ...attempt, scope: null }, 'revocation')
      if (decision.outcome.is === 'granted') yield* endToken(attempt)
      return decision.outcome
    },
    *tokenWindow(now, address, purpose) {
      const [[moment, ...window] = []] = yield* rows`
        SELECT moment.now, w.started_at, w.count
        FROM (SELECT ${time(now)} AS now) moment LEFT JOIN windows w ON w.name = ${windowOf(address, purpose)}`
      return describeWindow(limits.tokenRequests, readCounter(window), Number(moment))
    },
    *listBlocks(now) {
      const blocks = yield* rows`
        SELECT address, key_hash, count, blocked_until FROM failures
        WHERE blocked_until > ${time(now)} AND address NOT LIKE ${signInNames} ORDER BY address, blocked_until`
      const keys = blocks.every(([, keyHash]) => isOfAddress(keyHash)) ? [] : yield* rows`SELECT access_key FROM keys`
      const known = new Map(keys.map(([key]) => [hexOf(hashKey(String(key))), String(key)]))
      return blocks.map(([address, keyHash, failures, until]) => ({
        address: String(address),
        scope: isOfAddress(keyHash) ? ('address' as const) : ('key' as const),
        accessKey: known.get(hexOf(keyHash)) ?? null,
        failures: Number(failures),
        until: Number(until),
      }))
    },
    *clearBlocks(now, address, by) {
      yield* lockWindow(now, windowOf(address))
      const deleted = yield* rows`
        DELETE FROM failures WHERE address IN (${address}, ${addressName(address)})
        RETURNING coalesce(blocked_until, 0) > ${time(now)}`
      const [cleared, blocks] = [deleted.length, deleted.filter(([isBlocked]) => isBlocked).length]
      if (cleared > 0) yield* note(now, blocksCleared(address, { blocks, cleared }), by)
      return cleared
    },
  }
  return { decide, authenticate, operations }
}

// `row`: both hashes, then the columns of the key.
function readStoredKey([codeHash, oldCodeHash, ...row]: Row): StoredKey {
  const [isDisabled, , expiresAt, addresses, oldCodeUntil, , revokedAt] = row.slice(6)
  return {
    codeHash: codeHash as Uint8Array,
    oldCodeHash: oldCodeHash as Uint8Array,
    isDisabled: Boolean(isDisabled),
    expiresAt: expiresAt as number | null,
    addresses: addresses ?? null,
    oldCodeUntil: oldCodeUntil as number | null,
    revokedAt: revokedAt as number | null,
    readKey: () => readKey(row),
  }
}

const isOfAddress = (keyHash: unknown) => (keyHash as Uint8Array).length === 0
const hexOf = (bytes: unknown) => Buffer.from(bytes as Uint8Array).toString('hex')
