// Mirrors that `pull` and `follow` keep equal the truth in every field and line, wherever they are: while tills write, though
// their processes are killed at random, the clocks are wrong and the database is restored.
import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, suite, test, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createClient, type Client, type FieldDescription, type ResourceDescription } from '../../client/client.ts'
import { csvFiles } from '../../client/pull/csv.ts'
import { trust } from '../../client/pull/explain.ts'
import { ownerColumn, type PulledRecord } from '../../client/pull/store.ts'
import { resources as facts } from '../../client/resources.ts'
import { openSqlite } from '../../src/platform/sqlite.ts'
import { postgresSchema } from '../../src/sql/postgres-schema.ts'
import { schemaStatements } from '../../src/sql/schema.ts'
import { companyOf } from '../support/exact.ts'
import { freePort } from '../support/free-port.ts'
import { howMuch, seedOfRun, told } from '../support/how-much.ts'
import { connectTo } from '../support/own-company.ts'
import { makePostgresPos } from '../support/place-postgres.ts'
import { dropSchemas, makeSchema } from '../support/postgres.ts'
import { startTill } from '../support/postgres-tills.ts'
import {
  cleanEnvironment,
  program,
  startProcess,
  startServer,
  temporaryFolder,
  until,
  type NewKey,
  type Server,
} from '../support/process.ts'
import { makePos } from '../support/pos.ts'
import { randomFrom } from '../support/random.ts'
import { startTills } from '../support/random-tills.ts'

const random = randomFrom(seedOfRun)
const kills = howMuch(2, 60)
// Far from the tills', and without summer time.
const wrongZone = { VITRINE_TIME_ZONE: 'Etc/GMT+11' }

type Truth = ReadonlyMap<string, readonly PulledRecord[]>

interface Target {
  readonly to: string
  readonly words: readonly string[]
  readonly check: (described: readonly ResourceDescription[], truth: Truth) => Promise<void>
}

/** A `pull --watch` that is killed and started again. */
class Mirror {
  readonly target: Target
  readonly key: NewKey
  private readonly server: Server
  private run: ReturnType<typeof startProcess> | undefined
  constructor(server: Server, key: NewKey, target: Target) {
    this.server = server
    this.key = key
    this.target = target
  }

  start(): void {
    const env = cleanEnvironment({
      VITRINE_URL: `https://localhost:${this.server.https}`,
      VITRINE_CLIENT_ID: this.key.client_id,
      VITRINE_CLIENT_SECRET: this.key.client_secret,
    })
    const { to, words } = this.target
    const all = [
      program,
      'pull',
      '--ca',
      this.server.certificate,
      '--to',
      to,
      ...words,
      '--watch',
      '--every',
      '1',
      '--json',
    ]
    this.run = startProcess(process.execPath, all, { env })
  }

  async kill(): Promise<void> {
    this.run?.child.kill('SIGKILL')
    await this.run?.ended
  }

  /** Two looks at the end have found nothing new. */
  async untilQuiet(): Promise<void> {
    const { run } = this
    assert(run)
    const from = run.stdout().length
    const isQuiet = () => {
      assert.equal(run.child.exitCode, null, run.stderr())
      const lines = run.stdout().slice(from).split('\n').slice(0, -1)
      const looks = lines.map((line) => JSON.parse(line) as { changed: number; gone: number })
      const news = looks.findLastIndex(({ changed, gone }) => changed + gone > 0)
      return looks.length - 1 - news >= 2 * Object.keys(facts).length
    }
    // Mirrors of one address wait for each other, because it may sign in ten times a minute only.
    for (let waits = 0; !isQuiet(); waits += 1) {
      assert(waits < 1000, `${this.target.to} is not up to date: ${run.stderr()}`)
      await wait(200)
    }
    run.child.kill('SIGTERM')
    await run.ended
  }
}

const inOrder = (entries: Iterable<readonly [string, PulledRecord]>) =>
  [...entries].toSorted(([one], [other]) => (one < other ? -1 : 1))

/** A program that follows, and is now and then ended before it has stored what it got. */
class Follower {
  readonly client: Client
  readonly records = new Map<string, PulledRecord>()
  changes = 0
  private cursor: string | null = null
  private fresh: Set<string> | null = null
  constructor(server: Server, key: NewKey) {
    this.client = createClient({
      url: `https://localhost:${server.https}`,
      clientId: key.client_id,
      clientSecret: key.client_secret,
    })
  }

  async follow(isEndedAtRandom: boolean): Promise<void> {
    const limit = isEndedAtRandom ? 1 + random.upTo(300) : 500
    for await (const part of this.client.follow({ cursor: this.cursor, beginAgain: true, limit })) {
      if (isEndedAtRandom && random.chance(0.2)) return
      if (part.isBeginning) this.fresh = new Set()
      for (const entry of part.changes) {
        const name = `${entry.resource}/${entry.id}`
        if (entry.change === 'record') this.records.set(name, entry.record as unknown as PulledRecord)
        else this.records.delete(name)
        this.fresh?.add(name)
        this.changes += 1
      }
      this.cursor = part.cursor
      if (part.more || !this.fresh) continue
      for (const name of this.records.keys()) if (!this.fresh.has(name)) this.records.delete(name)
      this.fresh = null
    }
  }

