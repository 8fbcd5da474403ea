// The tables of the state in PostgreSQL, as migrations: each runs once, in order; one that was released is never changed.
// Several instances may start at once: one migrates, the others wait for it.
import { OperatorError } from '../../errors.ts'
import type { PostgresConnection } from '../../postgres/connection.ts'
import { quoteName } from '../../postgres/names.ts'
import { lookAt, placeOf } from '../../postgres/problems.ts'
import { sessionSetUp } from '../../postgres/session.ts'
import type { PostgresUrl } from '../../settings/postgres-url.ts'

// Times are milliseconds since 1970. Windows change with every request: room in each page keeps that from spreading.
const migrations = [
  `CREATE TABLE company (only_one int PRIMARY KEY CHECK (only_one = 1), is_enabled boolean NOT NULL);
   INSERT INTO company VALUES (1, true);
   CREATE TABLE keys (
     access_key text COLLATE "C" PRIMARY KEY, name text NOT NULL, code_hash bytea NOT NULL, permissions text NOT NULL,
     stores text, price_list bigint, rate bigint NOT NULL, is_disabled boolean NOT NULL, created_at bigint NOT NULL,
     revoked_at bigint
   );
   CREATE TABLE tokens (
     hash bytea PRIMARY KEY, access_key text COLLATE "C" NOT NULL, permissions text NOT NULL, expires_at bigint NOT NULL
   );
   CREATE INDEX tokens_by_key ON tokens (access_key);
   CREATE INDEX tokens_by_expiry ON tokens (expires_at);
   CREATE TABLE windows (name text COLLATE "C" PRIMARY KEY, started_at bigint NOT NULL, count bigint NOT NULL)
     WITH (fillfactor = 50);
   CREATE TABLE failures (
     address text COLLATE "C" NOT NULL, key_hash bytea NOT NULL, started_at bigint NOT NULL, count bigint NOT NULL,
     blocked_until bigint, PRIMARY KEY (address, key_hash)
   )`,
]

// "vitrine state" as two integers: the lock that whoever migrates holds.
const migrationLock = 'SELECT pg_advisory_xact_lock(1986622324, 1936994661)'

const setting = 'VITRINE_STATE_URL'
const patienceMs = 10_000

const newer = (url: PostgresUrl) => `The state in ${placeOf(url)} was made by a newer version of Vitrine.`
const foreign = (url: PostgresUrl) =>
  `The state cannot be kept in ${placeOf(url)}: it holds tables that are not Vitrine's; ${setting} must name a schema of its own (?schema=…).`

export type StateVersion = number | 'foreign'

// 0: nothing is there yet.
async function readVersion(connection: PostgresConnection, { schema }: PostgresUrl): Promise<StateVersion> {
  const [found] = await connection.rows(
    `SELECT count(*), count(*) FILTER (WHERE relname = 'vitrine_state') FROM pg_catalog.pg_class
     WHERE relnamespace = to_regnamespace(quote_ident($1)) AND relkind IN ('r', 'p', 'v', 'm', 'f')`,
    [schema],
  )
  if (found?.[1] === 1) {
    const [row] = await connection.rows('SELECT version FROM vitrine_state')
    return Number(row?.[0])
  }
  return found?.[0] === 0 ? 0 : 'foreign'
}

// What is there, found out without making or changing anything. A server that cannot be used now is a failure (1), one that
// can never be is a wrong setting (2).
export async function lookAtState(
  url: PostgresUrl,
): Promise<{ version: number } | { problem: string; exitStatus: 1 | 2 }> {
  const found = await lookAt(setting, url, sessionSetUp(url, { timeoutMs: patienceMs }), async (connection) => {
    const version = await readVersion(connection, url)
    const [row] = await connection.rows('SELECT pg_is_in_recovery()')
    return { version, isReplica: row?.[0] === true }
  })
  if ('problem' in found) return { problem: found.problem, exitStatus: 1 }
  const { version, isReplica } = found
  if (version === 'foreign') return { problem: foreign(url), exitStatus: 2 }
  if (version > migrations.length) return { problem: newer(url), exitStatus: 2 }
  if (isReplica)
    return {
      problem: `${setting} names ${url.host}:${url.port}, which is a replica: state needs the primary.`,
      exitStatus: 2,
    }
  return { version }
}

// Where it is there already, no right to make one is asked for.
async function hasSchema(connection: PostgresConnection, { schema }: PostgresUrl): Promise<boolean> {
  const [row] = await connection.rows('SELECT to_regnamespace(quote_ident($1)) IS NOT NULL', [schema])
  return row?.[0] === true
}

export async function migrateState(url: PostgresUrl): Promise<void> {
  const done = await lookAt(setting, url, sessionSetUp(url, { timeoutMs: patienceMs }), async (connection) => {
    await connection.script('BEGIN')
    await connection.rows(migrationLock)
    const version = await readVersion(connection, url)
    if (version === 'foreign') throw new OperatorError(foreign(url))
    if (version > migrations.length) throw new OperatorError(newer(url))
    if (version < migrations.length) {
      if (version === 0)
        await connection.script(
          `${(await hasSchema(connection, url)) ? '' : `CREATE SCHEMA ${quoteName(url.schema)};`}
           CREATE TABLE vitrine_state (version int NOT NULL); INSERT INTO vitrine_state VALUES (0)`,
        )
      for (const migration of migrations.slice(version)) await connection.script(migration)
      await connection.script(`UPDATE vitrine_state SET version = ${migrations.length}`)
    }
    await connection.script('COMMIT')
    return {}
  })
  if ('problem' in done) throw new OperatorError(done.problem, 1)
}
