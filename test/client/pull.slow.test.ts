// `vitrine pull` against a service that really runs: mirrors in each format and from both kinds of service, again and only what
// changed, killed and stopped at any point, and every mistake with its sentence.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { Agent } from 'node:https'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, suite, test } from 'node:test'
import { inTransaction, openSqlite } from '../../src/platform/sqlite.ts'
import { emptyRow, filledRow } from '../support/fixture.ts'
import { freePort } from '../support/free-port.ts'
import { told } from '../support/how-much.ts'
import type { Rows } from '../support/pos.ts'
import { dropSchemas, makeSchema, startPostgres } from '../support/postgres.ts'
import { runCommand } from '../support/run-command.ts'
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

const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at)
const documents = 320

const rows: Rows = {
  stores: [filledRow('stores', 1), filledRow('stores', 2)],
  invoices: from(1, documents).map((id) => filledRow('invoices', id, { kind: 1, store_id: 1 + (id % 2) })),
  invoices_archive: from(1001, 1010).map((id) => filledRow('invoices_archive', id, { kind: 1, store_id: 1 })),
  invoice_lines: from(1, 2 * documents).map((id) =>
    filledRow('invoice_lines', id, { invoice_id: 1 + (id % documents) }),
  ),
  invoice_payments: from(1, 50).map((id) => filledRow('invoice_payments', id, { invoice_id: id })),
  products: [
    filledRow('products', 1, { name: 'A "quoted", name\nof two lines ' }),
    emptyRow('products', 2),
    filledRow('products', 3, { name: '', active: false }),
  ],
  price_lists: [filledRow('price_lists', 1), filledRow('price_lists', 2)],
  product_prices: from(1, 2).map((price_list_id) =>
    filledRow('product_prices', 1, { product_id: 1, price_list_id, price: 10 * price_list_id }),
  ),
  product_stock: from(1, 2).map((store_id) => filledRow('product_stock', 1, { product_id: 1, store_id })),
}

interface Pulled {
  readonly resource: string
  readonly changed: number
  readonly gone: number
  readonly total: number
}

type Code = Pick<NewKey, 'client_id' | 'client_secret'>

/** One service with its key; each place to mirror to is new. */
class Shop {
  readonly server: Server
  readonly key: NewKey
  readonly folder = temporaryFolder('vitrine pull ')
  private readonly started: ReturnType<typeof startProcess>[] = []
  constructor(server: Server, key: NewKey) {
    this.server = server
    this.key = key
  }

  static async open(...words: string[]): Promise<Shop> {
    // A port of its own, where a service that was lost comes back.
    const server = await startServer({ rows, settings: { VITRINE_PORT: String(await freePort()) } })
    return new Shop(server, await server.makeKey('--rate', '100000', ...words))
  }

  async close(): Promise<void> {
    // With --watch, a run goes on after a test that failed.
    for (const { child } of this.started) child.kill('SIGKILL')
    await this.server.remove()
    rmSync(this.folder, { recursive: true, force: true })
  }

  place = (name: string) => join(this.folder, name)

  private settingsOf({ client_id, client_secret }: Code) {
    return {
      VITRINE_URL: `https://localhost:${this.server.https}`,
      VITRINE_CLIENT_ID: client_id,
      VITRINE_CLIENT_SECRET: client_secret,
    }
  }

  private words = (words: readonly string[]) =>
    words.includes('--ca') ? ['pull', ...words] : ['pull', '--ca', this.server.certificate, ...words]

  /** In a process of its own, which can be killed. */
  start(words: readonly string[], key: Code = this.key) {
    const env = cleanEnvironment(this.settingsOf(key))
    const run = startProcess(process.execPath, [program, ...this.words(words)], { env, cwd: this.folder })
    this.started.push(run)
    return run
  }

  run = (words: readonly string[], key: Code = this.key) =>
    runCommand(this.words(words), this.settingsOf(key), this.folder)

  /** What it did, by resource. */
  async pull(...words: string[]): Promise<Record<string, Pulled>> {
    const { status, stdout, stderr } = await this.run([...words, '--json'])
    assert.equal(status, 0, stderr)
    const pulled = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Pulled)
    return Object.fromEntries(pulled.map((each) => [each.resource, each]))
  }

  /** The tills. */
  write(sql: string): void {
    const database = openSqlite(join(this.server.data, 'pos.db'))
    try {
      inTransaction(database, 'BEGIN IMMEDIATE', () => database.exec(sql))
    } finally {
      database.close()
    }
  }

  /** Every record as the service itself tells it. */
  async truth(name: string, query = '&status=all'): Promise<unknown[]> {
    const token = await this.server.token()
    // Hundreds are asked for: not each over a connection of its own.
    const agent = new Agent({ keepAlive: true, maxSockets: 4 })
    const ask = async (path: string) => (await this.server.ask(path, { token, agent })).body
    const list = (page: number) => ask(`/${name}?sort=id&per_page=100${query}&page=${page}`)
    try {
      const first = await list(1)
      const pages = [first, ...(await Promise.all(from(2, first.meta.total_pages).map(list)))]
      const ids = pages.flatMap(({ data }) => data as { id: number }[])
      return await Promise.all(ids.map(async ({ id }) => (await ask(`/${name}/${id}`)).data as unknown))
    } finally {
      agent.destroy()
    }
  }
}

