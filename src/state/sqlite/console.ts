// Access to the console in the SQLite store: accounts, the link that makes the first one, sign-in and sessions.
import { timingSafeEqual } from 'node:crypto'
import type { Sqlite } from '../../platform/sqlite.ts'
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
import type { Durably } from './administration.ts'
import type { createHistory } from './history.ts'
import type { Timed } from '../methods.ts'
import type { Account, ConsoleAccess, Password, Role, SignInOrigin } from '../console-access.ts'
import type { createTokenRequests } from './token-requests.ts'

interface ConsoleAccessOptions {
  readonly tokens: ReturnType<typeof createTokenRequests>
  readonly history: ReturnType<typeof createHistory>
  readonly durably: Durably
}

export function createConsoleAccess(
  database: Sqlite,
  { tokens, history, durably }: ConsoleAccessOptions,
): Timed<keyof ConsoleAccess> {
  const prepare = (text: string) => database.prepare(text)
  // Always one row of the same size, so that the time of the answer does not tell whether the account exists.
  const accountRow = prepare(
    `SELECT name, role, salt, hash, created_at, last_sign_in_at, 1 AS is_known FROM accounts WHERE id = ?1
     UNION ALL SELECT ?1, 'administrator', zeroblob(16), zeroblob(32), 0, 0, 0 ORDER BY is_known DESC LIMIT 1`,
  )
  const rowOf = (name: string) => accountRow.get(accountId(name)) ?? {}
  const find = (name: string): Account | null => {
    const row = rowOf(name)
    return isKnown(row) ? toAccount(row) : null
  }
  const hasAccounts = () => prepare('SELECT 1 FROM accounts LIMIT 1').get() !== undefined
  const countAdministrators = () =>
    Number(prepare("SELECT count(*) AS count FROM accounts WHERE role = 'administrator'").get()?.['count'])

  const create = (now: number, name: string, role: Role, { salt, hash }: Password, by: string | undefined) => {
    const account = newAccount(name, role, now)
    prepare('INSERT INTO accounts (id, name, role, salt, hash, created_at) VALUES (?, ?, ?, ?, ?, ?)').run(
      accountId(name),
      name,
      role,
      salt,
      hash,
      now,
    )
    database.exec('DELETE FROM password_links')
    history.note(now, accountAct('account created', account), by)
    return account
  }
  const write = (id: string, { role }: Account, password: Password | undefined) => {
    prepare('UPDATE accounts SET role = ?, salt = coalesce(?, salt), hash = coalesce(?, hash) WHERE id = ?').run(
      role,
      password?.salt ?? null,
      password?.hash ?? null,
      id,
    )
    endSessionsOf(id)
  }
  const endSessionsOf = (id: string) => prepare('DELETE FROM sessions WHERE account = ?').run(id)

  const readFacts = (origin: SignInOrigin) => {
    const row = rowOf(origin.account)
    const hash = hashOrUnknown(row['hash'], isKnown(row))
    const counted = countedAs(origin, hash)
    const all = counted.isStranger ? tokens.readSeries(allName, anyKey) : null
    return { row, hash, counted, facts: { own: tokens.readSeries(counted.name, anyKey), all } }
  }

  const attemptOnce = (
    now: number,
    origin: SignInOrigin,
    passwordHash: Uint8Array,
    grant: (account: Account) => void,
  ) => {
    const { row, hash, counted, facts } = readFacts(origin)
    const isRight = timingSafeEqual(hash, passwordHash)
    const { outcome, effects } = decideSignIn(now, { ...counted, address: origin.address }, facts, isRight)
    tokens.writeSeries(counted.name, anyKey, effects.own)
    tokens.writeSeries(allName, anyKey, effects.all)
    for (const entry of effects.audit ?? []) history.note(now, entry)
    if (outcome.is === 'granted') grant(toAccount(row))
    return outcome
  }

  return {
    listAccounts: () => prepare('SELECT * FROM accounts ORDER BY id').all().map(toAccount),
    findSalt(_now, name) {
      const row = rowOf(name)
      return isKnown(row) ? (row['salt'] as Uint8Array) : null
    },
    createAccount: (now, name, role, password, by) =>
      durably(() => (find(name) ? 'exists' : create(now, name, role, password, by))),
    updateAccount: (now, name, changes, by) =>
      durably(() => {
        const account = find(name)
        if (!account) return null
        const decided = decideAccountChange(account, changes, countAdministrators())
        if (decided === 'last administrator') return decided
        if (decided.audit.length > 0) write(accountId(name), decided.next, changes.password)
        for (const entry of decided.audit) history.note(now, entry, by)
        return decided.next
      }),
    removeAccount: (now, name, by) =>
      durably(() => {
        const account = find(name)
        if (!account) return null
        if (isLastAdministrator(account, countAdministrators())) return 'last administrator'
        prepare('DELETE FROM accounts WHERE id = ?').run(accountId(name))
        endSessionsOf(accountId(name))
        history.note(now, accountAct('account removed', account), by)
        return account
      }),
    offerLink: (now, linkHash) =>
      durably(() => {
        if (hasAccounts()) return false
        prepare('INSERT INTO password_links (hash, expires_at) VALUES (?, ?)').run(linkHash, now + limits.linkMs)
        return true
      }),
    isLinkOpen: (now, linkHash) =>
      prepare('SELECT 1 FROM password_links WHERE hash = ? AND expires_at > ?').get(linkHash, now) !== undefined,
    useLink: (now, linkHash, name, password, by) =>
      durably(() => {
        const used = prepare('DELETE FROM password_links WHERE hash = ? AND expires_at > ?').run(linkHash, now)
        if (used.changes === 0 || hasAccounts()) return false
        create(now, name, 'administrator', password, by)
        return true
      }),
    signInWait: (now, origin) => secondsToWait(now, readFacts(origin).facts),
    signIn: (now, origin, { passwordHash, sessionHash }) =>
      durably(() =>
        attemptOnce(now, origin, passwordHash, ({ name }) => {
          const id = accountId(name)
          prepare('INSERT INTO sessions (hash, account, started_at, expires_at) VALUES (?, ?, ?, ?)').run(
            sessionHash,
            id,
            now,
            sessionEnd(now, now),
          )
          prepare('UPDATE accounts SET last_sign_in_at = ? WHERE id = ?').run(now, id)
          history.note(now, consoleAct('signed in'), consoleActor(name))
        }),
      ),
    changePassword: (now, origin, passwordHash, password) =>
      durably(() =>
        attemptOnce(now, origin, passwordHash, (account) => {
          write(accountId(account.name), account, password)
          history.note(now, passwordSet(account), consoleActor(account.name))
        }),
      ),
    findSession(now, sessionHash, isUse = true) {
      const row = prepare(
        `SELECT a.name, a.role, s.started_at, s.expires_at FROM sessions s JOIN accounts a ON a.id = s.account
         WHERE s.hash = ? AND s.expires_at > ?`,
      ).get(sessionHash, now)
      if (!row) return null
      const startedAt = Number(row['started_at'])
      const expiresAt = sessionEnd(startedAt, now)
      // Written at most once a minute.
      if (isUse && expiresAt - Number(row['expires_at']) >= limits.windowMs)
        try {
          prepare('UPDATE sessions SET expires_at = ? WHERE hash = ?').run(expiresAt, sessionHash)
        } catch {
          // A locked file or a full disk does not end the session.
        }
      return readSession(row['name'], row['role'], startedAt)
    },
    endSession: (_now, sessionHash) => void prepare('DELETE FROM sessions WHERE hash = ?').run(sessionHash),
    endSessions: (now, by) =>
      durably(() => {
        database.exec('DELETE FROM sessions')
        history.note(now, consoleAct('everybody signed out'), by)
      }),
  }
}

const isKnown = (row: Readonly<Record<string, unknown>>) => row['is_known'] === 1
const toAccount = (row: Readonly<Record<string, unknown>>): Account =>
  readAccount([row['name'], row['role'], row['created_at'], row['last_sign_in_at']])
