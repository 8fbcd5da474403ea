// The state's schema in PostgreSQL: made once however many start at once, made by no command that only looks, and left as
// it is where it cannot be ours.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { parsePostgresUrl } from '../../src/platform/postgres/url.ts'
import { migrateState, migrations } from '../../src/state/postgres/schema.ts'
import { atOnce } from '../support/grants.ts'
import { makePos } from '../support/pos.ts'
import { dropSchemas, makeSchema, newSchema, startPostgres, type Schema } from '../support/postgres.ts'
import { runVitrine, startServer, temporaryFolder, type Settings } from '../support/process.ts'

const folder = temporaryFolder()
const data = join(folder, 'pos.db')
before(() => makePos(data, {}))
after(async () => {
  await dropSchemas()
  rmSync(folder, { recursive: true })
})

const settingsOf = (url: string): Settings => ({
  VITRINE_DATA_DIR: folder,
  VITRINE_DATABASE_URL: `sqlite:${data}`,
  VITRINE_STATE_URL: url,
})
const vitrine = (url: string, ...words: string[]) => runVitrine(words, settingsOf(url))
const createKey = (url: string) => vitrine(url, 'keys', 'create', '--name', 'Shop', '--permissions', 'all', '--json')
const tables =
  'accounts audit blocked_addresses company failures keys password_links permission_use sessions tokens usage vitrine_state windows'

async function tablesOf(schema: Schema): Promise<string> {
  const rows = await schema.query('SELECT tablename FROM pg_tables WHERE schemaname = $1 ORDER BY tablename', [
    schema.name,
  ])
  return rows.map((row) => String(row['tablename'])).join(' ')
}

/** An absent schema's name with what a URL needs to name it. */
async function absentSchema(): Promise<Schema> {
  const schema = await makeSchema('state')
  await schema.query(`DROP SCHEMA ${schema.name}`)
  return schema
}
const isThere = async (schema: Schema) =>
  (await schema.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema.name])).length === 1

async function assertMadeOnce(schema: Schema) {
  assert.equal(await tablesOf(schema), tables)
  assert.deepEqual(await schema.query('SELECT version FROM vitrine_state'), [{ version: 1 }])
  assert.deepEqual(await schema.query('SELECT is_enabled FROM company'), [{ is_enabled: true }])
}

const atThree = <Result>(run: () => Result): Result[] => [run(), run(), run()]

test('three instances and three commands that start at once, where there is no schema yet, all come up', async () => {
  const schema = await absentSchema()
  const [servers, created] = await Promise.all([
    Promise.allSettled(atThree(() => startServer({ settings: settingsOf(schema.url), prepare: () => {} }))),
    Promise.all(atThree(() => createKey(schema.url))),
  ])
  await Promise.all(servers.flatMap((server) => (server.status === 'fulfilled' ? [server.value.remove()] : [])))
  const faults = servers.flatMap((server) => (server.status === 'rejected' ? [String(server.reason)] : []))
  assert.deepEqual(faults, [])
  for (const { status, stderr } of created) assert.equal(status, 0, stderr)
  await assertMadeOnce(schema)
  assert.equal((await schema.query('SELECT FROM keys')).length, 3)
})

for (const [name, make] of [
  ['an empty schema', () => makeSchema('state')],
  ['a schema that is not there yet', absentSchema],
] as const)
  test(`thirty that make it at the same moment, in ${name}, make it once`, async () => {
    const schema = await make()
    const parsed = parsePostgresUrl(schema.url, '', '/')
    assert.ok('value' in parsed)
    await atOnce(30, () => migrateState(parsed.value))
    await assertMadeOnce(schema)
  })

async function parsedStateUrl() {
  const schema = await makeSchema('state')
  const parsed = parsePostgresUrl(schema.url, '', '/')
  assert.ok('value' in parsed)
  await migrateState(parsed.value)
  return { schema, url: parsed.value }
}

const makesTable = [...migrations, 'CREATE TABLE later (a int); INSERT INTO later VALUES (1)']

