// Access to the console on PostgreSQL: accounts, the link that makes the first one, sign-in and sessions. Sign-in attempts and
// changes of accounts run one after the other, across all instances.
import { timingSafeEqual } from 'node:crypto'
import type { PostgresConnection } from '../../platform/postgres/connection.ts'
import { inTransaction, type Pool } from '../../platform/postgres/pool.ts'
import {
  accountId,
  decideAccountChange,
  isLastAdministrator,
  newAccount,
  readAccount,
  readSession,
} from '../accounts.ts'
import { accountAct, consoleAct, consoleActor, passwordSet } from '../audit.ts'
import { anyKey } from '../failure-series.ts'
import { limits } from '../limits.ts'
import { allName, countedAs, decideSignIn, hashOrUnknown, secondsToWait, sessionEnd } from '../sign-in-policy.ts'
import type { Account, ConsoleAccess, Password, Role, SignInOrigin, SignInOutcome } from '../console-access.ts'
import { noteAct } from './history.ts'
import { nowSql } from './shared-sql.ts'
import { toSeries, writeSeries } from './token-requests.ts'

// There is no row to lock for an account that does not exist, and a guess at one must be counted as exactly.
const lockAccounts = `SELECT pg_advisory_xact_lock(hashtext('vitrine'), hashtext('accounts of ' || current_schema()))`

const accountColumns = 'name, role, created_at, last_sign_in_at'

async function findAccount(connection: PostgresConnection, id: string): Promise<Account | null> {
  const [row] = await connection.rows(`SELECT ${accountColumns} FROM accounts WHERE id = $1`, [id])
  return row ? readAccount(row) : null
}

async function countAdministrators(connection: PostgresConnection): Promise<number> {
  const [row] = await connection.rows("SELECT count(*) FROM accounts WHERE role = 'administrator'")
  return Number(row?.[0])
}

async function addAccount(
  connection: PostgresConnection,
  now: number | null,
  name: string,
  role: Role,
  { salt, hash }: Password,
): Promise<Account> {
  const [row] = await connection.rows(
    `INSERT INTO accounts (id, name, role, salt, hash, created_at) VALUES ($2, $3, $4, $5, $6, ${nowSql})
     RETURNING created_at`,
    [now, accountId(name), name, role, salt, hash],
  )
  await connection.rows('DELETE FROM password_links')
  return newAccount(name, role, Number(row?.[0]))
}

async function writeAccount(
  connection: PostgresConnection,
  id: string,
  { role }: Account,
  password: Password | undefined,
): Promise<void> {
  await connection.rows(
    'UPDATE accounts SET role = $2, salt = coalesce($3, salt), hash = coalesce($4, hash) WHERE id = $1',
    [id, role, password?.salt ?? null, password?.hash ?? null],
  )
  await endSessionsOf(connection, id)
}

const endSessionsOf = (connection: PostgresConnection, id: string) =>
  connection.rows('DELETE FROM sessions WHERE account = $1', [id])

const seriesOf = `
  SELECT moment.now, o.started_at, o.count, o.blocked_until, a.started_at, a.count, a.blocked_until
  FROM (SELECT ${nowSql} AS now) moment
    LEFT JOIN failures o ON o.address = $2 AND o.key_hash = $4
    LEFT JOIN failures a ON a.address = $3 AND a.key_hash = $4`

// Always one row of the same size, so that the time of the answer does not tell whether the account exists.
const accountOrNone = `SELECT 1 AS is_known, salt, hash, ${accountColumns} FROM accounts WHERE id = $1
  UNION ALL SELECT 0, decode(repeat('00', 16), 'hex'), decode(repeat('00', 32), 'hex'), $1, 'administrator', 0, 0
  ORDER BY is_known DESC LIMIT 1`

async function readFacts(connection: PostgresConnection, origin: SignInOrigin, now: number | null) {
  const [[isKnown, , stored, ...row] = []] = await connection.rows(accountOrNone, [accountId(origin.account)])
  const hash = hashOrUnknown(stored, isKnown === 1)
  const counted = countedAs(origin, hash)
  const [[moment, ...series] = []] = await connection.rows(seriesOf, [now, counted.name, allName, anyKey])
  const [own, all] = [toSeries(series.slice(0, 3)), counted.isStranger ? toSeries(series.slice(3)) : null]
  return { account: readAccount(row), hash, counted, facts: { own, all }, moment: Number(moment) }
}

