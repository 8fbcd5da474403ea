// A POS of another shape in PostgreSQL, or reachable from it through a foreign data wrapper: the service reads the views and may
// read nothing else; what is printed runs as it stands; and columns of the wrong type are reported with a remedy.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Access } from '../../src/catalogue/access.ts'
import { isArray } from '../../src/catalogue/field.ts'
import { resources } from '../../src/catalogue/resources/index.ts'
import { relations } from '../../src/contract/relations.ts'
import { databaseProblems } from '../../src/engine/open.ts'
import { parsePostgresUrl } from '../../src/platform/postgres/url.ts'
import { connectPostgres } from '../../src/platform/postgres/connection.ts'
import { sessionSetUp } from '../../src/platform/postgres/session.ts'
import { recordsStatement } from '../../src/sql/records.ts'
import { tableStatements } from '../../src/sql/schema.ts'
import { postgres as dialect } from '../../src/sql/postgres.ts'
import { viewStatements } from '../../src/operate/views/print.ts'
import { caisseTables, caisseViews } from '../support/caisse/scripts.ts'
import { dropDatabases, makeDatabase, type Database, type Role } from '../support/database.ts'
import { runVitrine, startServer, until, type Server } from '../support/process.ts'

let database: Database
let reader: Role
before(async () => {
  database = await makeDatabase()
  reader = await database.makeRole()
})
after(dropDatabases)

const serveAt = (url: string) =>
  startServer({ settings: { VITRINE_DATABASE_URL: url, VITRINE_STATE_URL: 'sqlite:state.db', VITRINE_READERS: '2' } })
async function problemsAt(url: string): Promise<string[]> {
  const parsed = parsePostgresUrl(url, 'public', '/')
  assert('value' in parsed)
  return databaseProblems(parsed.value)
}

test('what is printed, as it stands, makes a company without any data, and can be run again', async () => {
  const { status, stdout } = await runVitrine(['views', 'print', '--dialect', 'postgres'])
  assert.equal(status, 0)
  const named = stdout.replaceAll('vitrine_reader', reader.name)
  await database.query(stdout)
  // Filled in as the page advises: one view reads another. Views that are made again can be read as before.
  const filled = named.replace(
    /(CREATE VIEW "invoices_archive" AS\n)SELECT[^]*?;\n/,
    '$1SELECT * FROM invoices WHERE false;\n',
  )
  assert.notEqual(filled, named)
  for (let times = 0; times < 2; times += 1) await database.query(filled)
  const server = await serveAt(database.at('vitrine_views', reader))
  try {
    const token = await server.token()
    for (const { name } of resources) {
      const { body } = await server.ask(`/${name}`, { token })
      assert.deepEqual([name, body.data, body.meta?.total], [name, [], 0])
    }
  } finally {
    await server.remove()
  }
})

const asked = { 'a record': 77, 'the records of a page': dialect.integerList([3, 77, 5010]) }

// What the far server is asked for invoices with these ids: in a plan for these values, and in a plan for any. With the settings of
// the service's sessions.
async function remoteStatements(url: string, ids: number | string): Promise<string[][]> {
  const parsed = parsePostgresUrl(url, 'public', '/')
  const resource = resources.find(({ name }) => name === 'invoices')
  assert('value' in parsed && resource)
  const setUp = sessionSetUp(parsed.value, { timeoutMs: 30_000, isReadOnly: true })
  const connection = await connectPostgres(parsed.value, { timeoutMs: 30_000, setUp })
  try {
    assert.deepEqual(await connection.rows('SHOW plan_cache_mode'), [['auto']])
    const scalars = resource.fields.filter((field) => !isArray(field))
    const access: Access = { permissions: [], stores: null, priceList: null }
    const { text, values } = recordsStatement(dialect, resource, scalars, { access, conditions: [], ids })
    await connection.script(`PREPARE asked AS ${text}`)
    const found: string[][] = []
    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      await connection.script(`SET plan_cache_mode = ${mode}`)
      const given = values.map((value) => `'${value}'`).join(', ')
      const plan = await connection.rows(`EXPLAIN (VERBOSE, COSTS OFF) EXECUTE asked(${given})`)
      found.push(
        plan.map(String).filter((line) => /Remote SQL: .* FROM \w+\.(invoices|invoices_archive|vente)( |$)/.test(line)),
      )
    }
    return found
  } finally {
    await connection.close()
  }
}

