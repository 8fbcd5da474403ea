// Who may use the console, on PostgreSQL: its password, the link to set the first one, signing in, and sessions. Attempts to sign
// in hold the row of the password, so that they come one after the other, at whichever instance.
import { timingSafeEqual } from 'node:crypto'
import type { PostgresConnection } from '../../platform/postgres/connection.ts'
import type { Pool } from '../../platform/postgres/pool.ts'
import { inTransaction } from '../../platform/postgres/transaction.ts'
import { consoleAct } from '../audit.ts'
import { anyKey } from '../failure-series.ts'
import { limits } from '../limits.ts'
import { sessionEnd } from '../session.ts'
import { allName, countedAs, decideSignIn, secondsToWait } from '../sign-in-policy.ts'
import type { ConsoleMethod } from '../method-groups.ts'
import type { SignInOutcome, State, Trier } from '../state.ts'
import { noteAct } from './history.ts'
import { nowSql } from './time.ts'
import { toSeries, writeSeries } from './token-requests.ts'

type ConsoleAccess = Pick<State, ConsoleMethod>

// Within the transaction that sets it: whoever was signed in knew another one.
async function passwordIsSet(connection: PostgresConnection, now: number | null, by?: string): Promise<void> {
  await connection.rows('DELETE FROM sessions')
  await connection.rows('DELETE FROM password_links')
  await noteAct(connection, now, consoleAct('password set'), by)
}

const seriesOf = `
  SELECT moment.now, o.started_at, o.count, o.blocked_until, a.started_at, a.count, a.blocked_until
  FROM (SELECT ${nowSql} AS now) moment
    LEFT JOIN failures o ON o.address = $2 AND o.key_hash = $4
    LEFT JOIN failures a ON a.address = $3 AND a.key_hash = $4`

// `password` is the statement that reads its hash, and holds it where that is needed.
async function readFacts(connection: PostgresConnection, password: string, trier: Trier, now: number | null) {
  const [[found] = []] = await connection.rows(password)
  const hash = found instanceof Uint8Array ? found : null
  const counted = countedAs(trier, hash)
  const [[moment, ...series] = []] = await connection.rows(seriesOf, [now, counted.name, allName, anyKey])
  const [own, all] = [toSeries(series.slice(0, 3)), counted.isStranger ? toSeries(series.slice(3)) : null]
  return { hash, counted, facts: { own, all }, moment: Number(moment) }
}

// `tokens` is for what may have to wait for somebody else.
export function createConsoleAccess(pool: Pool, tokens: Pool, now: () => number | null): ConsoleAccess {
  const attemptOnce = (
    trier: Trier,
    passwordHash: Uint8Array,
    grant: (connection: PostgresConnection, moment: number) => Promise<void>,
  ): Promise<SignInOutcome> =>
    inTransaction(tokens, async (connection) => {
      const held = 'SELECT hash FROM password FOR UPDATE'
      const { hash, counted, facts, moment } = await readFacts(connection, held, trier, now())
      const isRight = hash !== null && timingSafeEqual(hash, passwordHash)
      const { outcome, effects } = decideSignIn(moment, { ...counted, address: trier.address }, facts, isRight)
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
        await passwordIsSet(connection, now(), by)
      }),
    // Of several instances that start at once each offers one: all of them work until one is used.
    async offerLink(linkHash) {
      const made = await rows(
        `INSERT INTO password_links (hash, expires_at)
         SELECT $2, ${nowSql} + ${limits.linkMs} WHERE NOT EXISTS (SELECT FROM password) RETURNING 1`,
        now(),
        linkHash,
      )
      return made.length > 0
    },
    async isLinkOpen(linkHash) {
      const found = await rows(
        `SELECT 1 FROM password_links WHERE hash = $2 AND expires_at > ${nowSql}`,
        now(),
        linkHash,
      )
      return found.length > 0
    },
    useLink: (linkHash, password, by) =>
      inTransaction(pool, async (connection) => {
        const used = await connection.rows(
          `DELETE FROM password_links WHERE hash = $2 AND expires_at > ${nowSql} RETURNING 1`,
          [now(), linkHash],
        )
        if (used.length === 0) return false
        // Not over one that is set: a link of an instance that started at the same moment may have come later than that.
        const first = await connection.rows(
          'INSERT INTO password (only_one, salt, hash) VALUES (1, $1, $2) ON CONFLICT DO NOTHING RETURNING 1',
          [password.salt, password.hash],
        )
        if (first.length === 0) return false
        await passwordIsSet(connection, now(), by)
        return true
      }),
    signInWait: (trier) =>
      tokens.use(async (connection) => {
        const { facts, moment } = await readFacts(connection, 'SELECT hash FROM password', trier, now())
        return secondsToWait(moment, facts)
      }),
    signIn: (trier, { passwordHash, sessionHash, by }) =>
      attemptOnce(trier, passwordHash, async (connection, moment) => {
        await connection.rows('INSERT INTO sessions (hash, by, started_at, expires_at) VALUES ($1, $2, $3, $4)', [
          sessionHash,
          by,
          moment,
          sessionEnd(moment, moment),
        ])
        await noteAct(connection, moment, consoleAct('signed in'), by)
      }),
    changePassword: (trier, { passwordHash, by }, { salt, hash }) =>
      attemptOnce(trier, passwordHash, async (connection, moment) => {
        await connection.rows('UPDATE password SET salt = $1, hash = $2', [salt, hash])
        await passwordIsSet(connection, moment, by)
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
      // Not at every request: once a minute is exact enough.
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