const ndjson = (path: string) =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)

const bytesIn = (folder: string) =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { name }) => sum + statSync(join(folder, name)).size, 0)

suite('pull', () => {
  let shop: Shop
  before(async () => {
    shop = await Shop.open()
  })
  after(() => shop.close())

  test('a folder of NDJSON: everything, then every change and deletion', async () => {
    const to = shop.place('files')
    const first = await shop.pull('--to', to)
    const total = documents + 10
    assert.deepEqual(first['invoices'], { resource: 'invoices', changed: total, gone: 0, total })
    assert.equal(Object.keys(first).length, 17)
    assert.deepEqual(ndjson(join(to, 'invoices.ndjson')), await shop.truth('invoices'))
    assert.deepEqual(ndjson(join(to, 'products.ndjson')), await shop.truth('products'))
    assert.equal(readFileSync(join(to, 'vendors.ndjson'), 'utf8'), '')

    // Nothing has a new `updated_at`.
    shop.write(`UPDATE invoices SET notes = 'changed' WHERE id = 7; UPDATE invoice_lines SET quantity = 3 WHERE invoice_id = 8;
      DELETE FROM invoices WHERE id = 5; INSERT INTO invoices_archive SELECT * FROM invoices WHERE id = 9;
      DELETE FROM invoices WHERE id = 9; UPDATE product_stock SET quantity = 77 WHERE product_id = 1 AND store_id = 2`)
    const second = await shop.run(['--to', to])
    assert.match(second.stderr, /invoices +329 records, 3 new or changed, 1 gone\n/)
    assert.match(second.stderr, /products +3 records, 1 new or changed\n/)
    assert.match(second.stderr, /Nothing new in 15 resources \(\d+ records\)\.\n/)
    for (const name of ['invoices', 'products'])
      assert.deepEqual(ndjson(join(to, `${name}.ndjson`)), await shop.truth(name))
    const third = await shop.pull('--to', to)
    assert.deepEqual(third['invoices'], { resource: 'invoices', changed: 0, gone: 0, total: 329 })
    const anew = await shop.pull('invoices', '--to', to, '--anew')
    assert.deepEqual(anew['invoices'], { resource: 'invoices', changed: 329, gone: 0, total: 329 })
    assert.deepEqual(ndjson(join(to, 'invoices.ndjson')), await shop.truth('invoices'))
    assert.deepEqual(
      readdirSync(to).filter((name) => name.endsWith('.part')),
      [],
    )
  })

  test('a folder of CSV, with a file for each array', async () => {
    const to = shop.place('csv')
    await shop.pull('products,stores', '--to', to, '--format', 'csv')
    assert.deepEqual(readdirSync(to).toSorted(), [
      '.vitrine',
      'products-price-lists.csv',
      'products-stock.csv',
      'products.csv',
      'stores.csv',
    ])
    const [heading, ...lines] = readFileSync(join(to, 'products.csv'), 'utf8').split('\r\n')
    assert.match(heading ?? '', /^id,code,barcode,name,description,/)
    assert.match(lines[0] ?? '', /^1,[^,]+,[^,]+,"A ""quoted"", name\nof two lines ",/)
    // An absent text is an empty cell, an empty one is not.
    assert.match(lines[1] ?? '', /^2,,,,/)
    assert.match(lines[2] ?? '', /^3,[^,]+,[^,]+,"",/)
    const stock = readFileSync(join(to, 'products-stock.csv'), 'utf8')
    assert.match(
      stock,
      /^product_id,store_id,quantity,on_sales_order,on_purchase_order\r\n1,1,[\d.]+,[\d.]+,[\d.]+\r\n1,2,/,
    )
    // Into the files as they are: other lines stay to the byte.
    const before = readFileSync(join(to, 'products.csv'), 'utf8')
    shop.write(`INSERT INTO products (id, name) VALUES (4, 'Four'), (-1, 'One ""less""'); DELETE FROM products WHERE id = 2;
      UPDATE product_stock SET quantity = 9 WHERE product_id = 1 AND store_id = 1`)
    const second = await shop.pull('products,stores', '--to', to)
    assert.deepEqual(second['products'], { resource: 'products', changed: 3, gone: 1, total: 4 })
    const after = readFileSync(join(to, 'products.csv'), 'utf8')
    assert.equal(after.match(/^3,.*$/m)?.[0], before.match(/^3,.*$/m)?.[0])
    assert.deepEqual(
      after.match(/^-?\d+(?=,)/gm)?.filter((id) => id !== '1'),
      ['-1', '3', '4'],
    )
    assert.match(readFileSync(join(to, 'products-stock.csv'), 'utf8'), /\r\n1,1,9,/)
    shop.write('DELETE FROM products WHERE id IN (-1, 4)')
  })
})