test('thirty of a later version that start at the same moment migrate a state once, and keep what is in it', async () => {
  const { schema, url } = await parsedStateUrl()
  await createKey(schema.url)
  await atOnce(30, async () => assert.equal(await migrateState(url, makesTable), false))
  assert.deepEqual(await schema.query('SELECT a, version FROM later, vitrine_state'), [{ a: 1, version: 2 }])
  assert.equal((await schema.query('SELECT FROM keys')).length, 1)
})

test('a migration that fails leaves a state as it was, whatever came before it', async () => {
  const { schema, url } = await parsedStateUrl()
  await assert.rejects(migrateState(url, [...makesTable, 'CREATE TABLE keys (a int)']), /already exists/)
  await assertMadeOnce(schema)
})

interface Refused {
  readonly name: string
  readonly prepare: (schema: Schema) => Promise<unknown>
  readonly says: RegExp
}

const refused: readonly Refused[] = [
  {
    name: 'a state of a newer version',
    async prepare(schema) {
      await createKey(schema.url)
      await schema.query('UPDATE vitrine_state SET version = 1000')
    },
    says: /^vitrine: The state in the schema \S+ .*was made by a newer version of Vitrine\.$/m,
  },
  {
    name: "somebody else's tables",
    prepare: (schema) => schema.query('CREATE TABLE keys (id int); INSERT INTO keys VALUES (7)'),
    says: /^vitrine: The state cannot be kept in the schema \S+ .*not Vitrine's.*VITRINE_STATE_URL must name a schema/m,
  },
  {
    name: "somebody else's view",
    prepare: (schema) => schema.query('CREATE VIEW keys AS SELECT 1 AS id'),
    says: /^vitrine: The state cannot be kept in the schema \S+ .*not Vitrine's/m,
  },
]

for (const { name, prepare, says } of refused)
  test(`${name}: refused in a sentence that names the schema, by all that would use it, and left as it is`, async () => {
    const schema = await makeSchema('state')
    await prepare(schema)
    const before = [await tablesOf(schema), await schema.query('TABLE keys')]
    const ended = await Promise.all([
      createKey(schema.url),
      vitrine(schema.url, 'keys', 'list'),
      vitrine(schema.url, 'serve', '--json'),
    ])
    for (const { status, stdout, stderr } of ended) {
      assert.deepEqual([status, stdout], [2, ''], stderr)
      assert.match(stderr, says)
      assert.ok(stderr.includes(schema.name))
    }
    assert.deepEqual([await tablesOf(schema), await schema.query('TABLE keys')], before)
  })

test('the schema of the data: refused before anything is asked of the server', async () => {
  const schema = await makeSchema('pos')
  const settings = { ...settingsOf(schema.url), VITRINE_DATABASE_URL: schema.url }
  const ended = await Promise.all([['serve'], ['company', 'enable']].map((words) => runVitrine(words, settings)))
  for (const { status, stderr } of ended) {
    assert.equal(status, 2)
    assert.match(stderr, /VITRINE_STATE_URL and VITRINE_DATABASE_URL both name the schema \S+: state never shares/)
  }
  assert.equal(await tablesOf(schema), '')
})

/** A role that may not make a schema; gone with all it has afterwards. */
async function withRole(schema: Schema, rights: (role: string) => string, use: (url: string) => Promise<void>) {
  const role = newSchema('role')
  const url = Object.assign(new URL(schema.url), { username: role, password: 'secret' })
  await schema.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'; ${rights(role)}`)
  try {
    const [row] = await schema.query("SELECT has_database_privilege($1, current_database(), 'CREATE') AS may", [role])
    assert.equal(row?.['may'], false)
    await use(url.href)
  } finally {
    await schema.query(`DROP OWNED BY ${role} CASCADE; DROP ROLE ${role}`)
  }
}

for (const [name, right] of [
  ['owns', (role: string, schema: string) => `ALTER SCHEMA ${schema} OWNER TO ${role}`],
  ['may make tables in', (role: string, schema: string) => `GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${role}`],
] as const)
  test(`a role that may not make a schema, but ${name} an empty one: all it needs`, async () => {
    const schema = await makeSchema('state')
    await withRole(
      schema,
      (role) => right(role, schema.name),
      async (url) => {
        const created = await createKey(url)
        assert.equal(created.status, 0, created.stderr)
        await assertMadeOnce(schema)
      },
    )
  })

