// Commands where PostgreSQL is not as they need it: each ends by itself within seconds, with one sentence for each thing that
// is wrong, without a stack and without a password. Exit status 1 for what failed, 2 for a setting that is wrong.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { dropDatabases, makeDatabase, type Database } from '../support/database.ts'
import { freePort } from '../support/free-port.ts'
import { freePorts, runVitrine, temporaryFolder, type Ended, type Settings } from '../support/process.ts'

const root = temporaryFolder()
after(() => rmSync(root, { recursive: true }))
after(dropDatabases)

const settingsAt = (database: string, state: string): Settings => ({
  ...freePorts,
  VITRINE_DATA_DIR: join(root, 'data'),
  VITRINE_DATABASE_URL: database,
  VITRINE_STATE_URL: state,
})

function assertSaid({ status, stdout, stderr }: Ended, expected: 1 | 2, ...says: RegExp[]): void {
  const lines = stderr.trimEnd().split('\n')
  for (const pattern of says)
    assert.ok(
      lines.some((line) => pattern.test(line)),
      `${pattern}: ${stderr}`,
    )
  assert.deepEqual([status, stdout, lines.length], [expected, '', says.length], stderr)
  for (const line of lines) assert.match(line, /^vitrine: \S.*[.?]$/)
  assert.doesNotMatch(stderr, /\.ts:|\bat \w+ \(|Error:|\bfailed:|ECONN|ENOTFOUND|hunter2|undefined/)
}

describe('a server that is down', { concurrency: 2 }, () => {
  const onState = [
    'keys list',
    'keys create --name A --permissions all',
    'keys revoke svc_ak_x',
    'company disable --json',
    'blocks clear 192.0.2.1',
  ]
  const commands = [
    ...onState.map((words) => ({ words, setting: 'VITRINE_STATE_URL' })),
    ...['schema apply', 'demo --scale 0.01'].map((words) => ({ words, setting: 'VITRINE_DATABASE_URL' })),
  ]
  for (const { words, setting } of commands)
    test(`${words}: one sentence, exit status 1`, async () => {
      const port = await freePort()
      const url = `postgres://u:hunter2@127.0.0.1:${port}/d`
      const done = await runVitrine(words.split(' '), settingsAt(url, `${url}?schema=vitrine`))
      assertSaid(
        done,
        1,
        new RegExp(`PostgreSQL at 127\\.0\\.0\\.1:${port} \\(${setting}\\) .*: nothing listens there\\.`),
      )
    })

  for (const words of ['serve', 'serve --demo'])
    test(`${words}: says so and does not start`, async () => {
      const url = `postgres://u:hunter2@127.0.0.1:${await freePort()}/d`
      const { status, stdout, stderr } = await runVitrine(words.split(' '), settingsAt(url, `${url}?schema=vitrine`))
      assert.ok(status === 1 || status === 2, String(status))
      assert.equal(stdout, '')
      assert.match(
        stderr,
        /^(vitrine: PostgreSQL at .* \(VITRINE_(DATABASE|STATE)_URL\) .*: nothing listens there\.\n){1,2}$/,
      )
    })
})

test('a server that takes connections and says nothing: given up after seconds', async (context) => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  context.after(() => silent.close())
  await once(silent, 'listening')
  const url = `postgres://u:hunter2@127.0.0.1:${(silent.address() as AddressInfo).port}/d`
  const startedAt = performance.now()
  const all = await Promise.all(
    ['keys list', 'schema apply'].map((words) =>
      runVitrine(words.split(' '), settingsAt(url, `${url}?schema=vitrine`)),
    ),
  )
  for (const done of all) assertSaid(done, 1, /it does not answer\./)
  assert.ok(performance.now() - startedAt < 20_000)
})