// On its own: an address may sign in ten times a minute.
suite('pull into files that are there', () => {
  let shop: Shop
  before(async () => {
    shop = await Shop.open()
  })
  after(() => shop.close())

  test('a mirror keeps its format, and says so when another is asked for', async () => {
    const to = shop.place('format')
    await shop.pull('stores', '--to', to, '--format', 'csv', '--raw-text')
    const { stderr } = await shop.run(['stores', '--to', to, '--format', 'ndjson'])
    assert.match(
      stderr,
      /is a mirror in CSV files with raw text, not in NDJSON files: name another place with --to, or/,
    )
    const guarded = await shop.run(['stores', '--to', to, '--format', 'csv'])
    assert.match(guarded.stderr, /is a mirror in CSV files with raw text, not in CSV files:/)
    await shop.pull('stores', '--to', to)
    assert.deepEqual(readdirSync(to).toSorted(), ['.vitrine', 'stores.csv'])
    await shop.pull('stores', '--to', to, '--format', 'ndjson', '--anew')
    assert.deepEqual(readdirSync(to).toSorted(), ['.vitrine', 'stores.ndjson'])
  })

  test('a file that somebody has changed or removed is made again from everything', async () => {
    const to = shop.place('touched')
    await shop.pull('stores', '--to', to, '--format', 'csv')
    const good = readFileSync(join(to, 'stores.csv'))
    for (const spoil of [
      () => writeFileSync(join(to, 'stores.csv'), 'sorted;by;somebody\n'),
      () => rmSync(join(to, 'stores.csv')),
    ]) {
      spoil()
      const { stderr } = await shop.run(['stores', '--to', to])
      assert.match(stderr, /^stores\.csv was changed or removed by another program, so everything is read again\.\n/)
      assert.deepEqual(readFileSync(join(to, 'stores.csv')), good)
    }
  })

  test("somebody else's file is not overwritten", async () => {
    const to = shop.place('foreign')
    mkdirSync(to)
    writeFileSync(join(to, 'stores.ndjson'), 'mine')
    const { status, stderr } = await shop.run(['stores', '--to', to])
    assert.match(stderr, /stores\.ndjson is there, and is not of this mirror: move it away, or name another folder/)
    assert.deepEqual([status, readFileSync(join(to, 'stores.ndjson'), 'utf8')], [1, 'mine'])
  })

  test('a folder of files keeps no second copy of them', async () => {
    const to = shop.place('small')
    await shop.pull('invoices', '--to', to, '--format', 'csv')
    const database = new DatabaseSync(join(to, '.vitrine', 'mirror.db'))
    assert.equal(database.prepare('SELECT count(*) AS count FROM _pull_changes').get()?.['count'], 0)
    database.exec('VACUUM')
    database.close()
    assert.ok(bytesIn(join(to, '.vitrine')) < bytesIn(to), `${bytesIn(join(to, '.vitrine'))} of ${bytesIn(to)} bytes`)
  })

  test('a SQLite file with a table for each resource and each array', async () => {
    const to = shop.place('mirror.db')
    await shop.pull('invoices', 'products', '--to', to)
    const database = new DatabaseSync(to, { readOnly: true })
    const all = (sql: string) =>
      database
        .prepare(sql)
        .all()
        .map((row) => ({ ...row }))
    try {
      const truth = (await shop.truth('invoices')) as {
        id: number
        total: number
        lines: object[]
        payments: object[]
      }[]
      assert.deepEqual(
        all('SELECT id, total FROM invoices ORDER BY id'),
        truth.map(({ id, total }) => ({ id, total })),
      )
      const items = (array: 'lines' | 'payments') =>
        truth.flatMap((each) => each[array].map((item, at) => ({ invoice_id: each.id, position: at + 1, ...item })))
      assert.deepEqual(all('SELECT * FROM invoices_lines ORDER BY invoice_id, position'), items('lines'))
      assert.deepEqual(all('SELECT * FROM invoices_payments ORDER BY invoice_id, position'), items('payments'))
      assert.equal(all('SELECT * FROM products_stock').length, 2)
    } finally {
      database.close()
    }
  })

  // On its own: an address may sign in ten times a minute.
  test('without lines: records as lists show them', async (context) => {
    const shop = await Shop.open()
    context.after(() => shop.close())
    const to = shop.place('lists')
    await shop.pull('invoices', '--to', to, '--without-lines')
    const [first] = ndjson(join(to, 'invoices.ndjson'))
    assert.deepEqual([Object.hasOwn(first as object, 'lines'), Object.hasOwn(first as object, 'notes')], [false, true])
    shop.write('UPDATE invoice_lines SET quantity = 5 WHERE invoice_id = 3')
    // It stays without them, though it is not said again.
    await shop.pull('invoices', '--to', to)
    assert.doesNotMatch(readFileSync(join(to, 'invoices.ndjson'), 'utf8'), /"lines"/)
    await shop.pull('invoices', '--to', to, '--anew')
    assert.doesNotMatch(readFileSync(join(to, 'invoices.ndjson'), 'utf8'), /"lines"/)
    const refused = await shop.run(['invoices', '--to', to, '--with-lines'])
    assert.match(refused.stderr, /is a mirror in NDJSON files without lines, not in NDJSON files: .* with --anew\./)
    await shop.pull('invoices', '--to', to, '--with-lines', '--anew')
    assert.deepEqual(ndjson(join(to, 'invoices.ndjson')), await shop.truth('invoices'))
    const other = await shop.run(['invoices', '--to', to, '--without-lines'])
    assert.match(other.stderr, /is a mirror in NDJSON files, not in NDJSON files without lines:/)
  })

  test('a cursor that cannot be used, and an id that no program can keep', async (context) => {
    const shop = await Shop.open()
    context.after(() => shop.close())
    const to = shop.place('odd')
    await shop.pull('customers', '--to', to)
    const database = new DatabaseSync(join(to, '.vitrine', 'mirror.db'))
    database.exec(`UPDATE _pull_positions SET cursor = 'edited'`)
    database.close()
    shop.write(`INSERT INTO customers (id, name) VALUES (7, 'Seven'), (9007199254740993, 'Big')`)
    const { status, stderr } = await shop.run(['customers', '--to', to])
    assert.equal(status, 0, stderr)
    assert.match(stderr, /The service cannot continue from where this mirror is .* so everything is read again/)
    assert.match(stderr, /customers: a record with an id beyond 9,007,199,254,740,991 is left out\./)
    assert.deepEqual(
      ndjson(join(to, 'customers.ndjson')).map((record) => (record as { name: string }).name),
      ['Seven'],
    )
  })

  test('a tables mirror of some resources becomes one of all, which a quiet look asks for in one request', async (context) => {
    const shop = await Shop.open()
    context.after(() => shop.close())
    const to = shop.place('grown.db')
    assert.deepEqual(Object.keys(await shop.pull('stores', '--to', to)), ['stores'])
    await shop.pull('invoices', 'stores', '--to', to)
    assert.equal(Object.keys(await shop.pull('--to', to)).length, 17)
    const before = shop.server.logged().length
    await shop.pull('--to', to)
    const paths = await until('the look is logged', () => {
      const lines = shop.server
        .logged()
        .slice(before)
        .filter((line) => line['event'] === 'request')
      return lines.some((line) => String(line['path']).includes('/auth/revoke'))
        ? lines.map((line) => line['path'])
        : undefined
    })
    assert.deepEqual(
      paths.filter((path) => !String(path).includes('/auth/')),
      ['/api/v1/changes'],
    )
  })
})

