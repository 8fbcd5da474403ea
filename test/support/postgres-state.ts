// The state in its own schema on the tests' PostgreSQL, with a second connection that acts as another session: it locks
// rows, changes them and counts waiting sessions.
import assert from 'node:assert/strict'
import type { Clock } from '../../src/platform/clock.ts'
import { hashSecret, makeAccessKey, makeSecurityCode, makeToken } from '../../src/auth/secrets.ts'
import { connectPostgres, type PostgresConnection } from '../../src/platform/postgres/connection.ts'
import { migrateState } from '../../src/state/postgres/schema.ts'
import { createPostgresState } from '../../src/state/postgres/state.ts'
import type { Key, State, TokenAttempt } from '../../src/state/state.ts'
import { urlOf } from './place-postgres.ts'
import { newSchema } from './postgres.ts'
import { until } from './process.ts'

export type StatePlace = Awaited<ReturnType<typeof makeStatePlace>>

export async function makeStatePlace() {
  const url = await urlOf(newSchema('state'))
  await migrateState(url)
  const connect = () => connectPostgres(url, { timeoutMs: 30_000, setUp: `SET search_path = ${url.schema}` })
  const watch = await connect()
  const opened: State[] = []
  const holding: PostgresConnection[] = []
  return {
    url,
    /** Without a clock: by the database's. */
    open(clock?: Clock, connections = 4): State {
      const state = createPostgresState({ url, connections, timeoutMs: 30_000, ...(clock ? { clock } : {}) })
      opened.push(state)
      return state
    },
    rows: (text: string, values: readonly unknown[] = []) => watch.rows(text, values),
    now: async () =>
      Number((await watch.rows('SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint'))[0]?.[0]),
    /** A transaction that has run a statement, and holds what it touched until it is ended. */
    async hold(text: string, values: readonly unknown[] = []) {
      const connection = await connect()
      holding.push(connection)
      await connection.script('BEGIN')
      await connection.rows(text, values)
      const end = async (how: 'COMMIT' | 'ROLLBACK') => {
        await connection.script(how)
        await connection.close()
      }
      return { commit: () => end('COMMIT'), rollback: () => end('ROLLBACK') }
    },
    /** Until at least this many sessions of this state wait for a lock. */
    waiting: (count: number) =>
      until(`${count} wait for a lock`, async () => {
        const [row] = await watch.rows(
          `SELECT count(*) FROM pg_stat_activity a WHERE a.wait_event_type = 'Lock' AND EXISTS (
             SELECT FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
             WHERE l.pid = a.pid AND c.relnamespace = to_regnamespace($1))`,
          [url.schema],
        )
        return Number(row?.[0]) >= count
      }),
    /** For `afterEach`: releases the locks of a failed test, so that nothing waits for them. */
    release(): void {
      for (const connection of holding.splice(0)) connection.destroy()
    },
    async remove(): Promise<void> {
      this.release()
      await Promise.all(opened.map((state) => state.close()))
      await watch.script(`DROP SCHEMA ${url.schema} CASCADE`)
      await watch.close()
    },
  }
}

export interface Credentials {
  readonly accessKey: string
  readonly securityCode: string
}

export async function newKey(state: State, changes: Partial<Key> = {}): Promise<Credentials> {
  const [accessKey, securityCode] = [makeAccessKey(), makeSecurityCode()]
  const plain = { name: 'Shop', permissions: ['vendors:read'] as const, stores: null, priceList: null, rate: 60 }
  await state.createKey({ ...plain, ...changes, accessKey }, hashSecret(securityCode))
  return { accessKey, securityCode }
}

export const attemptOf = (
  { accessKey, securityCode }: Credentials,
  address: string,
  token = makeToken(),
): TokenAttempt => ({
  address,
  accessKey,
  codeHash: hashSecret(securityCode),
  isReadable: true,
  scope: null,
  tokenHash: hashSecret(token),
})

/** The hash of a token of a new key. */
export async function newToken(state: State, address: string, changes: Partial<Key> = {}): Promise<Uint8Array> {
  const attempt = attemptOf(await newKey(state, changes), address)
  assert.equal((await state.requestToken(attempt)).is, 'granted')
  return attempt.tokenHash
}
