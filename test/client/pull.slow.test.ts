// `vitrine pull` against a service that really runs: mirrors in each format, again and only what changed, killed and stopped at
// any point, and every mistake with its sentence.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:https'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, suite, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { inTransaction, openSqlite } from '../../src/platform/sqlite.ts'
import { emptyRow, filledRow } from '../support/fixture.ts'
import { freePort } from '../support/free-port.ts'
import { told } from '../support/how-much.ts'
import type { Rows } from '../support/pos.ts'
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
  readonly total: number
}

/** One service with its key; each place to mirror to is new. */
class Shop {
  readonly server: Server
  readonly key: NewKey
  readonly folder = temporaryFolder('vitrine pull ')
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
    await this.server.remove()
    rmSync(this.folder, { recursive: true, force: true })
  }

  place = (name: string) => join(this.folder, name)

  start(words: readonly string[], key: Pick<NewKey, 'client_id' | 'client_secret'> = this.key) {
    const env = cleanEnvironment({
      VITRINE_URL: `https://localhost:${this.server.https}`,
      VITRINE_CLIENT_ID: key.client_id,
      VITRINE_CLIENT_SECRET: key.client_secret,
    })
    const all = [program, 'pull', '--ca', this.server.certificate, ...words]
    return startProcess(process.execPath, all, { env, cwd: this.folder })
  }

  /** What it did, by resource. */
  async pull(...words: string[]): Promise<Record<string, Pulled>> {
    const { status, stdout, stderr } = await this.start([...words, '--json']).ended
    assert.equal(status, 0, stderr)
    const pulled = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Pulled)
    return Object.fromEntries(pulled.map((each) => [each.resource, each]))
  }

  /** The tills. */
  write(sql: string): void {
    const database = openSqlite(join(this.server.data, 'pos.db'), { lockTimeoutMs: 5000 })
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

suite('pull', () => {
  let shop: Shop
  before(async () => {
    shop = await Shop.open()
  })
  after(() => shop.close())

  test('a folder of NDJSON: everything, then only what has changed', async () => {
    const to = shop.place('files')
    const first = await shop.pull('--to', to)
    assert.deepEqual(first['invoices'], { resource: 'invoices', changed: documents + 10, total: documents + 10 })
    assert.equal(Object.keys(first).length, 17)
    assert.deepEqual(ndjson(join(to, 'invoices.ndjson')), await shop.truth('invoices'))
    assert.deepEqual(ndjson(join(to, 'products.ndjson')), await shop.truth('products'))
    assert.equal(readFileSync(join(to, 'vendors.ndjson'), 'utf8'), '')

    shop.write(`UPDATE invoices SET notes = 'changed', updated_at = '2026-03-01T10:00:00' WHERE id = 7;
      UPDATE invoice_lines SET quantity = 3 WHERE invoice_id = 7;
      DELETE FROM invoices WHERE id = 5; INSERT INTO invoices_archive SELECT * FROM invoices WHERE id = 9;
      DELETE FROM invoices WHERE id = 9`)
    const second = await shop.start(['invoices', '--to', to]).ended
    assert.match(second.stderr, /invoices +330 records, 1 new or changed/)
    // Nothing tells that a record is gone; that there are fewer does.
    assert.match(second.stderr, /invoices: 1 of 330 records can no longer be read with this key/)
    const anew = await shop.pull('invoices', '--to', to, '--anew')
    assert.deepEqual(anew['invoices'], { resource: 'invoices', changed: 329, total: 329 })
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
    // The same folder in the other format, though nothing has changed; each has what changes then.
    await shop.pull('stores', '--to', to)
    assert.equal(ndjson(join(to, 'stores.ndjson')).length, 2)
    shop.write("UPDATE stores SET manager = 'Rose' WHERE id = 2")
    await shop.pull('stores', '--to', to, '--format', 'csv')
    await shop.pull('stores', '--to', to)
    for (const name of ['stores.csv', 'stores.ndjson']) assert.match(readFileSync(join(to, name), 'utf8'), /Rose/)
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
    const other = await shop.start(['invoices', '--to', to, '--format', 'csv']).ended
    assert.match(
      other.stderr,
      /invoices: the key sees other fields, stores or prices than before, so everything is read/,
    )
    assert.ok(existsSync(join(to, 'invoices-lines.csv')))
    await shop.pull('invoices', '--to', to)
    assert.deepEqual(ndjson(join(to, 'invoices.ndjson')), await shop.truth('invoices'))
    // What is no longer to be seen does not stay.
    await shop.pull('invoices', '--to', to, '--without-lines')
    assert.equal(existsSync(join(to, 'invoices-lines.csv')), false)
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
    const first = await shop.pull('products', 'invoices', 'stores', 'price-lists', '--without-lines', '--to', to)
    assert.equal(first['invoices']?.total, 170)
    await shop.server.run('keys', 'update', shop.key.client_id, '--stores', 'all')
    const second = await shop.pull('products', 'invoices', '--without-lines', '--to', to)
    assert.deepEqual([second['invoices']?.total, ndjson(join(to, 'products.ndjson'))], [330, await own()])
    await shop.server.run('keys', 'update', shop.key.client_id, '--price-list', '2')
    await shop.pull('products', '--to', to)
    assert.deepEqual(ndjson(join(to, 'products.ndjson')), await own())
    await shop.server.run('keys', 'update', shop.key.client_id, '--permissions', 'products:read')
    const { stderr } = await shop.start(['products', '--to', to]).ended
    assert.match(stderr, /invoices: this key may no longer read it; what is in the mirror stays as it was/)
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
    const pulling = shop.pull('stores', '--to', to)
    await until('it has come to open it', () => existsSync(`${to}.lock`))
    await wait(300)
    holder.exec('COMMIT')
    holder.close()
    assert.equal((await pulling)['stores']?.total, 2)
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
      [1, `vitrine: Another run writes to ${to}: wait until it is done, or name another place with --to.\n`],
    )
    shop.write(`UPDATE invoices SET notes = 'seen', updated_at = '2026-03-02T10:00:00' WHERE id = 11`)
    await until('the change was read', () => run.stdout().includes('"resource":"invoices","changed":1,'))
    run.child.kill('SIGTERM')
    assert.equal((await run.ended).status, 130)
    assert.match(readFileSync(join(to, 'invoices.ndjson'), 'utf8'), /"notes":"seen"/)
  })
})