suite('pull into PostgreSQL', () => {
  after(dropSchemas)

  test('tables with types, keys and comments, in a schema of its own; changes and deletions with their cursor', async (context) => {
    const shop = await Shop.open()
    context.after(() => shop.close())
    const schema = await makeSchema('mirror')
    // What is not there is made.
    await schema.query(`DROP SCHEMA ${schema.name}`)
    const to = schema.url
    // A text with U+0000 and a day that does not exist are in the way of nothing.
    shop.write(`UPDATE invoices SET notes = 'a' || char(0) || 'b', created_at = '2026-02-30T10:00:00' WHERE id = 3`)
    const first = await shop.pull('invoices', 'products', 'stores', '--to', to)
    assert.equal(first['invoices']?.total, documents + 10)

    const columns = await schema.query(
      `SELECT column_name AS name, data_type AS type FROM information_schema.columns
        WHERE table_schema = '${schema.name}' AND table_name = 'invoices'`,
    )
    const typeOf = Object.fromEntries(columns.map(({ name, type }) => [name, type]))
    assert.deepEqual(
      [typeOf['id'], typeOf['number'], typeOf['total'], typeOf['updated_at']],
      ['bigint', 'text', 'numeric', 'timestamp without time zone'],
    )
    const [comments] = await schema.query(
      `SELECT obj_description('invoices'::regclass) AS "table",
        col_description('invoices'::regclass, (SELECT attnum FROM pg_attribute WHERE attrelid = 'invoices'::regclass AND attname = 'status')) AS status`,
    )
    assert.match(comments?.['table'], /^invoices: kept by vitrine pull/)
    assert.match(comments?.['status'], /^One of: /)
    const keys = await schema.query(
      `SELECT pg_get_constraintdef(oid) AS key FROM pg_constraint WHERE conrelid = 'invoices_lines'::regclass AND contype IN ('p', 'f') ORDER BY contype`,
    )
    assert.deepEqual(
      keys.map(({ key }) => key),
      ['FOREIGN KEY (invoice_id) REFERENCES invoices(id) ON DELETE CASCADE', 'PRIMARY KEY (invoice_id, "position")'],
    )

    shop.write(`DELETE FROM invoices WHERE id = 5; DELETE FROM invoice_lines WHERE invoice_id = 6;
      UPDATE invoices SET total = 0.1 WHERE id = 7; UPDATE product_stock SET quantity = 12.345 WHERE product_id = 1`)
    const second = await shop.pull('--to', to, 'invoices', 'products', 'stores')
    assert.deepEqual(second['invoices'], { resource: 'invoices', changed: 2, gone: 1, total: documents + 9 })

    // As JSON of the database, and as the service shows it.
    const rows = await schema.query(
      `SELECT to_jsonb(invoices) || jsonb_build_object(
        'lines', (SELECT coalesce(jsonb_agg(to_jsonb(l) - 'invoice_id' - 'position' ORDER BY position), '[]') FROM invoices_lines l WHERE invoice_id = invoices.id),
        'payments', (SELECT coalesce(jsonb_agg(to_jsonb(p) - 'invoice_id' - 'position' ORDER BY position), '[]') FROM invoices_payments p WHERE invoice_id = invoices.id)
       ) AS record FROM invoices ORDER BY id`,
    )
    const truth = (await shop.truth('invoices')).map((record) => {
      const { id, ...rest } = record as { id: number }
      return id === 3 ? { id, ...rest, notes: 'a\uFFFDb', created_at: null } : record
    })
    assert.deepEqual(
      rows.map(({ record }) => record as unknown),
      truth,
    )
    const stock = await schema.query('SELECT quantity::text AS quantity FROM products_stock WHERE product_id = 1')
    assert.deepEqual(
      stock.map(({ quantity }) => quantity),
      ['12.345', '12.345'],
    )
  })

  test('what is not a mirror is refused, in words without a password', async (context) => {
    const shop = await Shop.open()
    context.after(() => shop.close())
    const schema = await makeSchema('other')
    await schema.query('CREATE TABLE books (id int)')
    const foreign = await shop.run(['stores', '--to', schema.url])
    assert.match(
      foreign.stderr,
      new RegExp(`^vitrine: the schema ${schema.name} of .* holds tables that are not a mirror's`),
    )
    const url = new URL(schema.url)
    url.password = 'opensesame'
    url.port = '1'
    const away = await shop.run(['stores', '--to', url.href])
    assert.match(away.stderr, /^vitrine: the schema .* cannot be written: .*ECONNREFUSED/)
    assert.deepEqual([foreign.status, away.status, away.stderr.includes('opensesame')], [1, 1, false])
    for (const [part, says] of [
      ['me:12/sesame@localhost', /write special characters of the password as %2F/],
      ['me:12#sesame@localhost', /write special characters of the password as %2F|is not the address/],
      ['localhost/shop?shcema=x', /--to has the unknown parameter shcema; known are schema/],
    ] as const) {
      const wrong = await shop.run(['stores', '--to', `postgres://${part}`])
      assert.match(wrong.stderr, says)
      assert.doesNotMatch(wrong.stderr, /sesame/)
    }
    // It ends, though the connection was open.
    const role = `limited_${schema.name}`
    await schema.query(
      `CREATE ROLE ${role} LOGIN PASSWORD 'opensesame'; GRANT USAGE ON SCHEMA ${schema.name} TO ${role}`,
    )
    await schema.query('DROP TABLE books')
    const limited = new URL(schema.url)
    ;[limited.username, limited.password] = [role, 'opensesame']
    const run = shop.start(['stores', '--to', limited.href])
    const refused = await run.ended
    assert.match(refused.stderr, /permission denied for schema/)
    assert.deepEqual([refused.status, refused.stderr.includes('opensesame')], [1, false])
    await schema.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
  })

  test('--watch waits for a server that restarts, and goes on', async (context) => {
    const shop = await Shop.open()
    const postgres = await startPostgres()
    context.after(async () => {
      await shop.close()
      await postgres.remove()
    })
    const run = shop.start(['invoices', '--to', postgres.url, '--watch', '--every', '1', '--json'])
    await until('everything was stored', () => run.stdout().includes('"changed":330'), run.stderr)
    const saysSo = (since: number) => () =>
      /The database of the mirror does not answer \(.+\)\. The next attempt is in \d+ s\./.test(
        run.stderr().slice(since),
      )
    await postgres.stop()
    shop.write('DELETE FROM invoices WHERE id = 5')
    await until('it says so', saysSo(0))
    await postgres.start()
    await until('the change was read', () => run.stdout().includes('"gone":1,"total":329'), run.stderr)
    const before = run.stderr().length
    await postgres.stop()
    await until('it says so again', saysSo(before))
    // It can be stopped meanwhile.
    run.child.kill('SIGTERM')
    assert.equal((await run.ended).status, 130)
  })

  test('killed at any point, the next run starts at once and goes on', async (context) => {
    const shop = await Shop.open()
    context.after(() => shop.close())
    const schema = await makeSchema('killed')
    const stored = async () => {
      const [row] = await schema.query(`SELECT to_regclass('_pull_seen') AS there`)
      return row?.['there'] === null
        ? 0
        : Number((await schema.query('SELECT count(*) AS count FROM _pull_seen'))[0]?.['count'])
    }
    const run = shop.start(['--to', schema.url])
    await until('some were stored', async () => (await stored()) > 0 || undefined, run.stderr)
    run.child.kill('SIGKILL')
    await run.ended
    const { invoices } = await shop.pull('--to', schema.url)
    assert.equal(invoices?.total, documents + 10)
  })
})

