// Copies the types that real schemas have, exactly: of MariaDB, PostgreSQL and SQLite. And how a source refuses, waits or is away.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { parsePostgresUrl } from '../../src/platform/postgres/url.ts'
import { makeTarget, type Target } from '../support/imported.ts'
import { makeCopier, makeSource, type CopySource } from '../support/copied.ts'
import { mariadbZone, noMariadb, startMariadb, type MariadbServer } from '../support/mariadb-server.ts'
import { urlWith } from '../support/own-company.ts'
import { dropSchemas } from '../support/postgres.ts'
import { cleanEnvironment, program, startProcess, temporaryFolder, until } from '../support/process.ts'
import { startProxy } from '../support/silent-proxy.ts'

let mariadb: MariadbServer | undefined
before(async () => {
  if (!noMariadb) mariadb = await startMariadb()
})
after(async () => {
  await mariadb?.remove()
  await dropSchemas()
})

// The type of a column and what is stored in it; the column of the copy, and what that then holds.
type Case = readonly [name: string, column: string, stored: string, as: string, copied: unknown]

const [price, active, created, named] = ['products.price', 'products.active', 'products.created_at', 'products.name']
const day = 'receivings.receipt_date'
const large = '1234567890123456.7891'
const [text, winter, summer] = ['varchar(20)', '2026-01-02T02:04:05', '2026-07-02T01:24:05']

const cases: Readonly<Record<CopySource['engine'], readonly Case[]>> = {
  mysql: [
    ['a large exact decimal', 'decimal(20,4)', large, price, large],
    ['a double', 'double', '0.1e0 + 0.2e0', price, '0.3'],
    ['a negative double', 'double', '-1.0000004e0', price, '-1'],
    ['an unsigned integer', 'int unsigned', '4294967295', 'products.vendor_id', '4294967295'],
    ['TINYINT(1), true', 'tinyint(1)', '1', active, true],
    ['TINYINT(1), another number', 'tinyint(1)', '-1', active, true],
    ['TINYINT(1), false', 'tinyint(1)', '0', active, false],
    ['BIT(1)', 'bit(1)', "b'1'", active, true],
    ['BIT(1), false', 'bit(1)', "b'0'", active, false],
    ['DATETIME with fractions', 'datetime(3)', "'2026-01-02 03:04:05.678'", created, '2026-01-02T03:04:05'],
    ['DATE', 'date', "'2026-01-02'", created, '2026-01-02T00:00:00'],
    ['a zero date', 'datetime', "'0000-00-00 00:00:00'", created, null],
    ['a date without a day', 'date', "'2026-01-00'", created, null],
    ['a date without a month', 'date', "'2026-00-00'", day, null],
    // The server stores UTC.
    ['TIMESTAMP in winter', 'timestamp NULL', 'from_unixtime(1767337445)', created, winter],
    ['TIMESTAMP in summer', 'timestamp NULL', 'from_unixtime(1782969845)', created, summer],
    ['latin1', `${text} CHARACTER SET latin1`, "'Crème brûlée €'", named, 'Crème brûlée €'],
    ['utf8mb4', `${text} CHARACTER SET utf8mb4`, "'Riz 🍚 — 米'", named, 'Riz 🍚 — 米'],
    ['TEXT', 'mediumtext', "repeat('é', 70000)", 'products.description', 'é'.repeat(70000)],
    ['an empty text', text, "''", named, ''],
    ['ENUM', "enum('a', 'b')", "'b'", 'products.size', 'b'],
    ['nothing', text, 'NULL', named, null],
  ],
  postgres: [
    ['a large exact numeric', 'numeric', large, price, large],
    ['double precision', 'double precision', '0.1::float8 + 0.2::float8', price, '0.3'],
    ['real', 'real', '12.1', price, '12.1'],
    ['boolean', 'boolean', 'true', active, true],
    ['timestamp with fractions', 'timestamp', "'2026-01-02 03:04:05.678'", created, '2026-01-02T03:04:05'],
    ['timestamptz in winter', 'timestamptz', 'to_timestamp(1767337445)', created, winter],
    ['timestamptz in summer', 'timestamptz', 'to_timestamp(1782969845.5)', created, summer],
    ['char(n)', 'char(20)', "'Riz'", named, 'Riz'],
    ['date', 'date', "'2026-01-02'", day, '2026-01-02'],
  ],
  sqlite: [
    ['a REAL', 'REAL', '0.1 + 0.2', price, '0.3'],
    ['a text with a number', 'TEXT', "'12.50'", price, '12.50'],
    ['a time as text', 'TEXT', "'2026-01-02 03:04:05'", created, '2026-01-02T03:04:05'],
    ['an empty time', 'TEXT', "''", created, null],
  ],
}

