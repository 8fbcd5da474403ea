// The change feed in a shop as rough as life, on both engines: transactions of one row and of thousands, children first or last, thirty open
// at once under every isolation level, with savepoints, prepared, late or rolled back; pages of any size; restarts at random. A mirror by
// `follow()` equals the truth at every end of the feed, and is told of nothing that its key could never see.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { VitrineError } from '../../client/index.ts'
import { followFeed, type FeedPart } from '../../client/follow.ts'
import { openFilesStore } from '../../client/pull/files-store.ts'
import { wholeFeed } from '../../client/pull/job.ts'
import type { Entry, PulledRecord, Store } from '../../client/pull/store.ts'
import { cursorKey, openCursor, sealCursor } from '../../src/auth/cursors.ts'
import { permissions } from '../../src/catalogue/permissions.ts'
import { createAnswerer } from '../../src/engine/answer.ts'
import { openSource } from '../../src/engine/open-source.ts'
import type { SourceData } from '../../src/engine/source.ts'
import { createFinder } from '../../src/finder/finder.ts'
import type { PostgresConnection } from '../../src/platform/postgres/connection.ts'
import { parsePostgresUrl } from '../../src/platform/postgres/url.ts'
import { openSqlite } from '../../src/platform/sqlite.ts'
import { readContent, writeContent } from '../../src/routes/changes.ts'
import { keepRows as keepPostgresRows } from '../../src/sql/journal-pruning.ts'
import { keepRows as keepSqliteRows } from '../../src/sql/journal-sqlite.ts'
import { keptRowsRange } from '../../src/sql/journalled.ts'
import { postgresSchema } from '../../src/sql/postgres-schema.ts'
import { schemaStatements } from '../../src/sql/schema.ts'
import { howMuch, seedOfRun, told } from '../support/how-much.ts'
import { connectTo, urlWith } from '../support/own-company.ts'
import { makePostgresPos } from '../support/place-postgres.ts'
import { makePos } from '../support/pos.ts'
import { startPostgres, type PostgresServer } from '../support/postgres.ts'
import { randomFrom, type Random } from '../support/random.ts'
import { numbers, roughSale } from '../support/rough-sales.ts'

const large = { large: howMuch(700, 10_000), lines: 4 }
// With prepared ones.
const mostOpen = 30
const followed = ['products', 'customers', 'invoices', 'credit-memos'] as const
const key = cursorKey(new Uint8Array(32))
const seen = '0123456789012345678901'
const most = 60
const ids = Array.from({ length: most }, (_, at) => at + 1)
const shop = {
  stores: [1, 2, 3].map((id) => ({ id, name: `S${id}` })),
  invoices: ids.map((id) => ({ id, kind: 1 + (id % 2), store_id: 1 + (id % 3), status: 3 })),
  invoices_archive: ids.filter((id) => id % 4 === 0).map((id) => ({ id, kind: 1, store_id: 1 + (id % 2), status: 3 })),
  products: ids.map((id) => ({ id, name: `P${id}` })),
}

// What a row that is committed is to every access: its resource, id and store.
type CommittedRow = readonly [resource: string, id: number, store: number]

// What is visible of documents, customers and products: a recent document hides the archived one.
const documentsOf = (relation: string, where: string) =>
  `SELECT CASE t.kind WHEN 1 THEN 'invoices' ELSE 'credit-memos' END, t.id, t.store_id FROM ${relation} t WHERE ${where}`
const queryOf = (archived: string) =>
  [
    documentsOf('invoices', 'TRUE'),
    documentsOf('invoices_archive', archived),
    ...['products', 'customers'].map((name) => `SELECT '${name}', t.id, 0 FROM ${name} t`),
  ].join(' UNION ALL ')
const rowsQuery = queryOf('NOT EXISTS (SELECT 1 FROM invoices i WHERE i.id = t.id)')
const asRow = ([resource, id, store]: readonly unknown[]): CommittedRow => [String(resource), Number(id), Number(store)]

class Service {
  readonly data: SourceData
  #open: { source: Awaited<ReturnType<typeof openSource>>; answerer: ReturnType<typeof createAnswerer> } | undefined
  // 0: every part ends as early as it may.
  #longestMs = 60_000

  constructor(data: SourceData) {
    this.data = data
  }