describe('a server that refuses', { concurrency: 2 }, () => {
  interface Refusal {
    readonly what: string
    readonly says: RegExp
    readonly status: 1 | 2
    readonly change: (url: URL, database: Database) => void | Promise<void>
    /** Why a server that is not the tests' own cannot show it. */
    readonly skip?: (database: Database) => Promise<string | false>
  }
  const refusals: readonly Refusal[] = [
    {
      what: 'a wrong password',
      says: /password authentication failed .*Check user and password\./,
      status: 1,
      change: (url) => void (url.password = 'hunter2'),
      async skip(database) {
        const { name } = await database.makeRole()
        const session = await database.connect({ name, password: 'hunter2' }).catch(() => undefined)
        await session?.end()
        return session ? 'the server asks for no password' : false
      },
    },
    {
      what: 'a database that is not there',
      says: /database "nowhere" does not exist\. Make it with CREATE DATABASE\./,
      status: 1,
      change: (url) => void (url.pathname = 'nowhere'),
    },
    {
      what: 'TLS where the server has none',
      says: /SSL.* sslmode=disable/,
      status: 1,
      change: (url) => url.searchParams.set('sslmode', 'require'),
      async skip(database) {
        const [row] = await database.query('SHOW ssl')
        return row?.['ssl'] === 'on' ? 'the server has TLS' : false
      },
    },
    {
      what: 'a role that may not make the schema of the state',
      says: /may not make the schema vitrine .*: CREATE SCHEMA "vitrine" AUTHORIZATION "role_/,
      status: 1,
      change: async (url, database) => {
        const { name, password } = await database.makeRole()
        Object.assign(url, { username: name, password })
      },
    },
    {
      what: "a schema with somebody else's tables",
      says: /holds tables that are not Vitrine's; VITRINE_STATE_URL must name a schema of its own/,
      status: 2,
      change: async (url, database) => {
        await database.query('CREATE SCHEMA theirs; CREATE TABLE theirs.keys (id int)')
        url.searchParams.set('schema', 'theirs')
      },
    },
    {
      what: 'a state of a newer version',
      says: /was made by a newer version of Vitrine\./,
      status: 2,
      change: async (_, database) => {
        await database.query('CREATE SCHEMA vitrine; CREATE TABLE vitrine.vitrine_state AS SELECT 1000 AS version')
      },
    },
    {
      what: 'the schema of the data',
      says: /both name the schema pos: state never shares a schema with the data\./,
      status: 2,
      change: (url) => url.searchParams.set('schema', 'pos'),
    },
    {
      what: 'a certificate that is not there',
      says: /VITRINE_STATE_URL .*sslrootcert names nowhere\.pem, which cannot be read\./,
      status: 2,
      change: (url) => url.searchParams.set('sslrootcert', 'nowhere.pem'),
    },
  ]
  for (const { what, says, status, change, skip } of refusals)
    test(`${what}: one sentence that says what helps, exit status ${status}`, async (context) => {
      const database = await makeDatabase()
      const reason = await skip?.(database)
      if (reason) return context.skip(reason)
      const url = new URL(database.at('vitrine'))
      await change(url, database)
      const settings = settingsAt(database.at('pos'), url.href)
      assertSaid(await runVitrine(['company', 'disable'], settings, root), status, says)
    })

  test('where nobody made a state, a command that only looks makes none', async () => {
    const database = await makeDatabase()
    const settings = settingsAt(database.at('pos'), database.at('vitrine'))
    const { status, stdout } = await runVitrine(['company', 'show', '--json'], settings)
    assert.deepEqual([status, stdout], [0, '{"enabled":true}\n'])
    assert.deepEqual(await database.query(`SELECT to_regnamespace('vitrine') AS there`), [{ there: null }])
  })

  test('a key is made also while the data cannot be reached: its stores are not looked up', async () => {
    const database = await makeDatabase()
    const data = `postgres://u:hunter2@127.0.0.1:${await freePort()}/d`
    const words = ['keys', 'create', '--json', '--name', 'A', '--permissions', 'all', '--stores', '1']
    const { status, stdout, stderr } = await runVitrine(words, settingsAt(data, database.at('vitrine')))
    assert.equal(status, 0, stderr)
    assert.match(stdout, /^\{.*"client_secret":"svc_sk_.*\}\n$/)
    assert.doesNotMatch(stderr, /hunter2|no store/)
  })
})