// `tokens` is the pool for transactions that may wait for a lock.
export function createConsoleAccess(pool: Pool, tokens: Pool, now: () => number | null): ConsoleAccess {
  const inTurn = <Result>(run: (connection: PostgresConnection) => Promise<Result>): Promise<Result> =>
    inTransaction(tokens, async (connection) => {
      await connection.rows(lockAccounts)
      return run(connection)
    })
  const attemptOnce = (
    origin: SignInOrigin,
    passwordHash: Uint8Array,
    grant: (connection: PostgresConnection, account: Account, moment: number) => Promise<void>,
  ): Promise<SignInOutcome> =>
    inTurn(async (connection) => {
      const { account, hash, counted, facts, moment } = await readFacts(connection, origin, now())
      const isRight = timingSafeEqual(hash, passwordHash)
      const { outcome, effects } = decideSignIn(moment, { ...counted, address: origin.address }, facts, isRight)
      await writeSeries(connection, counted.name, anyKey, effects.own)
      await writeSeries(connection, allName, anyKey, effects.all)
      for (const entry of effects.audit ?? []) await noteAct(connection, moment, entry)
      if (outcome.is === 'granted') await grant(connection, account, moment)
      return outcome
    })

  const rows = (text: string, ...values: readonly unknown[]) => pool.use((connection) => connection.rows(text, values))

  return {
    listAccounts: async () => (await rows(`SELECT ${accountColumns} FROM accounts ORDER BY id`)).map(readAccount),
    async findSalt(name) {
      const [[isKnown, salt] = []] = await rows(accountOrNone, accountId(name))
      return isKnown === 1 ? (salt as Uint8Array) : null
    },
    createAccount: (name, role, password, by) =>
      inTurn(async (connection) => {
        if (await findAccount(connection, accountId(name))) return 'exists'
        const account = await addAccount(connection, now(), name, role, password)
        await noteAct(connection, now(), accountAct('account created', account), by)
        return account
      }),
    updateAccount: (name, changes, by) =>
      inTurn(async (connection) => {
        const account = await findAccount(connection, accountId(name))
        if (!account) return null
        const decided = decideAccountChange(account, changes, await countAdministrators(connection))
        if (decided === 'last administrator') return decided
        if (decided.audit.length > 0) await writeAccount(connection, accountId(name), decided.next, changes.password)
        for (const entry of decided.audit) await noteAct(connection, now(), entry, by)
        return decided.next
      }),
    removeAccount: (name, by) =>
      inTurn(async (connection) => {
        const account = await findAccount(connection, accountId(name))
        if (!account) return null
        if (isLastAdministrator(account, await countAdministrators(connection))) return 'last administrator'
        await connection.rows('DELETE FROM accounts WHERE id = $1', [accountId(name)])
        await endSessionsOf(connection, accountId(name))
        await noteAct(connection, now(), accountAct('account removed', account), by)
        return account
      }),
    // Several instances may start at once: each offers a link, and all work until one is used.
    async offerLink(linkHash) {
      const inserted = await rows(
        `INSERT INTO password_links (hash, expires_at)
         SELECT $2, ${nowSql} + ${limits.linkMs} WHERE NOT EXISTS (SELECT FROM accounts) RETURNING 1`,
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
    useLink: (linkHash, name, password, by) =>
      inTurn(async (connection) => {
        const used = await connection.rows(
          `DELETE FROM password_links WHERE hash = $2 AND expires_at > ${nowSql} RETURNING 1`,
          [now(), linkHash],
        )
        // Another instance may have offered its link after the first account was made.
        const isFirst = (await connection.rows('SELECT 1 FROM accounts LIMIT 1')).length === 0
        if (used.length === 0 || !isFirst) return false
        const account = await addAccount(connection, now(), name, 'administrator', password)
        await noteAct(connection, now(), accountAct('account created', account), by)
        return true
      }),
    signInWait: (origin) =>
      tokens.use(async (connection) => {
        const { facts, moment } = await readFacts(connection, origin, now())
        return secondsToWait(moment, facts)
      }),
    signIn: (origin, { passwordHash, sessionHash }) =>
      attemptOnce(origin, passwordHash, async (connection, { name }, moment) => {
        await connection.rows('INSERT INTO sessions (hash, account, started_at, expires_at) VALUES ($1, $2, $3, $4)', [
          sessionHash,
          accountId(name),
          moment,
          sessionEnd(moment, moment),
        ])
        await connection.rows('UPDATE accounts SET last_sign_in_at = $1 WHERE id = $2', [moment, accountId(name)])
        await noteAct(connection, moment, consoleAct('signed in'), consoleActor(name))
      }),
    changePassword: (origin, passwordHash, password) =>
      attemptOnce(origin, passwordHash, async (connection, account, moment) => {
        await writeAccount(connection, accountId(account.name), account, password)
        await noteAct(connection, moment, passwordSet(account), consoleActor(account.name))
      }),
    async findSession(sessionHash, isUse = true) {
      const [row] = await rows(
        `SELECT a.name, a.role, s.started_at, s.expires_at, ${nowSql} FROM sessions s JOIN accounts a ON a.id = s.account
         WHERE s.hash = $2 AND s.expires_at > ${nowSql}`,
        now(),
        sessionHash,
      )
      if (!row) return null
      const [name, role, startedAt, endsAt, moment] = row
      const expiresAt = sessionEnd(Number(startedAt), Number(moment))
      // Written at most once a minute.
      if (isUse && expiresAt - Number(endsAt) >= limits.windowMs)
        await rows('UPDATE sessions SET expires_at = $1 WHERE hash = $2', expiresAt, sessionHash).catch(() => {})
      return readSession(name, role, Number(startedAt))
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