suite('pull from a service without a change feed', () => {
  test('everything is read again; with the feed again, once more, and then what changes', async (context) => {
    const shop = await Shop.open()
    context.after(() => shop.close())
    const remove = await shop.server.run('schema', 'remove')
    assert.equal(remove.status, 0, remove.stderr)
    await until('there is no feed', async () => {
      const { body } = await shop.server.ask('/resources', { token: await shop.server.tokenOf(shop.key) })
      return !JSON.stringify(body).includes('"changes"') || undefined
    })
    const to = shop.place('by-list.db')
    const first = await shop.run(['invoices', 'stores', '--to', to])
    assert.match(first.stderr, /^The service has no change feed, so every run reads everything\.\n/)
    assert.match(first.stderr, /invoices +330 records, 330 read\n/)
    shop.write('DELETE FROM invoices WHERE id = 5')
    const second = await shop.pull('invoices', 'stores', '--to', to)
    assert.deepEqual(second['invoices'], { resource: 'invoices', changed: 329, gone: 1, total: 329 })
    assert.equal(countOf(to), 329)
    const applied = await shop.server.run('schema', 'apply')
    assert.equal(applied.status, 0, applied.stderr)
    await until('there is a feed', async () => {
      const { body } = await shop.server.ask('/resources', { token: await shop.server.tokenOf(shop.key) })
      return JSON.stringify(body).includes('"changes"') || undefined
    })
    const third = await shop.run(['invoices', 'stores', '--to', to])
    assert.match(third.stderr, /^The service has a change feed now, .* everything is read once more\.\n/)
    assert.match(third.stderr, /invoices +329 records, 329 new or changed\n/)
    assert.match((await shop.run(['invoices', 'stores', '--to', to])).stderr, /^Nothing new in 2 resources/)
  })
})