  /** What the key sees, by lists and details. */
  async truth(): Promise<Truth> {
    const truth = new Map<string, PulledRecord[]>()
    for (const { name } of await this.client.resources()) {
      const ids: number[] = []
      for await (const { id } of this.client.records(name, { ...facts[name].unfilteredQuery, sort: 'id' })) ids.push(id)
      const records: PulledRecord[] = []
      for (let at = 0; at < ids.length; at += 16)
        records.push(
          ...((await Promise.all(
            ids.slice(at, at + 16).map((id) => this.client.get(name, id)),
          )) as unknown as PulledRecord[]),
        )
      truth.set(name, records)
    }
    return truth
  }

  check(truth: Truth): void {
    const all = [...truth].flatMap(([name, records]) =>
      records.map((record) => [`${name}/${record.id}`, record] as const),
    )
    assert.deepEqual(inOrder(this.records), inOrder(all))
  }
}

const ndjsonIn = (folder: string): Target => ({
  to: folder,
  words: [],
  check: async (_, truth) => {
    for (const [name, records] of truth) {
      const lines = readFileSync(join(folder, `${name}.ndjson`), 'utf8')
        .split('\n')
        .slice(0, -1)
      assert.deepEqual(
        lines.map((line) => JSON.parse(line) as PulledRecord),
        records,
      )
    }
  },
})

const csvIn = (folder: string): Target => ({
  to: folder,
  words: ['--format', 'csv'],
  check: async (described, truth) => {
    for (const resource of described)
      for (const { file, heading, lines } of csvFiles(resource, false)) {
        const expected = heading + (truth.get(resource.name) ?? []).map(lines).join('')
        assert.equal(readFileSync(join(folder, file), 'utf8'), expected, file)
      }
  },
})

type Rows = (sql: string) => Promise<readonly Record<string, unknown>[]>

// SQLite has no booleans.
const asShown = (row: Readonly<Record<string, unknown>>, fields: readonly FieldDescription[]) =>
  Object.fromEntries(
    fields.map(({ name, type }) => {
      const value = row[name]
      return [name, type === 'boolean' && typeof value === 'number' ? value === 1 : value]
    }),
  )

// Of tables: each record with its arrays.
async function checkTables(rows: Rows, described: readonly ResourceDescription[], truth: Truth): Promise<void> {
  for (const { name, fields } of described) {
    const table = name.replaceAll('-', '_')
    const arrays = fields.filter(({ items }) => items)
    const owner = ownerColumn(name)
    const found = new Map<string, Map<number, object[]>>()
    for (const { name: array, items } of arrays) {
      const byRecord = new Map<number, object[]>()
      for (const row of await rows(`SELECT * FROM ${table}_${array} ORDER BY ${owner}, position`)) {
        const item = asShown(row, items ?? [])
        byRecord.set(Number(row[owner]), [...(byRecord.get(Number(row[owner])) ?? []), item])
      }
      found.set(array, byRecord)
    }
    const own = fields.filter(({ items }) => !items)
    const records = (await rows(`SELECT * FROM ${table} ORDER BY id`)).map((row) => ({
      ...asShown(row, own),
      ...Object.fromEntries(arrays.map(({ name: array }) => [array, found.get(array)?.get(Number(row['id'])) ?? []])),
    }))
    assert.deepEqual(records, truth.get(name), name)
  }
}

const sqliteAt = (path: string): Target => ({
  to: path,
  words: [],
  check: async (described, truth) => {
    const database = new DatabaseSync(path, { readOnly: true })
    const rows: Rows = async (sql) =>
      database
        .prepare(sql)
        .all()
        .map((row) => ({ ...row }))
    try {
      await checkTables(rows, described, truth)
    } finally {
      database.close()
    }
  },
})

async function postgresAt(): Promise<Target> {
  const schema = await makeSchema('mirror')
  return {
    to: schema.url,
    words: [],
    // As JSON, which has the API's own texts of numbers and times.
    check: (described, truth) =>
      checkTables(
        async (sql) => {
          const [order = ''] = /ORDER BY.*$/.exec(sql) ?? []
          const rows = await schema.query(
            `SELECT to_jsonb(found) AS found FROM (${sql.replace(order, '')}) AS found ${order}`,
          )
          return rows.map(({ found }) => found as Record<string, unknown>)
        },
        described,
        truth,
      ),
  }
}

interface Shop {
  readonly server: Server
  /** Tills that write until they are stopped; returns the number of transactions. */
  readonly startTills: () => Promise<() => Promise<number>>
  /** The database as it was some time ago, or a new journal: cursors end. */
  readonly restore: () => Promise<void>
}