describe('a POS behind a foreign data wrapper', () => {
  let server: Server
  let token = ''
  let far: Database
  before(async () => {
    far = await makeDatabase()
    await far.query(`CREATE SCHEMA caisse; ${caisseTables('caisse')};
      INSERT INTO caisse.article (no, code, nom, nature, supprime, vente_ct, modifie_le)
        VALUES (1, 'A1', 'Riz', 'S', 0, 1005, '2026-03-04 05:06:07'), (2, 'A2', 'Lwil', 'Z', 1, NULL, '0000-00-00 00:00:00');
      INSERT INTO caisse.tarif VALUES (1, 'D', 'Detail'), (2, 'G', 'Gros');
      INSERT INTO caisse.article_prix (article, vente_2_ct) VALUES (1, 950);
      INSERT INTO caisse.vente (no, nature, numero, etat, total_ct, soldee, date_piece)
        SELECT n, 'F', 'F' || n, CASE n % 10 WHEN 0 THEN 'X' ELSE 'V' END, n * 100 + 1, 'O', '2026-03-04 05:06:07' FROM generate_series(1, 300) n`)
    const { hostname, port, username, password } = new URL(far.url)
    await database.query(`CREATE EXTENSION postgres_fdw; CREATE SCHEMA caisse;
      CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '${hostname}', port '${port}', dbname '${far.name}');
      CREATE USER MAPPING FOR CURRENT_USER SERVER far OPTIONS (user '${username}', password '${decodeURIComponent(password)}');
      IMPORT FOREIGN SCHEMA caisse FROM SERVER far INTO caisse`)
    await database.query(caisseViews('caisse', 'through', reader.name))
    server = await serveAt(database.at('through', reader))
    token = await server.token()
  })
  after(() => server.remove())
  const ask = async (target: string) => (await server.ask(target, { token })).body

  test('is served through the views, exact and complete', async () => {
    for (const { name } of resources) assert.ok((await ask(`/${name}`)).meta, name)
    const { data } = await ask('/products/1')
    assert.deepEqual(
      [data.name, data.type, data.status, data.price, data.updated_at, data.price_lists],
      [
        'Riz',
        'inventory',
        'active',
        10.05,
        '2026-03-04T05:06:07',
        [
          { price_list_id: 1, price: 0, second_unit_price: 0 },
          { price_list_id: 2, price: 9.5, second_unit_price: 0 },
        ],
      ],
    )
    const { data: other } = await ask('/products/2')
    assert.deepEqual([other.type, other.status, other.updated_at], [null, 'inactive', null])
    const { data: page, meta } = await ask('/invoices?sort=-total&per_page=2&page=2&status=regular')
    assert.deepEqual([meta.total, page.map(({ total }: { total: number }) => total)], [270, [297.01, 296.01]])
    assert.equal((await ask('/invoices/10')).data.total, 0)
  })

  for (const [what, ids] of Object.entries(asked))
    test(`${what}: the ids are sent through the views to the far server`, async () => {
      for (const remote of await remoteStatements(database.at('through', reader), ids)) {
        assert.equal(remote.length, 1, remote.join('\n'))
        assert.match(remote[0] ?? '', / FROM caisse\.vente WHERE \(\(no = (ANY|\d|\$)/)
      }
    })

  test('a letter that the views do not name is told of', async () => {
    const told = await until('it is logged', () => {
      const found = server.logged().filter(({ event }) => event === 'unknown_code')
      return found.length > 0 ? found : undefined
    })
    assert.deepEqual(
      told.map(({ column, code }) => [column, code]),
      [['products.kind', '90']],
    )
  })

  test('views that are made anew, also with other types, are used without a restart', async () => {
    const script = caisseViews('caisse', 'through', reader.name)
    for (const changed of [script, script.replaceAll('a.nom AS name', `CAST('New' AS varchar) AS name`), script]) {
      await database.query(changed)
      const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(() => server.ask('/products/1', { token })))
      const name = changed === script ? 'Riz' : 'New'
      assert.deepEqual(
        answers.map(({ status, body }) => [status, body.data?.name]),
        answers.map(() => [200, name]),
      )
    }
  })

  test('statements are planned for their values each time: some wrappers cannot send values that a plan does not know', async () => {
    const script = caisseViews('caisse', 'through', reader.name)
    await database.query(script.replaceAll('a.nom AS name', `current_setting('plan_cache_mode') AS name`))
    assert.equal((await ask('/products/1')).data.name, 'force_custom_plan')
    await database.query(script)
  })

  test('a materialized view takes the place of a view', async () => {
    const [definition] = await database.query(`SELECT pg_get_viewdef('through.invoices'::regclass) AS text`)
    await database.query(`SET search_path TO through, caisse; DROP VIEW invoices_archive, invoices;
      CREATE MATERIALIZED VIEW invoices AS ${definition?.['text']}; CREATE UNIQUE INDEX ON invoices (id);
      CREATE VIEW invoices_archive AS SELECT * FROM invoices WHERE false;
      GRANT SELECT ON invoices, invoices_archive TO ${reader.name}; RESET search_path`)
    await far.query('UPDATE caisse.vente SET total_ct = 5 WHERE no = 1')
    assert.equal((await ask('/invoices/1')).data.total, 1.01)
    await database.query('REFRESH MATERIALIZED VIEW CONCURRENTLY through.invoices')
    assert.equal((await ask('/invoices/1')).data.total, 0.05)
    assert.equal((await ask('/invoices?search=F29')).meta.total, 11)
  })

  test('the role of the service can read the views, and nothing behind them', async () => {
    const session = await database.connect(reader)
    try {
      assert.equal((await session.query('SELECT id FROM through.products')).length, 2)
      await assert.rejects(session.query('SELECT no FROM caisse.article'), /permission denied/)
      await assert.rejects(session.query(`UPDATE through.stores SET name = 'x'`), /permission denied/)
    } finally {
      await session.end()
    }
  })
})

describe('the relations themselves behind a foreign data wrapper', () => {
  let server: Server
  let token = ''
  let near: Database
  let own: Role
  before(async () => {
    const far = await makeDatabase()
    near = await makeDatabase()
    own = await near.makeRole()
    const over = await far.makeRole()
    const numbers = 'FROM generate_series(1, 5000) n'
    await far.query(`${tableStatements(dialect).join(';')};
      INSERT INTO stores (id, name) VALUES (1, 'One'), (2, 'Two');
      INSERT INTO invoices (id, kind, status, number, total, store_id) SELECT n, 1, 3, 'F' || n, n + 0.01, n % 2 + 1 ${numbers};
      INSERT INTO invoices_archive (id, kind, status, number, total, store_id)
        SELECT n + 4990, 1, 3, 'A' || n, 0.05, 1 FROM generate_series(1, 20) n;
      INSERT INTO invoice_lines (id, invoice_id, name, quantity) SELECT n, n / 2, 'Line ' || n, 1 ${numbers};
      GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${over.name}; ANALYZE`)
    const { hostname, port } = new URL(far.url)
    await near.query(`CREATE EXTENSION postgres_fdw; CREATE SCHEMA pos;
      CREATE SERVER pos FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '${hostname}', port '${port}', dbname '${far.name}');
      CREATE USER MAPPING FOR CURRENT_USER SERVER pos OPTIONS (user '${over.name}', password '${over.password}');
      CREATE USER MAPPING FOR ${own.name} SERVER pos OPTIONS (user '${over.name}', password '${over.password}');
      IMPORT FOREIGN SCHEMA public FROM SERVER pos INTO pos;
      GRANT USAGE ON SCHEMA pos TO ${own.name}; GRANT SELECT ON ALL TABLES IN SCHEMA pos TO ${own.name}`)
    server = await serveAt(near.at('pos', own))
    token = await server.token()
  })
  after(() => server.remove())

  test('are served, record by record, in lists, and the archive with them', async () => {
    const ask = async (path: string) => (await server.ask(path, { token })).body
    for (let times = 0; times < 8; times += 1) {
      const { data } = await ask(`/invoices/${4000 + times}`)
      assert.deepEqual([data.total, data.lines?.length ?? 0], [4000.01 + times, 0])
    }
    const { data } = await ask('/invoices/77')
    assert.deepEqual(
      data.lines.map(({ name }: { name: string }) => name),
      ['Line 154', 'Line 155'],
    )
    // Ten of the archive have the id of a recent one.
    const { data: page, meta } = await ask('/invoices?sort=-id&per_page=12')
    assert.equal(meta.total, 5010)
    assert.deepEqual(
      page.map(({ number }: { number: string }) => number),
      [...Array.from({ length: 10 }, (_, at) => `A${20 - at}`), 'F5000', 'F4999'],
    )
    const only = await server.token('--stores', '2')
    assert.equal((await server.ask('/invoices', { token: only })).body.meta.total, 2500)
  })

  for (const [what, ids] of Object.entries(asked))
    test(`${what}: the ids are sent to the far server`, async () => {
      for (const remote of await remoteStatements(near.at('pos', own), ids)) {
        // The recent ones, the archived ones, and the recent ones again: is an archived one among them?
        assert.equal(remote.length, 3, remote.join('\n'))
        for (const line of remote) assert.match(line, / FROM public\.invoices(_archive)? WHERE \(\(id = (ANY|\d|\$)/)
      }
    })
})

test('columns of other types are read where that changes nothing; else it is said what makes them right', async () => {
  await database.query('CREATE SCHEMA odd')
  const odd: Readonly<Record<string, string>> = {
    'stores.id': 'numeric',
    'stores.code': 'char(4)',
    'stores.is_headquarters': 'smallint',
    'departments.id': 'smallint',
    'departments.name': 'varchar(80)',
    'vendors.updated_at': 'timestamptz',
    'vendors.created_at': 'text',
    'products.price': 'money',
    'products.cost': 'double precision',
    'products.reorder_point': 'integer',
    'receivings.receipt_date': 'timestamp',
  }
  const script = viewStatements('postgres', relations, 'odd').map((statement) => {
    const name = /CREATE VIEW "(\w+)"/.exec(statement)?.[1]
    return statement.replaceAll(/NULL AS \w+\) AS "(\w+)"/g, (whole, column: string) =>
      odd[`${name}.${column}`] ? `NULL AS ${odd[`${name}.${column}`]}) AS "${column}"` : whole,
    )
  })
  await database.query(script.join(';'))
  const problems = await problemsAt(database.at('odd'))
  const wanted = [
    /^stores\.id .* is numeric: it must be int8.* CAST\(your_column AS bigint\) is\.$/,
    /^stores\.code .* is bpchar: .* CAST\(your_column AS text\) is\.$/,
    /^stores\.is_headquarters .* is int2: .* CAST\(your_column AS boolean\) is\.$/,
    /^vendors\.created_at .* is text: .* CAST\(your_column AS timestamp\) is\.$/,
    /^vendors\.updated_at .* is timestamptz: .* your_column AT TIME ZONE 'your\/zone' is\.$/,
    /^products\.price .* is money: .* CAST\(your_column AS numeric\) is\.$/,
    /^receivings\.receipt_date .* is timestamp: .* CAST\(your_column AS date\) is\.$/,
  ]
  for (const [at, says] of wanted.entries()) assert.match(problems[at] ?? '', says)
  assert.equal(problems.length, wanted.length, problems.join('\n'))
})