suite('pull, when the key is changed', () => {
  test('other stores, another price list, a permission less: everything is read again, or it is said that it is not', async (context) => {
    const shop = await Shop.open('--stores', '1', '--price-list', '1')
    context.after(() => shop.close())
    const to = shop.place('changed')
    const own = async () => {
      const token = await shop.server.tokenOf(shop.key)
      const { body } = await shop.server.ask('/products?status=all&sort=id', {
        headers: { Authorization: `Bearer ${token}` },
      })
      return body.data as unknown[]
    }
    const first = await shop.pull('--without-lines', '--to', to)
    assert.equal(first['invoices']?.total, 170)
    await shop.server.run('keys', 'update', shop.key.client_id, '--stores', 'all')
    const second = await shop.run(['--to', to])
    assert.match(
      second.stderr,
      /^The service cannot continue from where this mirror is .* so everything is read again\.\n/,
    )
    assert.match(second.stderr, /invoices +330 records/)
    assert.deepEqual(ndjson(join(to, 'products.ndjson')), await own())
    await shop.server.run('keys', 'update', shop.key.client_id, '--price-list', '2')
    await shop.pull('--to', to)
    assert.deepEqual(ndjson(join(to, 'products.ndjson')), await own())
    await shop.server.run('keys', 'update', shop.key.client_id, '--permissions', 'products:read')
    const { stderr } = await shop.run(['--to', to])
    assert.match(stderr, /This key may no longer read .*invoices, .*: what the mirror holds of that stays as it was\./)
    assert.deepEqual(ndjson(join(to, 'products.ndjson')), await own())
  })
})

