// Access to the console: accounts, the link that makes the first one, sign-in and sessions. Sign-in attempts and changes of accounts
// run one after the other, across all instances.
import { timingSafeEqual } from 'node:crypto'
import { accountAct, accountChanged, consoleAct, consoleActor, passwordSet } from './audit.ts'
import { accountId, type Account, type ConsoleAccess, type Password } from './console-access.ts'
import type { Role, SignInOrigin, SignInOutcome } from './console-access.ts'
import { anyKey, readSeries, writeSeries } from './failure-series.ts'
import type { HistoryOperations } from './history.ts'
import { limits } from './limits.ts'
import type { Operations } from './methods.ts'
import { allName, countedAs, decideSignIn, hashOrUnknown, secondsToWait, sessionEnd } from './sign-in-policy.ts'
import { raw, rows, type Moment, type Row, type StateDialect, type Steps } from './steps.ts'

const accountColumns = raw('name, role, created_at, last_sign_in_at')
const readAccount = ([name, role, createdAt, lastSignInAt]: Row): Account => ({
  name: String(name),
  role: readRole(role),
  createdAt: Number(createdAt),
  lastSignInAt: lastSignInAt === null ? null : Number(lastSignInAt),
})

// A role that is not known may change nothing.
const readRole = (cell: unknown): Role => (cell === 'administrator' ? cell : 'viewer')

function* findAccount(name: string): Steps<Account | null> {
  const [row] = yield* rows`SELECT ${accountColumns} FROM accounts WHERE id = ${accountId(name)}`
  return row ? readAccount(row) : null
}

function* isLastAdministrator({ role }: Account): Steps<boolean> {
  const [row] = yield* rows`SELECT count(*) FROM accounts WHERE role = 'administrator'`
  return role === 'administrator' && Number(row?.[0]) <= 1
}

const endSessionsOf = (name: string) => rows`DELETE FROM sessions WHERE account = ${accountId(name)}`

function* writeAccount({ name, role }: Account, password: Password | undefined): Steps<void> {
  yield* rows`
    UPDATE accounts SET role = ${role}, salt = coalesce(${password?.salt ?? null}, salt),
      hash = coalesce(${password?.hash ?? null}, hash)
    WHERE id = ${accountId(name)}`
  yield* endSessionsOf(name)
}

