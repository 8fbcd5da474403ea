// A POS in a SQLite file of another shape, shown through a file of ours: what `views apply` refuses, that theirs is only ever read,
// and that the service goes on when theirs is written, locked, taken away or replaced, and when the views are made again.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { resources } from '../../src/catalogue/resources/index.ts'
import { relations } from '../../src/contract/relations.ts'
import { checkSqliteFile } from '../../src/engine/sqlite/check.ts'
import { createSqliteSource } from '../../src/engine/sqlite/source.ts'
import { openPos } from '../../src/engine/sqlite/pos-file.ts'
import { openSqlite, type Sqlite } from '../../src/platform/sqlite.ts'
import { makeCaisse } from '../support/caisse/place-sqlite.ts'
import { connectFile } from '../support/caisse/scripts.ts'
import { filledRow } from '../support/fixture.ts'
import { makePos } from '../support/pos.ts'
import { runVitrine, startServer, temporaryFolder, until, type Answer, type Server } from '../support/process.ts'

const viewsFile = connectFile('views-sqlite.sql')
const views = readFileSync(viewsFile, 'utf8')
const company = (name: string) => ({
  stores: [filledRow('stores', 1, { name })],
  vendors: [filledRow('vendors', 1)],
  products: [filledRow('products', 1, { active: 1, price: 10.05 })],
})

describe('views apply', { concurrency: 2 }, () => {
  const folder = temporaryFolder()
  const at = (name: string) => join(folder, name)
  const apply = (ours: string, file: string, pos: string, ...more: string[]) =>
    runVitrine(['views', 'apply', file, '--pos', pos, ...more], { VITRINE_DATABASE_URL: `sqlite:${ours}` }, folder)
  let tills: Sqlite
  before(() => {
    tills = makeCaisse(at("the tills' own #1?.db"), company('Main'))
  })
  after(() => {
    tills.close()
    rmSync(folder, { recursive: true })
  })

  test('what is printed, as it stands, makes a company without any data', async () => {
    const { status, stdout } = await runVitrine(['views', 'print', '--dialect', 'sqlite'])
    assert.equal(status, 0)
    writeFileSync(at('printed.sql'), stdout)
    const done = await apply(at('empty.db'), 'printed.sql', "the tills' own #1?.db", '--json')
    assert.deepEqual([done.status, done.stderr], [0, ''])
    assert.deepEqual(JSON.parse(done.stdout), {
      database: at('empty.db'),
      pos: at("the tills' own #1?.db"),
      views: relations.length,
      lacking: [],
    })
    assert.deepEqual(checkSqliteFile(at('empty.db')), [])
  })

  test('a view may lack a column that is not required: it is named, and reads as null', async () => {
    writeFileSync(at('less.sql'), views.replace('m.responsable AS manager,', ''))
    const { status, stderr } = await apply(at('less.db'), 'less.sql', "the tills' own #1?.db")
    assert.deepEqual([status, stderr], [0, 'The views lack columns, which read as null: stores.manager.\n'])
    assert.deepEqual(checkSqliteFile(at('less.db')), [])
    const source = createSqliteSource(at('less.db'), 1000, () => {})
    const text = 'SELECT t."manager", t."name" FROM "stores" t'
    assert.deepEqual(await source.within(async (snapshot) => snapshot.rows({ text, values: [] })), [[null, 'Main']])
    await source.close()
  })

  test('a view may read another that comes after it', async () => {
    const [archive = ''] = /CREATE TEMP VIEW invoices_archive[^;]+;/.exec(views) ?? []
    writeFileSync(at('turned.sql'), archive + views.replace(archive, ''))
    const { status, stderr } = await apply(at('turned.db'), 'turned.sql', "the tills' own #1?.db")
    assert.equal(status, 0, stderr)
  })

  test('every fault is told at once, and nothing is made', async () => {
    const broken = views
      .replace('pos.magasin', 'pos.magasins')
      .replace('m.no AS id', 'm.no AS number')
      .replace('r.responsable AS manager', 'r.chef AS manager')
      .replace('f.no AS id', 'f.no AS number')
      .replace(/CREATE TEMP VIEW tarif[^;]+;|CREATE TEMP VIEW price_lists[^;]+;/, 'CREATE TABLE price_lists (id);')
    writeFileSync(at('broken.sql'), broken)
    const { status, stdout, stderr } = await apply(at('none.db'), 'broken.sql', "the tills' own #1?.db")
    assert.deepEqual([status, stdout], [1, ''])
    const told = [
      /Line \d+ of broken\.sql is not a CREATE VIEW.*CREATE TABLE price_lists/,
      /broken\.sql has no view price_lists\./,
      /The view stores in broken\.sql cannot be read: no such table: pos\.magasins\./,
      /The view departments in broken\.sql cannot be read: no such column: r\.chef\./,
      /In broken\.sql, sub_departments lacks the column id;/,
    ]
    for (const each of told) assert.match(stderr, each)
    assert.equal(stderr.trim().split('\n').length, told.length, stderr)
    assert(!existsSync(at('none.db')))
  })

  test('files that are not there, or are something else, are told of; what is there stays', async () => {
    makePos(at('data.db'), {})
    writeFileSync(at('letter.db'), 'This is a letter. '.repeat(100))
    const before = readFileSync(at('data.db'))
    for (const [ours, file, pos, says] of [
      ['data.db', viewsFile, "the tills' own #1?.db", /something else at .*data\.db, which is not replaced/],
      ["the tills' own #1?.db", viewsFile, "the tills' own #1?.db", /need a file of their own/],
      ['none.db', 'none.sql', 'none-either.db', /none\.sql cannot be read.*\n.*no file .*none-either\.db/],
      ['none.db', viewsFile, 'letter.db', /letter\.db is not a SQLite database/],
    ] as const) {
      const { status, stderr } = await apply(at(ours), file, pos)
      assert.equal(status, 1)
      assert.match(stderr, says)
    }
    assert.deepEqual(readFileSync(at('data.db')), before)
  })

  test('PostgreSQL keeps views itself: said', async () => {
    const settings = { VITRINE_DATABASE_URL: 'postgres://a:b@127.0.0.1:1/c', VITRINE_STATE_URL: 'sqlite:unused.db' }
    const { status, stderr } = await runVitrine(['views', 'apply', viewsFile, '--pos', 'x'], settings, folder)
    assert.equal(status, 2)
    assert.match(stderr, /run the file with psql/)
  })
})