test('a role that may do no more than read and write the tables of a state that is there: all it needs', async () => {
  const schema = await makeSchema('state')
  assert.equal((await createKey(schema.url)).status, 0)
  const rights = (role: string) =>
    `GRANT USAGE ON SCHEMA ${schema.name} TO ${role};
     GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema.name} TO ${role}`
  await withRole(schema, rights, async (url) => {
    const created = await createKey(url)
    assert.equal(created.status, 0, created.stderr)
    assert.equal((await schema.query('SELECT FROM keys')).length, 2)
  })
})

test('a schema of any name: capitals, blanks, quotes and letters of other scripts', async () => {
  const schema = await absentSchema()
  const name = `Ét"at's ${schema.name}`
  const url = schema.url.replace(schema.name, encodeURIComponent(name))
  try {
    for (const count of [1, 2]) {
      const { status, stderr } = await createKey(url)
      assert.equal(status, 0, stderr)
      const [row] = await schema.query(`SELECT count(*)::int AS keys FROM "${name.replaceAll('"', '""')}".keys`)
      assert.equal(row?.['keys'], count)
    }
  } finally {
    await schema.query(`DROP SCHEMA IF EXISTS "${name.replaceAll('"', '""')}" CASCADE`)
  }
})

test('a role that may not make a schema, where there is none: refused in a sentence, and nothing was made', async () => {
  const schema = await absentSchema()
  await withRole(
    schema,
    () => '',
    async (url) => {
      const { status, stderr } = await createKey(url)
      assert.notEqual(status, 0)
      assert.match(stderr, new RegExp(`^vitrine: The role \\S+ may not .*${schema.name}.*VITRINE_STATE_URL`, 'm'))
      assert.doesNotMatch(stderr, /Made a new state/)
      assert.equal(await isThere(schema), false)
    },
  )
})

test('commands that only look, where there is no state yet: they say so, and make nothing', async () => {
  const [empty, absent] = [await makeSchema('state'), await absentSchema()]
  const looks: readonly [Schema, string][] = [
    [empty, 'keys list'],
    [absent, 'keys list'],
    [absent, 'blocks list'],
    [absent, 'company show'],
  ]
  const ended = await Promise.all(looks.map(([schema, words]) => vitrine(schema.url, ...words.split(' '))))
  for (const [at, { status, stderr }] of ended.entries()) {
    assert.equal(status, 0)
    assert.match(stderr, new RegExp(`There is no state .*${looks[at]?.[0].name} `))
  }
  assert.deepEqual([await isThere(empty), await tablesOf(empty), await isThere(absent)], [true, '', false])
})

test('commands that change a key, where there is no state yet: refused, and nothing is made', async () => {
  const schema = await absentSchema()
  const commands = ['keys revoke', 'keys update --disable', 'keys regenerate']
  const ended = await Promise.all(commands.map((words) => vitrine(schema.url, ...words.split(' '), 'svc_ak_unknown')))
  for (const { status, stderr } of ended) {
    assert.equal(status, 2)
    assert.match(stderr, /There is no state .*\n.*There is no key svc_ak_unknown/s)
  }
  assert.equal(await isThere(schema), false)
})

test('a replica: refused, by commands that look and commands that change', async () => {
  const primary = await startPostgres()
  try {
    assert.equal((await createKey(primary.url)).status, 0)
    const replica = await startPostgres({ standbyOf: primary })
    try {
      for (const { status, stderr } of await Promise.all([
        createKey(replica.url),
        vitrine(replica.url, 'keys', 'list'),
        vitrine(replica.url, 'serve', '--json'),
      ])) {
        assert.equal(status, 2)
        assert.match(stderr, /VITRINE_STATE_URL.* 127\.0\.0\.1:\d+.* is a replica: state needs the primary/)
      }
    } finally {
      await replica.remove()
    }
  } finally {
    await primary.remove()
  }
})
