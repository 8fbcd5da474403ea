// The tables of the state in PostgreSQL, as migrations. Each runs once, in order; a released one is never changed. If several
// instances start at once, one migrates and the others wait for it.
import { OperatorError } from '../../errors.ts'
import type { PostgresConnection } from '../../platform/postgres/connection.ts'
import { quoteName } from '../../platform/postgres/names.ts'
import { addressOf, placeOf } from '../../platform/postgres/problems.ts'
import { closedProblem, makeSchema, mayCreate, schemaAccess } from '../../platform/postgres/schema-access.ts'
import { sessionSetUp } from '../../platform/postgres/session.ts'
import { problemOr, withConnection } from '../../platform/postgres/with-connection.ts'
import type { PostgresUrl } from '../../platform/postgres/url.ts'

// Times are milliseconds since 1970. Permissions that were given before their use was recorded count as used at the migration.
// Windows change with every request: free space in each page allows heap-only updates.
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
  `CREATE TABLE audit (
     id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at bigint NOT NULL, by text NOT NULL, act text NOT NULL,
     subject text COLLATE "C" NOT NULL, details text NOT NULL
   );
   CREATE INDEX audit_by_time ON audit (at);
   CREATE INDEX audit_by_subject ON audit (subject, id);
   CREATE TABLE usage (
     hour bigint NOT NULL, access_key text COLLATE "C" NOT NULL, requests bigint NOT NULL, records bigint NOT NULL,
     refusals bigint NOT NULL, PRIMARY KEY (hour, access_key)
   )`,
  `CREATE TABLE password (only_one int PRIMARY KEY CHECK (only_one = 1), salt bytea NOT NULL, hash bytea NOT NULL);
   CREATE TABLE password_links (hash bytea PRIMARY KEY, expires_at bigint NOT NULL);
   CREATE TABLE sessions (
     hash bytea PRIMARY KEY, by text NOT NULL, started_at bigint NOT NULL, expires_at bigint NOT NULL
   );
   CREATE TABLE permission_use (
     access_key text COLLATE "C" NOT NULL, permission text COLLATE "C" NOT NULL, hour bigint NOT NULL,
     PRIMARY KEY (access_key, permission)
   );
   INSERT INTO permission_use SELECT access_key, '', max(hour) FROM usage GROUP BY access_key;
   INSERT INTO permission_use SELECT access_key, permission, floor(extract(epoch FROM now()) / 3600)::bigint * 3600000
     FROM keys, regexp_split_to_table(permissions, ' ') AS permission WHERE permission <> ''`,
  `ALTER TABLE company ADD COLUMN token_key bytea;
   UPDATE company SET token_key = decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex');
   CREATE TABLE blocked_addresses (
     hour bigint NOT NULL, address text COLLATE "C" NOT NULL, PRIMARY KEY (hour, address)
   )`,
  // Columns are only added, never renamed: instances of the previous version still serve. (So the column `hour` of
  // permission_use holds minutes from here on.)
  `ALTER TABLE keys ADD COLUMN old_code_hash bytea, ADD COLUMN old_code_until bigint, ADD COLUMN expires_on text,
     ADD COLUMN expires_at bigint, ADD COLUMN addresses text;
   ALTER TABLE permission_use ADD COLUMN address text`,
  // The password that all administrators shared becomes an account. (The console of the previous version ends here; its API goes on.)
  `CREATE TABLE accounts (
     id text COLLATE "C" PRIMARY KEY, name text NOT NULL, role text NOT NULL, salt bytea NOT NULL, hash bytea NOT NULL,
     created_at bigint NOT NULL, last_sign_in_at bigint
   );
   INSERT INTO accounts SELECT 'administrator', 'administrator', 'administrator', salt, hash,
     floor(extract(epoch FROM now()))::bigint * 1000, NULL FROM password;
   DROP TABLE password;
   DROP TABLE sessions;
   CREATE TABLE sessions (
     hash bytea PRIMARY KEY, account text COLLATE "C" NOT NULL, started_at bigint NOT NULL, expires_at bigint NOT NULL
   )`,
  // Resources and causes of refusals were not counted before. (Instances of the previous version serve on, and keep their counts in
  // memory.)
  `ALTER TABLE usage RENAME TO earlier_usage;
   CREATE TABLE usage (
     hour bigint NOT NULL, access_key text COLLATE "C" NOT NULL, resource text COLLATE "C" NOT NULL,
     outcome text COLLATE "C" NOT NULL, requests bigint NOT NULL, records bigint NOT NULL,
     PRIMARY KEY (hour, access_key, resource, outcome)
   );
   INSERT INTO usage SELECT hour, access_key, 'other', 'answered', requests - refusals, records FROM earlier_usage;
   INSERT INTO usage SELECT hour, access_key, 'other', 'bad_request', refusals, 0 FROM earlier_usage WHERE refusals > 0;
   DROP TABLE earlier_usage`,
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
export async function migrateState(url: PostgresUrl): Promise<boolean> {
  return withConnection(setting, url, sessionSetUp(url, { timeoutMs: patienceMs }), async (connection) => {
    await connection.script('BEGIN')
    await connection.rows(migrationLock)
    const version = await readVersion(connection, url)
    if (version === 'foreign') throw new OperatorError(foreign(url))
    if (version > migrations.length) throw new OperatorError(newer(url))
    if (version < migrations.length) {
      if (version === 0) {
        await makeSchema(connection, url)
        await connection.script(
          'CREATE TABLE vitrine_state (version int NOT NULL); INSERT INTO vitrine_state VALUES (0)',
        )
      }
      for (const migration of migrations.slice(version)) await connection.script(migration)
      await connection.script(`UPDATE vitrine_state SET version = ${migrations.length}`)
    }
    await connection.script('COMMIT')
    return version === 0
  })
}