suite('pull, stopped', () => {
  let shop: Shop
  before(async () => {
    shop = await Shop.open()
  })
  after(() => shop.close())

  test('killed at any point, the next run goes on and the mirror ends equal', async () => {
    const to = shop.place('killed.db')
    let [before, kills] = [0, 0]
    for (; kills < 4 && before < documents; kills++) {
      const run = shop.start(['invoices', '--to', to])
      await until('some more were stored', () => existsSync(to) && countOf(to) > before, run.stderr)
      run.child.kill('SIGKILL')
      await run.ended
      before = countOf(to)
    }
    const { invoices } = await shop.pull('invoices', '--to', to)
    told(`pull: killed ${kills} times, ${before} records stored until then, ${invoices?.changed} by the last run`)
    assert.equal(invoices?.total, documents + 10)
    // What was stored is not read again.
    assert.equal(invoices?.changed, documents + 10 - before)
    assert.equal(countOf(to), documents + 10)
  })

  test('a mirror that somebody holds for a moment is waited for', async () => {
    const to = shop.place('held.db')
    const holder = openSqlite(to)
    holder.exec('BEGIN EXCLUSIVE')
    const pulling = shop.start(['stores', '--to', to, '--json'])
    await until('it has come to open it', () => isOpenIn(pulling.child.pid, to), pulling.stderr)
    holder.exec('COMMIT')
    holder.close()
    const { status, stdout, stderr } = await pulling.ended
    assert.deepEqual([status, /"total":2/.test(stdout)], [0, true], stderr)
  })

  test('SIGINT: status 130, and a sentence', async () => {
    const run = shop.start(['--to', shop.place('stopped')])
    await until('the mirror was begun', () => existsSync(join(shop.place('stopped'), '.vitrine', 'mirror.db')))
    run.child.kill('SIGINT')
    const { status, stderr } = await run.ended
    assert.deepEqual([status, stderr.split('\n').at(-2)], [130, 'Stopped. The next run continues from here.'])
  })

  test('its token ends with it: at the end of a run, and when it is stopped', async () => {
    const key = await shop.server.makeKey('--rate', '100000')
    const state = new DatabaseSync(join(shop.server.data, 'state.db'), { readOnly: true })
    const tokens = () => state.prepare('SELECT 1 FROM tokens WHERE access_key = ?').all(key.client_id).length
    try {
      const [once, watching] = [shop.place('once'), shop.place('watching')]
      assert.equal((await shop.start(['stores', '--to', once], key).ended).status, 0)
      assert.equal(tokens(), 0)
      const run = shop.start(['stores', '--to', watching, '--watch', '--json'], key)
      await until('the first look is over', () => run.stdout().includes('stores'), run.stderr)
      assert.equal(tokens(), 1)
      run.child.kill('SIGTERM')
      assert.equal((await run.ended).status, 130)
      assert.equal(tokens(), 0)
    } finally {
      state.close()
    }
  })

  test('--watch goes on, and finds what has changed; another run on the same place is refused meanwhile', async () => {
    const to = shop.place('watched')
    const run = shop.start(['stores', 'invoices', '--without-lines', '--to', to, '--watch', '--every', '1', '--json'])
    await until('everything was read', () => run.stdout().includes('"resource":"invoices","changed":330'))
    const other = await shop.start(['stores', '--to', to]).ended
    assert.deepEqual(
      [other.status, other.stderr],
      [1, `vitrine: Another run is writing to ${to}: wait until it is done, or name another place with --to.\n`],
    )
    shop.write(`UPDATE invoices SET notes = 'seen', updated_at = '2026-03-02T10:00:00' WHERE id = 11`)
    await until('the change was read', () => run.stdout().includes('"resource":"invoices","changed":1,'))
    run.child.kill('SIGTERM')
    assert.equal((await run.ended).status, 130)
    assert.match(readFileSync(join(to, 'invoices.ndjson'), 'utf8'), /"notes":"seen"/)
  })
})