const double = { sqlite: 'REAL', postgres: 'double precision', mysql: 'double' }

for (const engine of ['mysql', 'postgres', 'sqlite'] as const)
  describe(`types of ${engine}`, { skip: engine === 'mysql' && noMariadb }, () => {
    let source: CopySource
    let target: Target
    let copier: ReturnType<typeof makeCopier>
    before(async () => {
      source = await makeSource(engine, mariadb)
      // PostgreSQL keeps every digit.
      target = await makeTarget('postgres')
      // Each test has views of its own.
      copier = makeCopier(source, target.url, { acceptsLoss: true })
    })
    after(async () => {
      copier.remove()
      await target.remove()
      await source.remove()
    })

    for (const [at, [name, column, stored, as, copied]] of cases[engine].entries())
      test(name, async () => {
        const [relation = '', field = ''] = as.split('.')
        const lax = engine === 'mysql' ? "SET sql_mode = '';" : ''
        await source.script(
          `${lax} CREATE TABLE t${at} (id integer, v ${column}); INSERT INTO t${at} VALUES (1, ${stored})`,
        )
        copier.write(`CREATE VIEW ${relation} AS SELECT id, v AS ${field} FROM t${at};`)
        await copier.copy()
        const asText = typeof copied === 'string' && /^-?[\d.]+$/.test(copied) ? '::text' : ''
        const [[cell] = []] = await target.rows(`SELECT ${field}${asText} FROM ${relation}`)
        assert.deepEqual(cell, typeof copied === 'boolean' ? Number(copied) : copied)
      })

    const remembered = async () =>
      JSON.parse(
        String((await target.rows(`SELECT value FROM vitrine_copy_marks WHERE name = 'rounded'`))[0]?.[0]),
      ) as unknown

    test('floating-point numbers that cannot be copied exactly are named, until a whole round finds none', async () => {
      const third = { sqlite: '1.0 / 3', postgres: '1.0::float8 / 3', mysql: '1e0 / 3' }[engine]
      await source.script(`CREATE TABLE doubles (id integer, v ${double[engine]}, w ${double[engine]});
        INSERT INTO doubles VALUES (1, 0.1e0 + 0.2e0, 5), (2, ${third}, NULL), (3, 2 * (${third}), 12.34), (4, 1e15, 0.5)`)
      copier.write('CREATE VIEW products AS SELECT id, v AS price, w AS cost FROM doubles;')
      const found = [{ relation: 'products', column: 'price', count: 3, from: '0.3333333333333333', to: '0.333333' }]
      assert.deepEqual((await copier.copy()).rounded, found)
      assert.deepEqual(await remembered(), found)
      assert.deepEqual(await target.rows('SELECT price::text FROM products ORDER BY id'), [
        ['0.3'],
        ['0.333333'],
        ['0.666667'],
        ['1000000000000000'],
      ])
      await source.script('DELETE FROM doubles WHERE id > 1')
      const quick = await copier.copy()
      assert.deepEqual([quick.is_whole, quick.rounded], [false, []])
      assert.deepEqual(await remembered(), found)
      copier.clock.advance(2 * 3_600_000)
      await copier.copy()
      assert.deepEqual(await remembered(), [])
    })

    test('singles that are too large for cents are named', { skip: engine === 'sqlite' }, async () => {
      const [type, small, large] = engine === 'mysql' ? ['float', 9999.99, 10_000.25] : ['real', 131_071.99, 131_072.2]
      await source.script(
        `CREATE TABLE singles (id integer, v ${type}); INSERT INTO singles VALUES (1, ${small}), (2, ${large})`,
      )
      copier.write('CREATE VIEW products AS SELECT id, v AS price FROM singles;')
      const { rounded } = await copier.copy()
      assert.deepEqual(
        rounded.map(({ column, count }) => [column, count]),
        [['price', 1]],
      )
    })
  })

