// Access to the console on PostgreSQL: password, the link that sets the first one, sign-in and sessions. Sign-in attempts lock the
// row of the password, so that they run one after the other, across all instances.
import { timingSafeEqual } from 'node:crypto'
import type { PostgresConnection } from '../../platform/postgres/connection.ts'
import { inTransaction, type Pool } from '../../platform/postgres/pool.ts'
import { consoleAct } from '../audit.ts'
import { anyKey } from '../failure-series.ts'
import { limits } from '../limits.ts'
import { allName, countedAs, decideSignIn, secondsToWait, sessionEnd } from '../sign-in-policy.ts'
import type { ConsoleAccess, SignInOrigin, SignInOutcome } from '../state.ts'
import { noteAct } from './history.ts'
import { nowSql } from './shared-sql.ts'
import { toSeries, writeSeries } from './token-requests.ts'

// Within the transaction that sets the password.
async function endSessionsAndLinks(connection: PostgresConnection, now: number | null, by?: string): Promise<void> {
  await connection.rows('DELETE FROM sessions')
  await connection.rows('DELETE FROM password_links')
  await noteAct(connection, now, consoleAct('password set'), by)
}

const seriesOf = `
  SELECT moment.now, o.started_at, o.count, o.blocked_until, a.started_at, a.count, a.blocked_until
  FROM (SELECT ${nowSql} AS now) moment
    LEFT JOIN failures o ON o.address = $2 AND o.key_hash = $4
    LEFT JOIN failures a ON a.address = $3 AND a.key_hash = $4`

// `passwordStatement` reads the hash, with or without locking it.
async function readFacts(
  connection: PostgresConnection,
  passwordStatement: string,
  origin: SignInOrigin,
  now: number | null,
) {
  const [[stored] = []] = await connection.rows(passwordStatement)
  const hash = stored instanceof Uint8Array ? stored : null
  const counted = countedAs(origin, hash)
  const [[moment, ...series] = []] = await connection.rows(seriesOf, [now, counted.name, allName, anyKey])
  const [own, all] = [toSeries(series.slice(0, 3)), counted.isStranger ? toSeries(series.slice(3)) : null]
  return { hash, counted, facts: { own, all }, moment: Number(moment) }
}

// `tokens` is the pool for transactions that may wait for a lock.
export function createConsoleAccess(pool: Pool, tokens: Pool, now: () => number | null): ConsoleAccess {
  const attemptOnce = (
    origin: SignInOrigin,
    passwordHash: Uint8Array,
    grant: (connection: PostgresConnection, moment: number) => Promise<void>,
  ): Promise<SignInOutcome> =>
    inTransaction(tokens, async (connection) => {
      const locking = 'SELECT hash FROM password FOR UPDATE'
      const { hash, counted, facts, moment } = await readFacts(connection, locking, origin, now())
      const isRight = hash !== null && timingSafeEqual(hash, passwordHash)
      const { outcome, effects } = decideSignIn(moment, { ...counted, address: origin.address }, facts, isRight)
      await writeSeries(connection, counted.name, anyKey, effects.own)
      await writeSeries(connection, allName, anyKey, effects.all)
      for (const entry of effects.audit ?? []) await noteAct(connection, moment, entry)
      if (outcome.is === 'granted') await grant(connection, moment)
      return outcome
    })

  const rows = (text: string, ...values: readonly unknown[]) => pool.use((connection) => connection.rows(text, values))

  return {
    async findSalt() {
      const [row] = await rows('SELECT salt FROM password')
      return (row?.[0] as Uint8Array | undefined) ?? null
    },
    setPassword: (password, by) =>
      inTransaction(pool, async (connection) => {
        await connection.rows(
          `INSERT INTO password (only_one, salt, hash) VALUES (1, $1, $2)
           ON CONFLICT (only_one) DO UPDATE SET salt = excluded.salt, hash = excluded.hash`,
          [password.salt, password.hash],
        )
        await endSessionsAndLinks(connection, now(), by)
      }),
    // Several instances may start at once: each offers a link, and all work until one is used.
    async offerLink(linkHash) {
      const inserted = await rows(
        `INSERT INTO password_links (hash, expires_at)
         SELECT $2, ${nowSql} + ${limits.linkMs} WHERE NOT EXISTS (SELECT FROM password) RETURNING 1`,
        now(),
        linkHash,
      )
      return inserted.length > 0
    },
    async isLinkOpen(linkHash) {
      const open = await rows(
        `SELECT 1 FROM password_links WHERE hash = $2 AND expires_at > ${nowSql}`,
        now(),
        linkHash,
      )
      return open.length > 0
    },
    useLink: (linkHash, password, by) =>
      inTransaction(pool, async (connection) => {
        const used = await connection.rows(
          `DELETE FROM password_links WHERE hash = $2 AND expires_at > ${nowSql} RETURNING 1`,
          [now(), linkHash],
        )
        if (used.length === 0) return false
        // Never replaces a password: another instance may have offered its link after the password was set.
        const first = await connection.rows(
          'INSERT INTO password (only_one, salt, hash) VALUES (1, $1, $2) ON CONFLICT DO NOTHING RETURNING 1',
          [password.salt, password.hash],
        )
        if (first.length === 0) return false
        await endSessionsAndLinks(connection, now(), by)
        return true
      }),
    signInWait: (origin) =>
      tokens.use(async (connection) => {
        const { facts, moment } = await readFacts(connection, 'SELECT hash FROM password', origin, now())
        return secondsToWait(moment, facts)
      }),
    signIn: (origin, { passwordHash, sessionHash, by }) =>
      attemptOnce(origin, passwordHash, async (connection, moment) => {
        await connection.rows('INSERT INTO sessions (hash, by, started_at, expires_at) VALUES ($1, $2, $3, $4)', [
          sessionHash,
          by,
          moment,
          sessionEnd(moment, moment),
        ])
        await noteAct(connection, moment, consoleAct('signed in'), by)
      }),
    changePassword: (origin, { passwordHash, by }, { salt, hash }) =>
      attemptOnce(origin, passwordHash, async (connection, moment) => {
        await connection.rows('UPDATE password SET salt = $1, hash = $2', [salt, hash])
        await endSessionsAndLinks(connection, moment, by)
      }),
    async findSession(sessionHash, isUse = true) {
      const [row] = await rows(
        `SELECT by, started_at, expires_at, ${nowSql} FROM sessions WHERE hash = $2 AND expires_at > ${nowSql}`,
        now(),
        sessionHash,
      )
      if (!row) return null
      const [by, startedAt, endsAt, moment] = row
      const expiresAt = sessionEnd(Number(startedAt), Number(moment))
      // Written at most once a minute.
      if (isUse && expiresAt - Number(endsAt) >= limits.windowMs)
        await rows('UPDATE sessions SET expires_at = $1 WHERE hash = $2', expiresAt, sessionHash).catch(() => {})
      return { by: String(by), startedAt: Number(startedAt) }
    },
    async endSession(sessionHash) {
      await rows('DELETE FROM sessions WHERE hash = $1', sessionHash)
    },
    endSessions: (by) =>
      inTransaction(pool, async (connection) => {
        await connection.rows('DELETE FROM sessions')
        await noteAct(connection, now(), consoleAct('everybody signed out'), by)
      }),
  }
}