/** Whether a process has opened this file. */
const isOpenIn = (pid: number | undefined, path: string) =>
  readdirSync(`/proc/${pid}/fd`).some((each) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${each}`) === path
    } catch {
      return false
    }
  })

function countOf(path: string): number {
  const database = openSqlite(path, { readOnly: true })
  try {
    return Number(database.prepare('SELECT count(*) AS count FROM invoices').get()?.['count'])
  } catch {
    // It is just being made.
    return 0
  } finally {
    database.close()
  }
}

const isRoot = process.getuid?.() === 0

suite('pull, what goes wrong', () => {
  let shop: Shop
  before(async () => {
    shop = await Shop.open()
  })
  after(() => shop.close())

  const fails = async (words: string[], expected: RegExp, status = 1, key?: NewKey) => {
    const ended = await shop.run(words, key)
    assert.match(ended.stderr, expected)
    assert.equal(ended.status, status)
    assert.doesNotMatch(ended.stderr, /svc_sk_|\n +at /)
  }

  test('wrong usage: every sentence at once, and nothing is made', async () => {
    const env = cleanEnvironment()
    const run = startProcess(process.execPath, [program, 'pull', '--fromat', 'csv', '--every', 'x'], {
      env,
      cwd: shop.folder,
    })
    const { status, stderr } = await run.ended
    assert.equal(status, 2)
    for (const sentence of [
      /--fromat is not an option of "pull": did you mean --format\?/,
      /--url/,
      /--client-id/,
      /VITRINE_CLIENT_SECRET/,
      /"pull" needs --to PLACE\./,
      /--every is a number of seconds/,
      /--every requires --watch/,
    ])
      assert.match(stderr, sentence)
    const other = startProcess(process.execPath, [program, '--json', 'pull', '--to', '--watch'], {
      env,
      cwd: shop.folder,
    })
    const { status: again, stderr: said } = await other.ended
    assert.deepEqual([again, /--to needs a value/.test(said), /VITRINE_STATE/.test(said)], [2, true, false], said)
    assert.deepEqual(readdirSync(shop.folder), [])
  })

  test('a wrong code, a resource that is not there, an address that nobody serves', async () => {
    await fails(['--to', shop.place('a')], /does not know the access key svc_ak_\w+ with this security code/, 1, {
      ...shop.key,
      client_secret: 'svc_sk_wrong',
    })
    await fails(
      ['invoice', '--to', shop.place('a')],
      /This key cannot read "invoice"\. What it can read: products, customers/,
    )
    await fails(
      ['--to', shop.place('a'), '--url', 'https://localhost:1999'],
      /localhost:1999 could not be reached: .*ECONNREFUSED.*The next run continues/,
    )
    await fails(
      ['--to', shop.place('a'), '--ca', shop.place('none.pem')],
      /--ca names .*none\.pem, which cannot be used/,
    )
    writeFileSync(shop.place('no-certificate.pem'), 'a note')
    await fails(
      ['--to', shop.place('a'), '--ca', shop.place('no-certificate.pem')],
      /--ca names .*, which cannot be used: it is no certificate in PEM format\./,
    )
  })

  test('a place that is of another key, is no mirror, or is full', async (context) => {
    await shop.pull('stores', '--to', shop.place('own'))
    const other = await shop.server.makeKey('--rate', '1000', '--stores', '1')
    await fails(
      ['stores', '--to', shop.place('own')],
      /is a mirror of localhost:\d+ with the key svc_ak_\w+, not of/,
      1,
      other,
    )
    await shop.run(['products', 'invoices', '--without-lines', '--to', shop.place('own.db')])
    const moved = await shop.run(['invoices', '--to', shop.place('own.db'), '--anew', '--json'], other)
    assert.equal(moved.stdout, '{"resource":"invoices","changed":170,"gone":0,"total":170}\n', moved.stderr)
    // Nothing stays of the one before.
    const database = new DatabaseSync(shop.place('own.db'), { readOnly: true })
    const names = database
      .prepare("SELECT name FROM sqlite_master WHERE name NOT LIKE '_pull%' AND type = 'table'")
      .all()
    database.close()
    assert.deepEqual(
      names.map(({ name }) => String(name)),
      ['invoices'],
    )
    const pos = join(shop.server.data, 'pos.db')
    const bytes = readFileSync(pos)
    await fails(['stores', '--to', pos], /pos\.db holds tables that are not a mirror's.*Nothing was changed/)
    assert.ok(readFileSync(pos).equals(bytes))
    assert.ok(!existsSync(`${pos}.lock`))
    writeFileSync(shop.place('text.db'), 'this is no database, however long it may be. '.repeat(50))
    await fails(['stores', '--to', shop.place('text.db')], /text\.db exists, but is not a SQLite file/)
    if (!isRoot) return context.skip('only root can mount a small disk')
    const disk = shop.place('disk')
    mkdirSync(disk)
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=400k', 'none', disk], { encoding: 'utf8' })
    if (mounted.status !== 0) return context.skip(`no disk can be mounted here: ${mounted.stderr.trim()}`)
    try {
      await fails(
        ['invoices', '--to', join(disk, 'full.db')],
        /The disk with .*full\.db is full: make room\. The next run continues/,
      )
      spawnSync('mount', ['-o', 'remount,size=20m', disk])
      const { invoices } = await shop.pull('invoices', '--to', join(disk, 'full.db'))
      assert.equal(invoices?.total, documents + 10)
    } finally {
      spawnSync('umount', [disk])
    }
  })

  test('the network is lost and comes back: it goes on by itself', async () => {
    const own = await Shop.open()
    try {
      const run = own.start(['invoices', '--to', own.place('lost'), '--watch', '--every', '1', '--json'])
      await until('everything was stored', () => run.stdout().includes('"changed":330'), run.stderr)
      const { data, settings } = own.server
      await own.server.stop('SIGKILL')
      await until('it says so', () => /The service does not answer\. The next attempt is in \d+ s\./.test(run.stderr()))
      own.write('DELETE FROM invoices WHERE id = 5')
      const again = await startServer({ folder: data, settings })
      try {
        await until('the change was read', () => run.stdout().includes('"gone":1,"total":329'), run.stderr)
        run.child.kill('SIGTERM')
        assert.equal((await run.ended).status, 130)
      } finally {
        await again.stop()
      }
    } finally {
      await own.close()
    }
  })
})