function countOf(path: string): number {
  const database = openSqlite(path, { readOnly: true, lockTimeoutMs: 5000 })
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
    const ended = await shop.start(words, key).ended
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
      /--fromat is not an option of pull: its options are --url/,
      /--url/,
      /--client-id/,
      /VITRINE_CLIENT_SECRET/,
      /--to names a folder/,
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
      ['--to', shop.place('a'), '--url', 'http://localhost'],
      /"http:\/\/localhost" is not the address of a service/,
      2,
    )
    await fails(
      ['--to', shop.place('a'), '--ca', shop.place('none.pem')],
      /--ca names .*none\.pem, which cannot be used/,
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
    await shop.start(['products', 'invoices', '--without-lines', '--to', shop.place('own.db')]).ended
    const moved = await shop.start(['invoices', '--to', shop.place('own.db'), '--anew', '--json'], other).ended
    assert.equal(moved.stdout, '{"resource":"invoices","changed":170,"total":170}\n', moved.stderr)
    // Nothing stays of the one before.
    const database = new DatabaseSync(shop.place('own.db'), { readOnly: true })
    const names = database
      .prepare("SELECT name FROM sqlite_master WHERE name NOT LIKE '_pull%' AND type = 'table'")
      .all()
    database.close()
    assert.deepEqual(names.map(({ name }) => String(name)).toSorted(), [
      'invoices',
      'invoices_lines',
      'invoices_payments',
    ])
    const pos = join(shop.server.data, 'pos.db')
    const bytes = readFileSync(pos)
    await fails(['stores', '--to', pos], /pos\.db holds tables that are not a mirror's.*Nothing was changed/)
    assert.ok(readFileSync(pos).equals(bytes))
    writeFileSync(shop.place('text.db'), 'this is no database, however long it may be. '.repeat(50))
    await fails(['stores', '--to', shop.place('text.db')], /text\.db is there, but is not a SQLite file/)
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
      const run = own.start(['invoices', '--to', own.place('lost.db')])
      await until('some were stored', () => existsSync(own.place('lost.db')) && countOf(own.place('lost.db')) > 0)
      const { data, settings } = own.server
      await own.server.stop('SIGKILL')
      await until('it says so', () => /could not be reached: .* The next attempt is in \d+ s\./.test(run.stderr()))
      const again = await startServer({ folder: data, settings })
      try {
        const { status, stderr } = await run.ended
        assert.equal(status, 0, stderr)
        assert.match(stderr, /invoices +330 records/)
      } finally {
        await again.stop()
      }
    } finally {
      await own.close()
    }
  })
})
