// Token requests on PostgreSQL. What a request leaves behind is written while the row of its address's window is held, so that
// parallel requests from it, at whichever instance, come one after the other. What can only be refused is refused without.
import { timingSafeEqual } from 'node:crypto'
import type { PostgresCell, PostgresConnection, PostgresRow } from '../../postgres/connection.ts'
import type { Pool } from '../../postgres/pool.ts'
import { inTransaction } from '../../postgres/transaction.ts'
import { blocksCleared, consoleAct } from '../audit.ts'
import { anyKey, hashKey, type Series } from '../failure-series.ts'
import { limits } from '../limits.ts'
import { writePermissions } from '../rows.ts'
import { sessionEnd } from '../session.ts'
import type { Block, Key, SignIn, TokenAttempt, TokenOutcome, Window } from '../state.ts'
import {
  asTokenAttempt,
  consoleAddress,
  readAddress,
  consoleKey,
  consoleName,
  decideToken,
  type TokenDecision,
  type TokenEffects,
} from '../token-policy.ts'
import { describeWindow, type Counter } from '../window.ts'
import { passwordIsSet } from './console.ts'
import { noteAct } from './history.ts'
import { keyColumns, readKey } from './key-row.ts'
import { nowSql } from './time.ts'

// Makes the row or changes nothing of it, and holds it; the time is read once it is held.
const holdAddress = `
  INSERT INTO windows AS w (name, started_at, count) VALUES ($2, 0, 0)
  ON CONFLICT (name) DO UPDATE SET count = w.count
  RETURNING ${nowSql}`

// Of a key that is not there a row of the same size is read: that takes as long.
const factsWith = (isEnabled: string, code: string) => `
  SELECT moment.now, ${isEnabled}, w.started_at, w.count, a.started_at, a.count, a.blocked_until,
    s.started_at, s.count, s.blocked_until, k.code_hash, k.is_known
  FROM (SELECT ${nowSql} AS now) moment CROSS JOIN company
    CROSS JOIN (
      ${code}
      UNION ALL SELECT decode(repeat('00', 32), 'hex'), false ORDER BY is_known DESC LIMIT 1
    ) k
    LEFT JOIN windows w ON w.name = $2
    LEFT JOIN failures a ON a.address = $3 AND a.key_hash = $4
    LEFT JOIN failures s ON s.address = $3 AND s.key_hash = $5`

const tokenFacts = factsWith('company.is_enabled', 'SELECT code_hash, true AS is_known FROM keys WHERE access_key = $6')
// Whatever the subscription; $6 names it only for the sake of the others.
const consoleFacts = factsWith(
  'true',
  'SELECT hash AS code_hash, true AS is_known FROM password WHERE $6::text IS NOT NULL',
)

const keyOf = `SELECT ${keyColumns} FROM keys WHERE access_key = $1 AND code_hash = $2`

// Only while the key is as it was when the code was compared; until the token is there, nobody changes it.
const addToken = `
  INSERT INTO tokens (hash, access_key, permissions, expires_at)
  SELECT $1, access_key, $2, $3 FROM keys
  WHERE access_key = $4 AND code_hash = $5 AND revoked_at IS NULL AND NOT is_disabled FOR SHARE
  RETURNING 1`

class KeyChanged extends Error {}

// Whatever is not refused at once counts for the window, at the least.
const isRefusal = ({ effects }: TokenDecision) => Object.keys(effects).length === 0

type Granted = Extract<TokenOutcome, { is: 'granted' }>

// What is asked for: a token with a code, or a session of the console with its password.
interface Asked {
  readonly facts: string
  readonly readKey: (connection: PostgresConnection, asked: string, codeHash: PostgresCell) => Promise<Key | undefined>
  // False: what the code was compared with has changed since.
  readonly grant: (connection: PostgresConnection, granted: Granted, moment: number) => Promise<boolean>
}

const tokenAsked = ({ accessKey, codeHash, tokenHash }: TokenAttempt): Asked => ({
  facts: tokenFacts,
  async readKey(connection, asked, hash) {
    const [row] = await connection.rows(keyOf, [asked, hash])
    return row && readKey(row)
  },
  async grant(connection, { permissions }, moment) {
    const values = [tokenHash, writePermissions(permissions), moment + limits.tokenLifetimeMs, accessKey, codeHash]
    return (await connection.rows(addToken, values)).length > 0
  },
})

const addSession = `
  INSERT INTO sessions (hash, by, started_at, expires_at)
  SELECT $1, $2, $3, $4 FROM password WHERE hash = $5 FOR SHARE RETURNING 1`

const changePassword = 'UPDATE password SET salt = $1, hash = $2 WHERE hash = $3 RETURNING 1'

const sessionAsked = ({ passwordHash, sessionHash, by, newPassword }: SignIn): Asked => ({
  facts: consoleFacts,
  readKey: async () => consoleKey,
  async grant(connection, _granted, moment) {
    if (newPassword) {
      const { salt, hash } = newPassword
      if ((await connection.rows(changePassword, [salt, hash, passwordHash])).length === 0) return false
      await passwordIsSet(connection, moment, by)
      return true
    }
    const values = [sessionHash, by, moment, sessionEnd(moment, moment), passwordHash]
    if ((await connection.rows(addSession, values)).length === 0) return false
    await noteAct(connection, moment, consoleAct('signed in'), by)
    return true
  },
})