describe('keys of MariaDB', { skip: noMariadb }, () => {
  let source: CopySource
  let target: Target
  let copier: ReturnType<typeof makeCopier>
  before(async () => {
    source = await makeSource('mysql', mariadb)
    target = await makeTarget('sqlite')
    // Each test has views of its own.
    copier = makeCopier(source, target.url, { acceptsLoss: true })
  })
  after(async () => {
    copier.remove()
    await target.remove()
    await source.remove()
  })
  const names = () =>
    target.rows(
      'SELECT i.number, p.name FROM invoice_lines l JOIN invoices i ON i.id = l.invoice_id JOIN products p ON p.id = l.product_id ORDER BY 1',
    )

  test('bytes, a UUID, and texts that differ in case only, as their collation has it', async () => {
    await source.script(`
      CREATE TABLE item (code varchar(10) PRIMARY KEY, label varchar(10)) COLLATE utf8mb4_general_ci;
      CREATE TABLE sale (id binary(16) PRIMARY KEY, no integer, changed datetime);
      CREATE TABLE line (id uuid PRIMARY KEY, sale binary(16), item varchar(10)) COLLATE utf8mb4_general_ci;
      INSERT INTO item VALUES ('Riz', 'rice'), ('SEL', 'salt');
      INSERT INTO sale VALUES (unhex('00112233445566778899aabbccddeeff'), 1, '2026-05-06 01:00:00'), (unhex('5c27112233445566778899aabbccdd00'), 2, '2026-01-01 01:00:00');
      INSERT INTO line VALUES (uuid(), unhex('00112233445566778899aabbccddeeff'), 'RIZ'), (uuid(), unhex('5c27112233445566778899aabbccdd00'), 'sel ')`)
    copier.write(`
      CREATE VIEW products AS SELECT code AS id, label AS name FROM item;
      CREATE VIEW invoices AS SELECT id, no AS number, changed AS updated_at FROM sale;
      CREATE VIEW invoice_lines AS SELECT id, sale AS invoice_id, item AS product_id FROM line;`)
    await copier.copy()
    assert.deepEqual(await names(), [
      ['1', 'rice'],
      ['2', 'salt'],
    ])
  })

  test('lines are read with a sale whose key is bytes', async () => {
    await source.script(`UPDATE line SET item = 'SEL'`)
    const { relations } = await copier.copy()
    assert.deepEqual(
      relations.map(({ how, read, changed }) => [how, read, changed]),
      [
        ['whole', 2, 0],
        ['since 2026-05-05 23:50:00', 1, 0],
        ['with invoices', 1, 1],
      ],
    )
    assert.deepEqual(await names(), [
      ['1', 'salt'],
      ['2', 'salt'],
    ])
  })

  test('the session can only read, and sees one snapshot', async () => {
    await source.script('CREATE TABLE written (id integer); INSERT INTO written VALUES (1)')
    await mariadb?.ask(`GRANT ALL ON *.* TO vitrine_reader@'%'`)
    await mariadb?.ask(
      `CREATE FUNCTION ${(source.url as { database: string }).database}.wrote() RETURNS integer MODIFIES SQL DATA BEGIN INSERT INTO written VALUES (2); RETURN 2; END`,
    )
    copier.write('CREATE VIEW stores AS SELECT wrote() AS id;')
    await assert.rejects(
      copier.copy(),
      /stores: The SELECT failed: Cannot execute statement in a READ ONLY transaction/,
    )
    copier.write(`
      CREATE VIEW stores AS SELECT id FROM written WHERE sleep(1) = 0;
      CREATE VIEW departments AS SELECT id FROM written;`)
    const copying = copier.copy()
    const sleeping =
      'SELECT 1 FROM information_schema.processlist WHERE info LIKE "%sleep(1)%" AND id <> connection_id()'
    await until('the copy reads', async () => ((await mariadb?.ask(sleeping)) ?? []).length > 0)
    await source.script('INSERT INTO written VALUES (3), (4), (5), (6), (7), (8)')
    const { relations } = await copying
    assert.deepEqual(
      relations.filter(({ read }) => read > 0).map(({ relation, read }) => [relation, read]),
      [
        ['stores', 1],
        ['departments', 1],
      ],
    )
  })

  test('a statement that takes too long is stopped by the server', async () => {
    copier.write('CREATE VIEW stores AS SELECT sleep(60) + 1 AS id;')
    const startedAt = performance.now()
    await assert.rejects(copier.copy({ timeoutMs: 1000 }), {
      message: 'stores: The SELECT failed: it took longer than 1 s.',
    })
    assert(performance.now() - startedAt < 30_000)
  })

  // The server notices only after seconds that a client is gone, so each test has a SELECT of its own.
  const writeSleeping = (select: string) => {
    copier.write(`CREATE VIEW stores AS ${select} AS id;`)
    const sleeping = `SELECT id FROM information_schema.processlist WHERE info LIKE '%${select}%' AND id <> connection_id()`
    return () => until('the copy reads', async () => (((await mariadb?.ask(sleeping)) ?? []) as number[][])[0]?.[0])
  }

  test('a connection that is lost in the middle of a SELECT fails the copy', async () => {
    const untilSleeping = writeSleeping('SELECT sleep(60) + 2')
    const copying = assert.rejects(copier.copy(), /The source at .* cannot be used: .*[Cc]onnection/)
    await mariadb?.ask(`KILL ${await untilSleeping()}`)
    await copying
  })

  test('a copy that is interrupted ends at once, whatever the server does', async () => {
    const untilSleeping = writeSleeping('SELECT sleep(60) + 3')
    const control = new AbortController()
    const copying = assert.rejects(copier.copy({ signal: control.signal }), /enough/)
    await untilSleeping()
    const startedAt = performance.now()
    control.abort(new Error('enough'))
    await copying
    assert(performance.now() - startedAt < 30_000)
  })

  test('a server that freezes in the middle of a round is given up soon after the timeout', async () => {
    copier.write(`
      CREATE VIEW stores AS SELECT 1 AS id;
      CREATE VIEW departments AS SELECT 1 AS id;`)
    const freezing = {
      timeoutMs: 1000,
      onProgress({ what }: { readonly what: string }) {
        if (what.includes('departments')) mariadb?.freeze()
      },
    }
    try {
      await assert.rejects(copier.copy(freezing), {
        message: /^The source at 127\.0\.0\.1:\d+ cannot be used: it does not answer any more\.$/,
      })
    } finally {
      mariadb?.thaw()
    }
    await assert.doesNotReject(copier.copy())
  })

  test('a command that waits for a frozen server ends with the first signal', async () => {
    const untilSleeping = writeSleeping('SELECT sleep(60) + 4')
    const folder = temporaryFolder()
    const words = [program, 'copy', '--from', source.address, '--views', copier.viewsFile]
    const settings = { VITRINE_DATA_DIR: folder, VITRINE_TIME_ZONE: mariadbZone }
    const { child, stderr, ended } = startProcess(process.execPath, words, {
      cwd: folder,
      env: cleanEnvironment(settings),
    })
    try {
      await untilSleeping()
      mariadb?.freeze()
      child.kill('SIGTERM')
      assert.equal((await ended).status, 1)
      assert.match(stderr(), /Interrupted: nothing was changed\./)
    } finally {
      mariadb?.thaw()
      child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test('a zone that the server does not know: said, unless the URL names one', async () => {
    copier.write('CREATE VIEW stores AS SELECT id FROM written;')
    await assert.rejects(copier.copy({ timeZone: 'Asia/Tokyo' }), /does not know the time zone Asia\/Tokyo/)
    await assert.doesNotReject(
      copier.copy({ timeZone: 'Asia/Tokyo', from: { ...source.url, timeZone: 'SYSTEM' } as never }),
    )
  })

  test('a server that is away is named, and the copy stays', async () => {
    const held = await target.rows('SELECT count(*) FROM stores')
    await mariadb?.stop()
    await assert.rejects(
      copier.copy(),
      /^OperatorError: The source at 127\.0\.0\.1:\d+ cannot be used: |^Error: The source at/,
    )
    assert.deepEqual(await target.rows('SELECT count(*) FROM stores'), held)
    await mariadb?.start()
    await copier.copy()
  })
})

test('a PostgreSQL server that falls silent: given up soon after the timeout, and at once if interrupted', async () => {
  const source = await makeSource('postgres')
  const target = await makeTarget('sqlite')
  const { proxy, url } = await proxyTo(source.address)
  const copier = makeCopier(source, target.url, { from: url })
  try {
    copier.write('CREATE VIEW stores AS SELECT 1 AS id; CREATE VIEW departments AS SELECT 1 AS id')
    const silenced = (then = () => {}) => ({
      timeoutMs: 1000,
      onProgress({ what }: { readonly what: string }) {
        if (!what.includes('departments')) return
        proxy.silence()
        setImmediate(then)
      },
    })
    await assert.rejects(copier.copy(silenced()), {
      message: /^PostgreSQL at 127\.0\.0\.1:\d+ \(the source\) cannot be used: it does not answer any more\.$/,
    })
    const control = new AbortController()
    await assert.rejects(
      copier.copy({ ...silenced(() => control.abort()), timeoutMs: 600_000, signal: control.signal }),
    )
    await assert.doesNotReject(copier.copy())
  } finally {
    copier.remove()
    await proxy.close()
    await target.remove()
    await source.remove()
  }
})

test('a PostgreSQL server that falls silent while the copy is written: given up soon after the timeout', async () => {
  const source = await makeSource('sqlite')
  const target = await makeTarget('postgres')
  const { proxy, url } = await proxyTo(target.address)
  const copier = makeCopier(source, url)
  try {
    copier.write('CREATE VIEW stores AS SELECT 1 AS id')
    await assert.rejects(copier.copy({ timeoutMs: 1000, onProgress: () => proxy.silence() }), {
      message:
        /^PostgreSQL at 127\.0\.0\.1:\d+ \(VITRINE_DATABASE_URL\) cannot be used: it does not answer any more\.$/,
    })
    assert.deepEqual(await target.rows('SELECT count(*) FROM stores'), [[0]])
  } finally {
    copier.remove()
    await proxy.close()
    await target.remove()
    await source.remove()
  }
})

async function proxyTo(address: string) {
  const { hostname, port } = new URL(address)
  const proxy = await startProxy({ host: hostname, port: Number(port || 5432) })
  const parsed = parsePostgresUrl(urlWith(address, { hostname: '127.0.0.1', port: String(proxy.port) }), 'public', '/')
  assert.ok('value' in parsed)
  return { proxy, url: parsed.value }
}