export function createConsoleAccess(
  { time, zeros, lock }: StateDialect,
  { note }: HistoryOperations,
): Operations<keyof ConsoleAccess> {
  // There is no row to lock for an account that does not exist, and a guess at one must be counted as exactly.
  function* lockAccounts(): Steps<void> {
    if (lock) yield lock('accounts')
  }

  function* addAccount(now: Moment, name: string, role: Role, { salt, hash }: Password, by?: string): Steps<Account> {
    const [row = []] = yield* rows`
      INSERT INTO accounts (id, name, role, salt, hash, created_at)
      VALUES (${accountId(name)}, ${name}, ${role}, ${salt}, ${hash}, ${time(now)}) RETURNING ${accountColumns}`
    const account = readAccount(row)
    yield* rows`DELETE FROM password_links`
    yield* note(now, accountAct('account created', account), by)
    return account
  }

  // Always one row of the same size, so that the time of the answer does not tell whether the account exists.
  function* accountOrNone(name: string) {
    const [[isKnown, salt, hash, ...account] = []] = yield* rows`
      SELECT 1 AS is_known, salt, hash, ${accountColumns} FROM accounts WHERE id = ${accountId(name)}
      UNION ALL SELECT 0, ${zeros(16)}, ${zeros(32)}, ${accountId(name)}, 'administrator', 0, 0
      ORDER BY is_known DESC LIMIT 1`
    return { isKnown: isKnown === 1, salt, hash, account }
  }

  function* readFacts(now: Moment, origin: SignInOrigin) {
    const { isKnown, hash: stored, account } = yield* accountOrNone(origin.account)
    const hash = hashOrUnknown(stored, isKnown)
    const counted = countedAs(origin, hash)
    const [[moment, ...series] = []] = yield* rows`
      SELECT moment.now, o.started_at, o.count, o.blocked_until, a.started_at, a.count, a.blocked_until
      FROM (SELECT ${time(now)} AS now) moment
        LEFT JOIN failures o ON o.address = ${counted.name} AND o.key_hash = ${anyKey}
        LEFT JOIN failures a ON a.address = ${allName} AND a.key_hash = ${anyKey}`
    const [own, all] = [readSeries(series.slice(0, 3)), counted.isStranger ? readSeries(series.slice(3)) : null]
    return { account: readAccount(account), hash, counted, facts: { own, all }, moment: Number(moment) }
  }

  function* attemptOnce(
    now: Moment,
    origin: SignInOrigin,
    passwordHash: Uint8Array,
    grant: (account: Account, moment: number) => Steps<void>,
  ): Steps<SignInOutcome> {
    yield* lockAccounts()
    const { account, hash, counted, facts, moment } = yield* readFacts(now, origin)
    const isRight = timingSafeEqual(hash, passwordHash)
    const { outcome, effects } = decideSignIn(moment, { ...counted, address: origin.address }, facts, isRight)
    yield* writeSeries(counted.name, anyKey, effects.own)
    yield* writeSeries(allName, anyKey, effects.all)
    for (const entry of effects.audit ?? []) yield* note(moment, entry)
    if (outcome.is === 'granted') yield* grant(account, moment)
    return outcome
  }

  return {
    *listAccounts() {
      return (yield* rows`SELECT ${accountColumns} FROM accounts ORDER BY id`).map(readAccount)
    },
    *findSalt(_now, name) {
      const { isKnown, salt } = yield* accountOrNone(name)
      return isKnown ? (salt as Uint8Array) : null
    },
    *createAccount(now, name, role, password, by) {
      yield* lockAccounts()
      return (yield* findAccount(name)) ? 'exists' : yield* addAccount(now, name, role, password, by)
    },
    *updateAccount(now, name, { role, password }, by) {
      yield* lockAccounts()
      const account = yield* findAccount(name)
      if (!account) return null
      const next = { ...account, role: role ?? account.role }
      const hasNewRole = next.role !== account.role
      if (hasNewRole && (yield* isLastAdministrator(account))) return 'last administrator'
      if (hasNewRole || password) yield* writeAccount(next, password)
      if (hasNewRole) yield* note(now, accountChanged(account, next), by)
      if (password) yield* note(now, passwordSet(account), by)
      return next
    },
    *removeAccount(now, name, by) {
      yield* lockAccounts()
      const account = yield* findAccount(name)
      if (!account) return null
      if (yield* isLastAdministrator(account)) return 'last administrator'
      yield* rows`DELETE FROM accounts WHERE id = ${accountId(name)}`
      yield* endSessionsOf(name)
      yield* note(now, accountAct('account removed', account), by)
      return account
    },
    // Several instances may start at once: each offers a link, and all work until one is used.
    *offerLink(now, linkHash) {
      const inserted = yield* rows`
        INSERT INTO password_links (hash, expires_at)
        SELECT ${linkHash}, ${time(now)} + ${limits.linkMs} WHERE NOT EXISTS (SELECT 1 FROM accounts) RETURNING 1`
      return inserted.length > 0
    },
    *isLinkOpen(now, linkHash) {
      const open = yield* rows`SELECT 1 FROM password_links WHERE hash = ${linkHash} AND expires_at > ${time(now)}`
      return open.length > 0
    },
    *useLink(now, linkHash, name, password, by) {
      yield* lockAccounts()
      const used = yield* rows`
        DELETE FROM password_links WHERE hash = ${linkHash} AND expires_at > ${time(now)} RETURNING 1`
      // Another instance may have offered its link after the first account was made.
      const isFirst = (yield* rows`SELECT 1 FROM accounts LIMIT 1`).length === 0
      if (used.length === 0 || !isFirst) return false
      yield* addAccount(now, name, 'administrator', password, by)
      return true
    },
    *signInWait(now, origin) {
      const { facts, moment } = yield* readFacts(now, origin)
      return secondsToWait(moment, facts)
    },
    signIn: (now, origin, { passwordHash, sessionHash }) =>
      attemptOnce(now, origin, passwordHash, function* ({ name }, moment) {
        const id = accountId(name)
        yield* rows`
          INSERT INTO sessions (hash, account, started_at, expires_at)
          VALUES (${sessionHash}, ${id}, ${moment}, ${sessionEnd(moment, moment)})`
        yield* rows`UPDATE accounts SET last_sign_in_at = ${moment} WHERE id = ${id}`
        yield* note(moment, consoleAct('signed in'), consoleActor(name))
      }),
    changePassword: (now, origin, passwordHash, password) =>
      attemptOnce(now, origin, passwordHash, function* (account, moment) {
        yield* writeAccount(account, password)
        yield* note(moment, passwordSet(account), consoleActor(account.name))
      }),
    *findSession(now, sessionHash, isUse = true) {
      const [row] = yield* rows`
        SELECT a.name, a.role, s.started_at, s.expires_at, ${time(now)} FROM sessions s JOIN accounts a ON a.id = s.account
        WHERE s.hash = ${sessionHash} AND s.expires_at > ${time(now)}`
      if (!row) return null
      const [name, role, startedAt, endsAt, moment] = row
      const expiresAt = sessionEnd(Number(startedAt), Number(moment))
      // Written at most once a minute.
      if (isUse && expiresAt - Number(endsAt) >= limits.windowMs)
        try {
          yield* rows`UPDATE sessions SET expires_at = ${expiresAt} WHERE hash = ${sessionHash}`
        } catch {
          // A locked file or a full disk does not end the session.
        }
      const account = String(name)
      return { account, by: consoleActor(account), role: readRole(role), startedAt: Number(startedAt) }
    },
    *endSession(_now, sessionHash) {
      yield* rows`DELETE FROM sessions WHERE hash = ${sessionHash}`
    },
    *endSessions(now, by) {
      yield* rows`DELETE FROM sessions`
      yield* note(now, consoleAct('everybody signed out'), by)
    },
  }
}