export function createTokenRequests(pool: Pool, now: () => number | null) {
  const attemptOnce = async (attempt: TokenAttempt, asked: Asked): Promise<TokenOutcome> => {
    const { address, accessKey } = attempt
    // Whoever is over the limit or blocked already waits for nobody, and holds nobody up.
    const first = await pool.use((connection) => decide(connection, attempt, asked, now()))
    if (isRefusal(first.decision)) return first.decision.outcome
    return inTransaction(pool, async (connection) => {
      const [[held] = []] = await connection.rows(holdAddress, [now(), windowOf(address)])
      const { decision, moment } = await decide(connection, attempt, asked, Number(held))
      const { outcome, effects } = decision
      await write(connection, address, hashKey(accessKey), effects)
      for (const entry of effects.audit ?? []) await noteAct(connection, moment, entry)
      if (outcome.is === 'granted' && !(await asked.grant(connection, outcome, moment))) throw new KeyChanged()
      return outcome
    })
  }

  // A key that was changed in the meantime is looked at once more.
  const attempt = (tried: TokenAttempt, asked: Asked): Promise<TokenOutcome> =>
    attemptOnce(tried, asked).catch((error: unknown) => {
      if (error instanceof KeyChanged) return attemptOnce(tried, asked)
      throw error
    })

  return {
    request: (tried: TokenAttempt) => attempt(tried, tokenAsked(tried)),
    signIn: (tried: SignIn) => attempt(asTokenAttempt(tried), sessionAsked(tried)),

    async window(address: string): Promise<Window> {
      const [[moment, startedAt, count] = []] = await pool.use((connection) =>
        connection.rows(
          `SELECT moment.now, w.started_at, w.count
           FROM (SELECT ${nowSql} AS now) moment LEFT JOIN windows w ON w.name = $2`,
          [now(), windowOf(address)],
        ),
      )
      return describeWindow(limits.tokenRequests, toCounter(startedAt, count), Number(moment))
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
      return rows.map(([counted, keyHash, failures, until, accessKey]) => {
        const { address, isConsole } = readAddress(String(counted))
        return {
          address,
          scope: (keyHash as Uint8Array).length === 0 ? ('address' as const) : ('key' as const),
          accessKey: isConsole ? consoleName : typeof accessKey === 'string' ? accessKey : null,
          failures: Number(failures),
          until: Number(until),
        }
      })
    },

    clearBlocks: (address: string, by?: string): Promise<number> =>
      inTransaction(pool, async (connection) => {
        for (const each of [address, consoleAddress(address)])
          await connection.rows(holdAddress, [now(), windowOf(each)])
        const gone = await connection.rows(
          `DELETE FROM failures WHERE address IN ($2, $3) RETURNING coalesce(blocked_until, 0) > ${nowSql}`,
          [now(), address, consoleAddress(address)],
        )
        const cleared = gone.length
        const blocks = gone.filter(([isBlocked]) => isBlocked === true).length
        if (cleared > 0) await noteAct(connection, now(), blocksCleared(address, { blocks, cleared }), by)
        return cleared
      }),
  }
}

const windowOf = (address: string) => `token ${address}`

async function decide(
  connection: PostgresConnection,
  attempt: TokenAttempt,
  what: Asked,
  now: number | null,
): Promise<{ decision: TokenDecision; moment: number }> {
  const { address, accessKey } = attempt
  // A text with a NUL cannot be asked for: no key has one.
  const asked = accessKey?.replaceAll('\0', ' ') ?? ''
  const [row = []] = await connection.rows(what.facts, [
    now,
    windowOf(address),
    address,
    anyKey,
    hashKey(accessKey),
    asked,
  ])
  const [moment, isEnabled, ...rest] = row
  const [codeHash, isKnown] = rest.slice(8)
  // Compared in either case, and read only once the code is right: until then an unknown key costs the same work.
  const isRight = isSame(codeHash, attempt.codeHash) && isKnown === true
  const key = isRight ? await what.readKey(connection, asked, codeHash ?? null) : undefined
  if (isRight && !key) throw new KeyChanged()
  const decision = decideToken(Number(moment), attempt, {
    isEnabled: isEnabled === true,
    window: toCounter(rest[0], rest[1]),
    addressSeries: toSeries(rest.slice(2, 5)),
    keySeries: toSeries(rest.slice(5, 8)),
    // Read only if the code is right, and then it is there.
    stored: isKnown === true && codeHash instanceof Uint8Array ? { codeHash, readKey: () => key as Key } : null,
  })
  return { decision, moment: Number(moment) }
}

const isSame = (stored: unknown, given: Uint8Array | null) =>
  stored instanceof Uint8Array && given !== null && stored.length === given.length && timingSafeEqual(stored, given)

type Found = PostgresCell | undefined

const toCounter = (startedAt: Found, count: Found): Counter | null =>
  typeof startedAt === 'number' ? { startedAt, count: Number(count) } : null

function toSeries([startedAt, count, blockedUntil]: PostgresRow): Series | null {
  if (typeof startedAt !== 'number') return null
  return { startedAt, count: Number(count), blockedUntil: typeof blockedUntil === 'number' ? blockedUntil : null }
}

async function write(
  connection: PostgresConnection,
  address: string,
  keyHash: Uint8Array,
  { window, addressSeries, keySeries }: TokenEffects,
): Promise<void> {
  if (window)
    await connection.rows('UPDATE windows SET started_at = $2, count = $3 WHERE name = $1', [
      windowOf(address),
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