describe('a service over views of a SQLite file', () => {
  let server: Server
  let token = ''
  let tills: Sqlite
  const inData = (name: string) => join(server.data, name)
  before(async () => {
    server = await startServer({
      prepare: async (folder) => {
        tills = makeCaisse(join(folder, 'caisse.db'), company('Main'))
        const done = await runVitrine(
          ['views', 'apply', viewsFile, '--pos', 'caisse.db'],
          { VITRINE_DATA_DIR: folder },
          folder,
        )
        assert.equal(done.status, 0, done.stderr)
      },
      settings: { VITRINE_STATEMENT_TIMEOUT_MS: '1500', VITRINE_READERS: '2' },
    })
    token = await server.token()
  })
  after(async () => {
    tills.close()
    await server.remove()
  })
  const ask = (target: string) => server.ask(target, { token })
  // Often enough that every reader has answered.
  const storeName = async () => {
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(() => ask('/stores')))
    const names = new Set(answers.map(({ status, body }: Answer) => (status === 200 ? body.data[0]?.name : status)))
    return names.size === 1 ? [...names][0] : [...names]
  }
  const shows = (name: string | number) => until(`it shows ${name}`, async () => (await storeName()) === name)

  test('serves every resource, and what tills write is there at once', async () => {
    for (const { name } of resources) assert.equal((await ask(`/${name}`)).status, 200, name)
    assert.equal((await ask('/products/1')).body.data.price, 10.05)
    for (const name of ['First', 'Second', 'Third', 'Main']) {
      tills.prepare('UPDATE magasin SET nom = ?').run(name)
      assert.equal(await storeName(), name)
      tills.prepare('INSERT INTO rayon (no, nom) SELECT count(*) + 1, ? FROM rayon').run(name)
      const [counted] = tills.prepare('SELECT count(*) AS n FROM rayon').all()
      assert.equal((await ask('/departments')).body.meta.total, counted?.['n'])
    }
    const told = server.logged().filter(({ event }) => /not_used|unknown_code|lost/.test(String(event)))
    assert.deepEqual(told, [])
  })

  test('theirs cannot be written over a connection of the service, and no file is left beside ours', () => {
    const { sqlite } = openPos(inData('pos.db'), 0)
    try {
      for (const statement of ['DELETE FROM pos.magasin', 'CREATE TABLE pos.x (y)', 'CREATE TABLE main.x (y)'])
        assert.throws(() => sqlite.exec(statement), /readonly|read-only/)
      assert.throws(() => sqlite.exec('DELETE FROM stores'), /view/)
      // Nor may it be attached otherwise.
      assert.throws(() => sqlite.exec(`ATTACH 'file:${inData('caisse.db')}?mode=rw' AS other`), /not allowed/)
    } finally {
      sqlite.close()
    }
    assert.deepEqual(
      readdirSync(server.data).filter((name) => name.startsWith('pos.db')),
      ['pos.db'],
    )
  })

  test('theirs taken away: 503, and served again once it is back', async () => {
    renameSync(inData('caisse.db'), inData('away.db'))
    await shows(503)
    assert.equal((await server.ask('/status')).status, 200)
    renameSync(inData('away.db'), inData('caisse.db'))
    await shows('Main')
    for (const name of ['database_lost', 'database_back'])
      await until(`${name} is logged`, () => server.logged().some(({ event }) => event === name))
  })

  test('theirs replaced by another: shown at once', async () => {
    tills.close()
    for (const suffix of ['-wal', '-shm']) rmSync(inData(`caisse.db${suffix}`), { force: true })
    tills = makeCaisse(inData('next.db'), company('Other'))
    // Without a log beside it, so that it can be locked as a whole.
    tills.exec('PRAGMA journal_mode = DELETE')
    tills.close()
    renameSync(inData('next.db'), inData('caisse.db'))
    assert.equal(await storeName(), 'Other')
    tills = openSqlite(inData('caisse.db'))
  })

  test('theirs locked as a whole: 503 in time, and served again', async () => {
    tills.exec('BEGIN EXCLUSIVE')
    await shows(503)
    tills.exec('COMMIT')
    await shows('Other')
  })

  test('a table of theirs changes its shape: what reads it is refused, the rest goes on, and it comes back', async () => {
    tills.exec('ALTER TABLE fournisseur RENAME COLUMN site TO site_web')
    assert.equal((await ask('/vendors')).status, 503)
    assert.equal(await storeName(), 'Other')
    assert.match(
      checkSqliteFile(inData('pos.db')).join('\n'),
      /The view vendors .* cannot be read: no such column: f\.site\./,
    )
    tills.exec('ALTER TABLE fournisseur RENAME COLUMN site_web TO site')
    assert.equal((await ask('/vendors')).status, 200)
  })

  test('views made anew are used at once, without a restart; theirs may have tables of our names', async () => {
    tills.exec(`CREATE TABLE stores (name TEXT); INSERT INTO stores VALUES ('New')`)
    writeFileSync(inData('new.sql'), views.replace('m.nom AS name', '(SELECT s.name FROM pos.stores s) AS name'))
    const done = await server.runProcess('views', 'apply', 'new.sql', '--pos', 'caisse.db')
    assert.equal(done.status, 0, done.stderr)
    assert.equal(await storeName(), 'New')
  })

  test('a view that takes too long is stopped, and others are served meanwhile', async () => {
    const slow =
      'FROM pos.fournisseur f, (WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n) SELECT n FROM n) n'
    writeFileSync(
      inData('slow.sql'),
      views.replace('FROM pos.fournisseur f', slow).replace(/f\.no AS id(?=[^;]+contact)/, 'n.n AS id'),
    )
    assert.equal((await server.runProcess('views', 'apply', 'slow.sql', '--pos', 'caisse.db')).status, 0)
    const late = ask('/vendors')
    assert.equal((await ask('/products')).status, 200)
    assert.equal((await late).status, 503)
    await until('it is told', async () => server.logged().some(({ event }) => event === 'statement_stopped'))
    assert.equal((await server.runProcess('views', 'apply', viewsFile, '--pos', 'caisse.db')).status, 0)
    await until('it is served again', async () => (await ask('/vendors')).status === 200)
  })

  test('a view that computes for ever without a row is ended, too: tills without a log can write, and a stop is a stop', async () => {
    const endless =
      'FROM pos.fournisseur f WHERE (WITH RECURSIVE n (n) AS (SELECT f.no UNION ALL SELECT n + 1 FROM n WHERE n < 1e12) SELECT max(n) FROM n) > 0'
    const other = await startServer({
      prepare: async (folder) => {
        const theirs = makeCaisse(join(folder, 'caisse.db'), company('Main'))
        // In this mode readers block writers.
        theirs.exec('PRAGMA journal_mode = DELETE')
        theirs.close()
        writeFileSync(join(folder, 'endless.sql'), views.replace('FROM pos.fournisseur f', endless))
        const words = ['views', 'apply', 'endless.sql', '--pos', 'caisse.db']
        const done = await runVitrine(words, { VITRINE_DATA_DIR: folder }, folder)
        assert.equal(done.status, 0, done.stderr)
      },
      settings: { VITRINE_STATEMENT_TIMEOUT_MS: '700', VITRINE_READERS: '2' },
    })
    const theirs = openSqlite(join(other.data, 'caisse.db'))
    try {
      const own = await other.token()
      const write = (name: string) => theirs.prepare('UPDATE magasin SET nom = ?').run(name)
      assert.equal((await other.ask('/vendors', { token: own })).status, 503)
      write('After')
      await until('it shows what was written', async () => {
        const { status, body } = await other.ask('/stores', { token: own })
        return status === 200 && body.data[0].name === 'After'
      })
      // One reader is still busy when the service is told to stop.
      const asked: Promise<unknown>[] = []
      await until('a reader is busy', async () => {
        asked.push(other.ask('/vendors', { token: own }).catch(() => undefined))
        const { text } = await other.askConsole('/metrics')
        return /^vitrine_readers_busy [1-9]/m.test(text)
      })
      await other.stop()
      await Promise.all(asked)
      write('At the end')
    } finally {
      theirs.close()
      await other.remove()
    }
  })

  test('nothing can be made in a file of views', async () => {
    const before = readFileSync(inData('pos.db'))
    const { status, stderr } = await server.run('schema', 'apply')
    assert.equal(status, 2)
    assert.match(stderr, /shows another file through views/)
    assert.equal((await server.run('demo')).status, 2)
    assert.deepEqual(readFileSync(inData('pos.db')), before)
  })
})
