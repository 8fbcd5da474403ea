// The tables of the state in PostgreSQL, as migrations. Each runs once, in order; a released one is never changed. Later ones only add
// columns and tables, because instances of the version before serve on. If several start at once, one migrates and the others wait.
import { OperatorError } from '../../errors.ts'
import type { PostgresConnection } from '../../platform/postgres/connection.ts'
import { quoteName } from '../../platform/postgres/names.ts'
import { addressOf, placeOf } from '../../platform/postgres/problems.ts'
import { closedProblem, makeSchema, mayCreate, schemaAccess } from '../../platform/postgres/schema-access.ts'
import { sessionSetUp } from '../../platform/postgres/session.ts'
import { problemOr, withConnection } from '../../platform/postgres/with-connection.ts'
import type { PostgresUrl } from '../../platform/postgres/url.ts'

// Times are milliseconds since 1970. `hour` of permission_use is the beginning of a minute. Windows change with every request: free
// space in each page allows heap-only updates.
export const migrations: readonly string[] = [
  `CREATE TABLE company (
     only_one int PRIMARY KEY CHECK (only_one = 1), is_enabled boolean NOT NULL, token_key bytea
   );
   INSERT INTO company
     VALUES (1, true, decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'));
   CREATE TABLE keys (
     access_key text COLLATE "C" PRIMARY KEY, name text NOT NULL, code_hash bytea NOT NULL, permissions text NOT NULL,
     stores text, price_list bigint, rate bigint NOT NULL, is_disabled boolean NOT NULL, created_at bigint NOT NULL,
     revoked_at bigint, old_code_hash bytea, old_code_until bigint, expires_on text, expires_at bigint, addresses text
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
   );
   CREATE TABLE blocked_addresses (
     hour bigint NOT NULL, address text COLLATE "C" NOT NULL, PRIMARY KEY (hour, address)
   );
   CREATE TABLE audit (
     id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at bigint NOT NULL, by text NOT NULL, act text NOT NULL,
     subject text COLLATE "C" NOT NULL, details text NOT NULL
   );
   CREATE INDEX audit_by_time ON audit (at);
   CREATE INDEX audit_by_subject ON audit (subject, id);
   CREATE TABLE usage (
     hour bigint NOT NULL, access_key text COLLATE "C" NOT NULL, resource text COLLATE "C" NOT NULL,
     outcome text COLLATE "C" NOT NULL, requests bigint NOT NULL, records bigint NOT NULL,
     PRIMARY KEY (hour, access_key, resource, outcome)
   );
   CREATE TABLE permission_use (
     access_key text COLLATE "C" NOT NULL, permission text COLLATE "C" NOT NULL, hour bigint NOT NULL, address text,
     PRIMARY KEY (access_key, permission)
   );
   CREATE TABLE accounts (
     id text COLLATE "C" PRIMARY KEY, name text NOT NULL, role text NOT NULL, salt bytea NOT NULL, hash bytea NOT NULL,
     created_at bigint NOT NULL, last_sign_in_at bigint
   );
   CREATE TABLE password_links (hash bytea PRIMARY KEY, expires_at bigint NOT NULL);
   CREATE TABLE sessions (
     hash bytea PRIMARY KEY, account text COLLATE "C" NOT NULL, started_at bigint NOT NULL, expires_at bigint NOT NULL
   )`,
]

const migrationLock = `SELECT pg_advisory_xact_lock(hashtext('vitrine'), hashtext('state'))`

const setting = 'VITRINE_STATE_URL'
const patienceMs = 10_000

const newer = (url: PostgresUrl) => `The state in ${placeOf(url)} was made by a newer version of Vitrine.`
const foreign = (url: PostgresUrl) =>
  `The state cannot be kept in ${placeOf(url)}: it holds tables that are not Vitrine's; ${setting} must name a schema of its own (?schema=…).`

function missingRight(url: PostgresUrl, isThere: boolean): string {
  const make = isThere ? `make tables in ${placeOf(url)}` : `make ${placeOf(url)}, which is not there`
  const sql = `CREATE SCHEMA ${quoteName(url.schema)} AUTHORIZATION ${quoteName(url.user)}`
  return `The role ${url.user} may not ${make}: ${sql}, or name another in ${setting}.`
}

// 0: the schema is missing or empty.
async function readVersion(connection: PostgresConnection, { schema }: PostgresUrl): Promise<number | 'foreign'> {
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

// Changes nothing. Exit status 1: the server cannot be used now. 2: it can never be, so the setting is wrong.
export async function lookAtState(
  url: PostgresUrl,
  willMake: boolean,
): Promise<{ version: number; isCurrent: boolean } | { problem: string; exitStatus: 1 | 2 }> {
  const look = withConnection(setting, url, sessionSetUp(url, { timeoutMs: patienceMs }), async (connection) => {
    const access = await schemaAccess(connection, url)
    if (access === 'closed') throw new OperatorError(closedProblem(url), 1)
    const [row] = await connection.rows('SELECT pg_is_in_recovery()')
    const version = await readVersion(connection, url)
    if (willMake && version === 0 && !(await mayCreate(connection, url)))
      throw new OperatorError(missingRight(url, access === 'open'), 1)
    return { version, isReplica: row?.[0] === true }
  })
  const found = await problemOr(look)
  if ('problem' in found) return { problem: found.problem, exitStatus: 1 }
  const { version, isReplica } = found
  if (version === 'foreign') return { problem: foreign(url), exitStatus: 2 }
  if (version > migrations.length) return { problem: newer(url), exitStatus: 2 }
  if (isReplica)
    return {
      problem: `${setting} names ${addressOf(url)}, which is a replica: state needs the primary.`,
      exitStatus: 2,
    }
  return { version, isCurrent: version === migrations.length }
}

// Returns whether it created a new state.
export async function migrateState(url: PostgresUrl, all = migrations): Promise<boolean> {
  return withConnection(setting, url, sessionSetUp(url, { timeoutMs: patienceMs }), async (connection) => {
    await connection.script('BEGIN')
    await connection.rows(migrationLock)
    const version = await readVersion(connection, url)
    if (version === 'foreign') throw new OperatorError(foreign(url))
    if (version > all.length) throw new OperatorError(newer(url))
    if (version === 0) {
      await makeSchema(connection, url)
      await connection.script('CREATE TABLE vitrine_state (version int NOT NULL); INSERT INTO vitrine_state VALUES (0)')
    }
    for (const migration of all.slice(version)) await connection.script(migration)
    if (version < all.length) await connection.script(`UPDATE vitrine_state SET version = ${all.length}`)
    await connection.script('COMMIT')
    return version === 0
  })
}