  async restart(longestMs: number): Promise<void> {
    this.#longestMs = longestMs
    await this.#open?.source.close()
    this.#open = undefined
  }

  async #opened() {
    if (this.#open) return this.#open
    const source = await openSource(this.data, () => {})
    const finder = createFinder(source.dialect, 0, { onVoid: () => {}, onGrown: () => {} })
    const patience = { nowMs: () => performance.now(), longestMs: this.#longestMs }
    const answerer = createAnswerer(source.dialect, finder, () => {}, patience)
    return (this.#open = { source, answerer })
  }

  // As the route answers: cursors are sealed, and of one length.
  async get(path: string, ofStores: readonly number[] | null): Promise<{ body: unknown }> {
    const query = new URLSearchParams(path.split('?')[1])
    const cursor = query.get('cursor')
    const from = cursor === null ? null : readContent(openCursor(key, '', cursor) ?? '', seen)
    assert(from !== 'expired')
    const access = { permissions, stores: ofStores, priceList: null }
    const limit = Number(query.get('limit'))
    const { source, answerer } = await this.#opened()
    const [part] = await source.within((snapshot) =>
      answerer.answer([{ shows: 'changes', resources: followed, access, from, limit }], undefined, snapshot),
    )
    if (part === 'pruned' || part === 'replaced')
      throw new VitrineError('expired', { code: 'cursor_expired', status: 410 })
    assert(part && typeof part === 'object' && 'position' in part, 'no part of a feed')
    const data = JSON.parse(`[${Buffer.from(part.body).toString()}]`) as unknown[]
    assert(data.length <= limit)
    return { body: { data, meta: { cursor: sealCursor(key, '', writeContent(part.position, seen)), more: part.more } } }
  }
}

class Mirror {
  readonly stores: readonly number[] | null
  private readonly kept = new Map<string, string>()
  // Every record that the access could see at some time.
  readonly seen = new Set<string>()
  cursor: string | null = null
  entries = 0
  parts = 0

  constructor(ofStores: readonly number[] | null) {
    this.stores = ofStores
  }

  visible(rows: readonly CommittedRow[]): string[] {
    const isVisible = ([, , store]: CommittedRow) => store === 0 || (this.stores?.includes(store) ?? true)
    return rows.filter(isVisible).map(([resource, id]) => `${resource}/${id}`)
  }

  note(rows: readonly CommittedRow[]): void {
    for (const name of this.visible(rows)) this.seen.add(name)
  }

  protected async keep({ changes }: FeedPart): Promise<void> {
    for (const entry of changes) {
      const name = `${entry.resource}/${entry.id}`
      if (entry.change === 'gone') this.kept.delete(name)
      else this.kept.set(name, JSON.stringify(entry.record))
    }
  }

  async records(): Promise<ReadonlyMap<string, string>> {
    return this.kept
  }

  async restart(): Promise<void> {}

  /** Whether the end of the feed was reached. */
  async take(service: Service, limit: number, mostParts: number): Promise<boolean> {
    const source = { get: (path: string) => service.get(path, this.stores), wait: async () => {} }
    let left = mostParts
    for await (const part of followFeed(source, { cursor: this.cursor, limit })) {
      for (const entry of part.changes) {
        const name = `${entry.resource}/${entry.id}`
        assert(
          this.seen.has(name),
          `seed ${seedOfRun}: stores ${String(this.stores)} hear of ${name}, never visible to them`,
        )
      }
      await this.keep(part)
      this.cursor = part.cursor
      this.entries += part.changes.length
      this.parts += 1
      if (!part.more) return true
      if ((left -= 1) === 0) return false
    }
    return true
  }
}

// Records and their cursor are stored together, and become files at the end of the feed.
class PulledMirror extends Mirror {
  private readonly folder: string
  private store: Store | undefined

  constructor(ofStores: readonly number[] | null, folder: string) {
    super(ofStores)
    this.folder = folder
  }

  private async opened(): Promise<Store> {
    if (this.store) return this.store
    this.store = await openFilesStore(this.folder)
    this.cursor = await this.store.cursorOf(wholeFeed)
    if (this.cursor !== null) return this.store
    await this.store.setMirror({
      origin: 'https://localhost',
      format: 'ndjson',
      isRawText: false,
      isWithoutLines: false,
    })
    const id = { name: 'id', type: 'integer', in: 'list' } as const
    const resources = followed.map((name) => ({ name, fields: [id] }))
    await this.store.begin(wholeFeed, resources)
    return this.store
  }

  override async take(...given: Parameters<Mirror['take']>): Promise<boolean> {
    await this.opened()
    return super.take(...given)
  }

  protected override async keep({ changes, cursor }: FeedPart): Promise<void> {
    const store = await this.opened()
    await store.save(wholeFeed, changes as readonly Entry[], cursor)
  }

  override async records(): Promise<ReadonlyMap<string, string>> {
    const store = await this.opened()
    await store.finish(wholeFeed)
    const linesOf = (name: string) =>
      readFileSync(join(this.folder, `${name}.ndjson`), 'utf8')
        .split('\n')
        .slice(0, -1)
    return new Map(
      followed.flatMap((name) =>
        linesOf(name).map((line) => [`${name}/${(JSON.parse(line) as PulledRecord).id}`, line] as const),
      ),
    )
  }

  override async restart(): Promise<void> {
    await this.store?.close()
    this.store = undefined
  }
}

// A company under test: how it is written, and what of it is committed.
interface Company {
  readonly data: SourceData
  readonly steps: number
  /** One transaction. `note` is called when more may have become visible. */
  commit(statements: readonly string[], note: () => Promise<void>): Promise<void>
  /** The next step of a transaction. */
  step(note: () => Promise<void>): Promise<void>
  rows(): Promise<readonly CommittedRow[]>
  /** What may be named. */
  nameable(): Promise<readonly CommittedRow[]>
  /** Ends all transactions. */
  settle(): Promise<void>
  restart(): Promise<void>
  close(): Promise<void>
}

const sorted = (records: ReadonlyMap<string, string>) =>
  [...records].toSorted(([one], [other]) => (one < other ? -1 : 1))

async function mirrorsEqualTheTruth(company: Company, random: Random, engine: string): Promise<void> {
  const service = new Service(company.data)
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-test-'))
  const mirrors = [...[null, [1], [2, 3]].map((each) => new Mirror(each)), new PulledMirror([1, 2], folder)]
  try {
    await follow(company, service, mirrors, random, engine)
  } finally {
    await service.restart(0)
    for (const mirror of mirrors) await mirror.restart()
    rmSync(folder, { recursive: true, force: true })
    await company.close()
  }
}

async function follow(
  company: Company,
  service: Service,
  mirrors: readonly Mirror[],
  random: Random,
  engine: string,
): Promise<void> {
  const note = async () => {
    const rows = await company.nameable()
    for (const mirror of mirrors) mirror.note(rows)
  }
  const compare = async (mirror: Mirror) => {
    const expected = mirror.visible(await company.rows()).toSorted()
    assert.deepEqual(
      [...(await mirror.records()).keys()].toSorted(),
      expected,
      `seed ${seedOfRun}, stores ${String(mirror.stores)}`,
    )
  }
  const takeAll = async (mirror: Mirror, limit: number) => {
    const before = mirror.parts
    while (!(await mirror.take(service, limit, 1000)));
    await compare(mirror)
    return mirror.parts - before
  }
  let compared = 0
  // As every POS deletes: lines first, and more of them than are read together. Then thousands that half of the mirrors may not see.
  await company.commit(lastYear.made, note)
  for (const mirror of mirrors) await takeAll(mirror, 500)
  await company.commit(lastYear.deleted, note)
  for (const mirror of mirrors) await takeAll(mirror, 50)
  for (const statements of Object.values(lastYear)) await company.commit(statements, note)
  await service.restart(howMuch(0, 100))
  for (const mirror of mirrors) {
    const parts = await takeAll(mirror, 500)
    assert(parts > 5, `${parts} parts`)
  }
  for (let done = 0; done < company.steps; done += 1) {
    await company.step(note)
    if (random.chance(0.02)) {
      await service.restart(random.chance(0.3) ? 0 : 60_000)
      for (const each of mirrors) if (random.chance(0.5)) await each.restart()
      if (random.chance(0.1)) await company.restart()
    }
    if (!random.chance(0.15)) continue
    const mirror = random.of(mirrors)
    if (!(await mirror.take(service, random.of([1, 2, 7, 50, 500]), 1 + random.upTo(12)))) continue
    await compare(mirror)
    compared += 1
  }
  await company.settle()
  await note()
  for (const mirror of mirrors) {
    await takeAll(mirror, 500)
    const truth = new Mirror(mirror.stores)
    truth.note(await company.nameable())
    await takeAll(truth, 500)
    assert.deepEqual(
      sorted(await mirror.records()),
      sorted(await truth.records()),
      `seed ${seedOfRun}, stores ${String(mirror.stores)}`,
    )
  }
  const [entries, parts] = [mirrors.map((each) => each.entries), mirrors.map((each) => each.parts)]
  told(
    `${engine}: ${company.steps} steps, ${sum(entries)} entries in ${sum(parts)} parts, ${compared} ends, seed ${seedOfRun}`,
  )
}

const sum = (list: readonly number[]) => list.reduce((total, each) => total + each, 0)

const [documents, linesEach] = [howMuch(600, 1000), howMuch(4, 100)]
const lastYear = {
  made: [
    `INSERT INTO invoices (id, kind, store_id, status) SELECT n, 1, 3, 3 FROM ${numbers(10_000, documents)}`,
    `INSERT INTO invoice_lines (id, invoice_id) SELECT n, n / ${linesEach} FROM ${numbers(10_000 * linesEach, documents * linesEach)}`,
  ],
  changed: Array<string>(howMuch(1, 5)).fill('UPDATE invoice_lines SET quantity = 2 WHERE invoice_id >= 10000'),
  // Of a store that sees them in between only.
  deleted: [
    'DELETE FROM invoice_lines WHERE invoice_id >= 10000',
    'UPDATE invoices SET store_id = 1 WHERE id >= 10000',
    'DELETE FROM invoices WHERE id >= 10000',
  ],
}

// One transaction at a time. The journal does not tell transactions apart, so what is visible within one may be named: also an archived
// document while REPLACE puts another recent one before it.
function sqliteCompany(path: string, random: Random): Company {
  makePos(path, shop)
  const database = openSqlite(path, { lockTimeoutMs: 30_000 })
  for (const text of keepSqliteRows(keptRowsRange.most)) database.exec(text)
  const [rows, nameable] = [database.prepare(rowsQuery), database.prepare(queryOf('TRUE'))]
  const read = (query: typeof rows) => {
    query.setReturnArrays(true)
    return (query.all() as unknown as (readonly unknown[])[]).map(asRow)
  }
  return {
    data: { kind: 'sqlite', path, timeoutMs: 30_000 },
    steps: howMuch(250, 2500),
    async commit(statements, note) {
      database.exec('BEGIN')
      for (const statement of statements) {
        database.exec(statement)
        await note()
      }
      database.exec('COMMIT')
    },
    async step(note) {
      database.exec('BEGIN IMMEDIATE')
      for (const statement of roughSale(random, { hasReplace: true, most, ...large })) {
        database.exec('SAVEPOINT s')
        try {
          database.exec(statement)
          await note()
          if (random.chance(0.1)) database.exec('ROLLBACK TO s')
        } catch {
          // A key that is there already, because what should have removed it was rolled back.
          database.exec('ROLLBACK TO s')
        }
      }
      database.exec(random.chance(0.1) ? 'ROLLBACK' : 'COMMIT')
    },
    rows: async () => read(rows),
    nameable: async () => read(nameable),
    settle: async () => {},
    restart: async () => {},
    close: async () => database.close(),
  }
}

const isolations = ['READ UNCOMMITTED', 'READ COMMITTED', 'READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE']

interface Till {
  connection: PostgresConnection
  // Undefined: no transaction is open.
  left: string[] | undefined
}

async function end(till: Till, how: string): Promise<void> {
  till.left = undefined
  // A transaction that cannot be serialised fails at its end.
  await till.connection.script(how).catch(() => till.connection.script('ROLLBACK'))
}

// Thirty tills and prepared transactions, of which one makes a step at a time. A till that would have to wait for another rolls back.
async function postgresCompany(server: PostgresServer, random: Random): Promise<Company> {
  const url = urlWith(server.url, { schema: 'pos' })
  let office = await connectTo(url)
  await makePostgresPos(office, 'pos', shop, schemaStatements(postgresSchema))
  await office.script(keepPostgresRows(keptRowsRange.most).join(';'))
  const parsed = parsePostgresUrl(url, 'public', '/')
  if ('fault' in parsed) throw new Error(parsed.fault)
  const connectTills = () =>
    Promise.all(
      Array.from({ length: mostOpen }, async (): Promise<Till> => ({
        connection: await connectTo(url),
        left: undefined,
      })),
    )
  let tills = await connectTills()
  let prepared: string[] = []
  let made = 0
  const countOpen = () => prepared.length + tills.filter(({ left }) => left).length

  const sell = async (till: Till, statement: string) => {
    const isUndone = random.chance(0.1)
    await till.connection.script(`SAVEPOINT s; ${statement}${isUndone ? '; ROLLBACK TO s' : ''}`)
  }
  const rows = async () => (await office.rows(rowsQuery)).map(asRow)
  const settle = async () => {
    for (const till of tills) if (till.left) await end(till, 'COMMIT')
    for (const name of prepared.splice(0)) await office.script(`COMMIT PREPARED '${name}'`)
  }
  return {
    data: { kind: 'postgres', url: parsed.value, timeoutMs: 60_000 },
    steps: howMuch(600, 1500),
    async commit(statements, note) {
      await office.script(`BEGIN; ${statements.join('; ')}; COMMIT`)
      await note()
    },
    settle,
    async step(note) {
      // Some are quick, others stay open.
      const till = tills[random.upTo(random.chance(0.8) ? 5 : tills.length)] as Till
      const { connection } = till
      if (prepared.length > 0 && random.chance(0.02)) {
        await office.script(`${random.of(['COMMIT', 'COMMIT', 'ROLLBACK'])} PREPARED '${prepared.shift() ?? ''}'`)
        return note()
      }
      if (!till.left) {
        if (countOpen() >= mostOpen) return
        till.left = [...roughSale(random, { hasReplace: false, most, ...large })]
        await connection.script(`BEGIN ISOLATION LEVEL ${random.of(isolations)}; SET LOCAL lock_timeout = '2ms'`)
        return
      }
      const statements = till.left.splice(0, 1 + random.upTo(4))
      if (statements.length > 0) return sell(till, statements.join('; ')).catch(() => end(till, 'ROLLBACK'))
      if (random.chance(0.1) && prepared.length < 5) {
        const name = `sale ${(made += 1)}`
        till.left = undefined
        await connection.script(`PREPARE TRANSACTION '${name}'`).then(
          () => prepared.push(name),
          () => connection.script('ROLLBACK'),
        )
        return
      }
      await end(till, random.chance(0.1) ? 'ROLLBACK' : 'COMMIT')
      await note()
    },
    rows,
    // Of two transactions that end while a cursor is not asked, one about a recent document and one about the archived document with its
    // id, nothing tells which ended first. The archived one may be named.
    nameable: async () => (await office.rows(queryOf('TRUE'))).map(asRow),
    // Prepared transactions survive it.
    async restart() {
      await Promise.all([office, ...tills.map(({ connection }) => connection)].map((each) => each.close()))
      await (random.chance(0.5) ? server.stop('fast') : server.kill())
      await server.start()
      office = await connectTo(url)
      tills = await connectTills()
      prepared = (await office.rows('SELECT gid FROM pg_prepared_xacts')).map(([gid]) => String(gid))
    },
    async close() {
      await Promise.all([office, ...tills.map(({ connection }) => connection)].map((each) => each.close()))
    },
  }
}

test(`SQLite: mirrors equal the truth, seed ${seedOfRun}`, async () => {
  const random = randomFrom(seedOfRun)
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-test-'))
  try {
    await mirrorsEqualTheTruth(sqliteCompany(join(folder, 'pos.db'), random), random, 'SQLite')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test(`PostgreSQL: mirrors equal the truth, seed ${seedOfRun}`, async () => {
  const random = randomFrom(seedOfRun)
  const server = await startPostgres({ settings: { max_prepared_transactions: '20' } })
  try {
    await mirrorsEqualTheTruth(await postgresCompany(server, random), random, 'PostgreSQL')
  } finally {
    await server.remove()
  }
})