async function keepMirrors(context: TestContext, { server, startTills, restore }: Shop, folder: string): Promise<void> {
  trust(server.certificate)
  const [all, some] = [
    await server.makeKey('--rate', '1000000'),
    await server.makeKey('--rate', '1000000', '--stores', '1', '--price-list', '1'),
  ]
  const targets = (name: string) => [ndjsonIn(join(folder, `${name}-files`)), sqliteAt(join(folder, `${name}.db`))]
  const mirrors = [
    ...[...targets('all'), csvIn(join(folder, 'csv')), await postgresAt()].map((each) => new Mirror(server, all, each)),
    ...targets('some').map((each) => new Mirror(server, some, each)),
  ]
  const followers = [new Follower(server, all), new Follower(server, some)]
  let committed = 0
  let stop = await startTills()
  context.after(async () => {
    await Promise.all(mirrors.map((mirror) => mirror.kill()))
    await stop().catch(() => {})
  })
  for (const mirror of mirrors) mirror.start()
  for (let killed = 0; killed < kills; killed += 1) {
    await wait(random.upTo(howMuch(1500, 12_000)))
    const mirror = random.of(mirrors)
    await mirror.kill()
    for (const follower of followers) await follower.follow(true)
    mirror.start()
    if (killed % 20 !== 1) continue
    committed += await stop()
    await restore()
    await until('there is a feed', async () =>
      (await followers[0]?.client.resources())?.every(({ changes }) => changes !== undefined),
    )
    stop = await startTills()
  }
  committed += await stop()
  await Promise.all(mirrors.map((mirror) => mirror.untilQuiet()))
  for (const follower of followers) {
    await follower.follow(false)
    const truth = await follower.truth()
    const described = await follower.client.resources()
    follower.check(truth)
    for (const mirror of mirrors)
      if (mirror.key === (follower === followers[0] ? all : some)) await mirror.target.check(described, truth)
  }
  const changes = followers.reduce((sum, follower) => sum + follower.changes, 0)
  told(
    `${mirrors.length + followers.length} mirrors equal the truth: ${committed} transactions, ${changes} entries of two programs, ${kills} kills, seed ${seedOfRun}`,
  )
  assert(committed > 20)
}

suite('mirrors', () => {
  after(dropSchemas)

  test(`of a SQLite file, seed ${seedOfRun}`, async (context) => {
    const folder = temporaryFolder()
    const settings = { ...wrongZone, VITRINE_PORT: String(await freePort()) }
    const server = await startServer({ settings, prepare: (data) => makePos(join(data, 'pos.db'), companyOf(random)) })
    context.after(async () => {
      await server.remove()
      rmSync(folder, { recursive: true, force: true })
    })
    const path = join(server.data, 'pos.db')
    const emptyLog = () => {
      const database = openSqlite(path, { lockTimeoutMs: 30_000 })
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      database.close()
    }
    emptyLog()
    copyFileSync(path, join(folder, 'backup.db'))
    await keepMirrors(
      context,
      {
        server,
        startTills: async () => {
          const tills = startTills(path, random.upTo(2 ** 31), howMuch(5, 2))
          return () => tills.stop()
        },
        restore: async () => {
          emptyLog()
          copyFileSync(join(folder, 'backup.db'), path)
        },
      },
      folder,
    )
  })

  test(`of a PostgreSQL database, seed ${seedOfRun}`, async (context) => {
    const folder = temporaryFolder()
    const schema = await makeSchema('pos')
    const { name, url } = schema
    await schema.query(`DROP SCHEMA ${name}`)
    const connection = await connectTo(url)
    await makePostgresPos(connection, name, companyOf(random), schemaStatements(postgresSchema))
    const settings = { ...wrongZone, VITRINE_DATABASE_URL: url, VITRINE_STATE_URL: 'sqlite:state.db' }
    const server = await startServer({ settings, prepare: () => {} })
    context.after(async () => {
      await server.remove()
      await connection.close()
      rmSync(folder, { recursive: true, force: true })
    })
    await keepMirrors(
      context,
      {
        server,
        startTills: async () => {
          const control = new AbortController()
          // One transaction stays open until the end.
          const open = await connectTo(url)
          await open.script(`BEGIN; INSERT INTO customers (id, name) VALUES (${5000 + random.upTo(1e6)}, 'late')`)
          const tills = [1, 2, 3, 4].map(() => startTill(url, randomFrom(random.upTo(2 ** 31)), control.signal))
          return async () => {
            control.abort()
            const committed = await Promise.all(tills)
            await open.script('COMMIT')
            await open.close()
            return committed.reduce((sum, each) => sum + each, 0)
          }
        },
        restore: async () => {
          for (const words of [['remove'], ['apply']]) {
            const { status, stderr } = await server.run('schema', ...words)
            assert.equal(status, 0, stderr)
          }
        },
      },
      folder,
    )
  })
})
