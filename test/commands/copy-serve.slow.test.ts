// `serve` keeps a copy beside serving: nothing half at first, every change afterwards, and the last copy while the source is away. And
// `copy --every`, `copy --plan` and what the command refuses.
import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { makeSource, type CopySource } from '../support/copied.ts'
import { mariadbZone, noMariadb, startMariadb, type MariadbServer } from '../support/mariadb-server.ts'
import { runVitrine, startServer, temporaryFolder, until, type Server } from '../support/process.ts'

const views = `CREATE VIEW stores AS SELECT code AS id, label AS name FROM shop;
  CREATE VIEW customers AS SELECT no AS id, label AS name, 1 AS active, changed AS updated_at FROM client;`
const tables = `CREATE TABLE shop (code varchar(10) PRIMARY KEY, label varchar(20));
  CREATE TABLE client (no integer PRIMARY KEY, label varchar(20), changed datetime);
  INSERT INTO shop VALUES ('A', 'Alpha'), ('B', 'Beta');
  INSERT INTO client VALUES (1, 'Ann', '2026-01-01 00:00:00')`

interface Change {
  readonly resource: string
  readonly change: string
  readonly record?: { readonly name: string }
}

describe('serve with VITRINE_COPY_FROM', { skip: noMariadb }, () => {
  let mariadb: MariadbServer
  let source: CopySource
  let server: Server
  let token: string
  const folder = temporaryFolder()
  const file = join(folder, 'views.sql')
  before(async () => {
    mariadb = await startMariadb()
    source = await makeSource('mysql', mariadb)
    // The tables are not there yet: the first copy fails.
    writeFileSync(file, views)
    server = await startServer({
      prepare() {},
      settings: {
        VITRINE_COPY_FROM: source.address,
        VITRINE_COPY_VIEWS: file,
        VITRINE_COPY_EVERY: '1s',
        VITRINE_COPY_WHOLE_EVERY: '1s',
        VITRINE_TIME_ZONE: mariadbZone,
      },
    })
    token = await server.token()
  })
  after(async () => {
    await server?.remove()
    await mariadb?.remove()
    rmSync(folder, { recursive: true, force: true })
  })
  const ask = (path: string) => server.ask(path, { token })
  const metric = async (name: string) =>
    Number(
      new RegExp(`^${name.replaceAll(/[{}]/g, '\\$&')} (.*)$`, 'm').exec(
        (await server.askConsole('/metrics')).text,
      )?.[1],
    )
  const isLogged = (name: string) => server.logged().some(({ event }) => event === name)

  test('until the first copy is complete: 503, and why', async () => {
    await until('a round has failed', () => server.logged().some(({ event }) => event === 'copy_failed'))
    const answer = await ask('/stores')
    assert.equal(answer.status, 503, answer.text)
    assert.equal(answer.headers['retry-after'], '10')
    assert.equal(answer.body.error.code, 'temporarily_unavailable')
    assert.match(answer.body.error.message, /^The first copy of the data is not complete: it could not be made yet/)
    const line = server.logged().find(({ event }) => event === 'copy_failed')
    assert.match(
      String(line?.['problem']),
      /^stores: The SELECT failed: Table '.*\.shop' doesn't exist\. customers: The SELECT failed: Table '.*\.client' doesn't exist\.$/,
    )
    assert.equal(await metric('vitrine_copy_up'), 0)
    assert.equal((await ask('/ping')).status, 200)
  })

  test('the first copy is served whole, and so is every change after it', async () => {
    await source.script(tables)
    await until('it is copied', async () => (await ask('/stores')).status === 200)
    assert.equal(await metric('vitrine_copy_up'), 1)
    assert((await metric('vitrine_copy_age_seconds')) >= 0)
    const { body: begun } = await ask('/changes')
    assert.deepEqual(
      new Set((begun.data as Change[]).map(({ record }) => record?.name)),
      new Set(['Alpha', 'Beta', 'Ann']),
    )
    await source.script(`UPDATE client SET label = 'Anna'; DELETE FROM shop WHERE code = 'A'`)
    const changes = await until('the change is reported', async () => {
      const { body } = await ask(`/changes?cursor=${begun.meta.cursor}`)
      return body.data.length === 2 && body.data
    })
    const short = (changes as Change[]).map(({ resource, change, record }) => `${resource} ${change} ${record?.name}`)
    assert.deepEqual(new Set(short), new Set(['customers record Anna', 'stores gone undefined']))
  })

  test('a wrong row is kept out, and a relation that lost its rows waits: the log and the metrics say so', async () => {
    // No text of a contract has a NUL character.
    await source.script(`UPDATE shop SET label = CONCAT('B', CHAR(0)) WHERE code = 'B'`)
    await source.script(
      `INSERT INTO client VALUES ${Array.from({ length: 12 }, (_, at) => `(${at + 10}, 'x', now())`).join(', ')}`,
    )
    await until('it is kept out', async () => (await metric('vitrine_copy_kept_out_rows{relation="stores"}')) === 1)
    await until('the others are copied', async () => (await ask('/customers')).body.meta.total === 13)
    assert.equal((await ask('/stores')).body.data[0].name, 'Beta')
    await until('it is logged', () => isLogged('copy_keeps_out'))
    await source.script(`UPDATE shop SET label = 'Better' WHERE code = 'B'; DELETE FROM client WHERE no >= 10`)
    await until('it waits', async () => (await metric('vitrine_copy_waiting_rows{relation="customers"}')) === 12)
    await until('the row is in order', async () => (await ask('/stores')).body.data[0].name === 'Better')
    await until('it is logged', () => isLogged('copy_waits'))
    assert.equal((await ask('/customers')).body.meta.total, 13)
    await source.script(`INSERT INTO client SELECT 10 + no, 'x', now() FROM client`)
    await source.script(
      `INSERT INTO client VALUES ${Array.from({ length: 8 }, (_, at) => `(${at + 12}, 'x', now())`).join(', ')}`,
    )
    await until('it goes on', async () => (await ask('/customers')).body.meta.total === 10)
    await until('it is logged', () => isLogged('copy_waits_over'))
    assert.equal(await metric('vitrine_copy_up'), 1)
  })

  test('while the source is away: the last copy, and a sentence in the log and in the metrics', async () => {
    const before = server.logged().length
    await mariadb.stop()
    const failed = await until('a round has failed', () =>
      server
        .logged()
        .slice(before)
        .find(({ event }) => event === 'copy_failed'),
    )
    assert.match(String(failed['problem']), /^The source at 127\.0\.0\.1:\d+ cannot be used: /)
    assert.match(String(failed['since']), /^\d{4}-/)
    assert.equal((await ask('/stores')).body.meta.total, 1)
    assert.equal(await metric('vitrine_copy_up'), 0)
    await mariadb.start()
    await until('rounds succeed again', async () => (await metric('vitrine_copy_up')) === 1)
    const recovered = await until('it is logged', () => {
      const found = server.logged().filter(({ event }) => event === 'copy_recovered')
      return found.length > 1 ? found : undefined
    })
    assert.equal(recovered.length, 2, 'after the first copy, and now')
    assert.equal(recovered[1]?.['since'], failed['since'])
  })

  test('the process that copies is started again, and ends with the service', async () => {
    const children = () =>
      readFileSync(`/proc/${server.child.pid}/task/${server.child.pid}/children`, 'utf8')
        .trim()
        .split(' ')
        .filter(Boolean)
        .map(Number)
    const [copier = 0] = children()
    process.kill(copier, 'SIGKILL')
    await until('it is noticed', () => server.logged().some(({ event }) => event === 'copy_process_ended'))
    const [next = 0] = await until('another copies', () => (children().length > 0 ? children() : undefined))
    assert.notEqual(next, copier)
    await source.script(`INSERT INTO shop VALUES ('C', 'Gamma')`)
    await until('it copies', async () => (await ask('/stores')).body.meta.total === 2)
    await server.stop('SIGKILL')
    await until('it has ended', () => {
      try {
        process.kill(next, 0)
        return false
      } catch {
        return true
      }
    })
  })
})

describe('vitrine copy', () => {
  let source: CopySource
  const folder = temporaryFolder()
  const file = join(folder, 'views.sql')
  const settings = { VITRINE_DATA_DIR: join(folder, 'data'), VITRINE_TIME_ZONE: 'UTC' }
  const copy = (...words: string[]) => runVitrine(['copy', ...words], settings, folder)
  before(async () => {
    source = await makeSource('sqlite')
    await source.script(tables)
    writeFileSync(file, views)
  })
  after(async () => {
    await source.remove()
    rmSync(folder, { recursive: true, force: true })
  })
  const named = () => ['--from', source.address, '--views', file]

  test('--plan says how each relation is read, and makes nothing', async () => {
    const { stdout, status } = await copy(...named(), '--plan', '--json')
    assert.equal(status, 0)
    const { relations } = JSON.parse(stdout) as { relations: { relation: string; how: string }[] }
    assert.deepEqual(
      relations.map(({ relation, how }) => [relation, how]),
      [
        ['stores', 'whole'],
        ['customers', 'from the last updated_at on'],
      ],
    )
  })

  test('once: counts of each relation; again: nothing new', async () => {
    const { stdout, stderr, status } = await copy(...named())
    assert.equal(status, 0, stderr)
    assert.match(stdout, /^stores +whole +2 +2 +0 +0 +0$/m)
    assert.match(stdout, /Copied into .*pos\.db in /)
    assert.match((await copy(...named())).stdout, /^customers +since 2025-12-31 22:50:00 +1 +0 +0 +1 +0$/m)
  })

  test('numbers that cannot be copied exactly are named, and check names them', async () => {
    const own = { ...settings, VITRINE_DATA_DIR: join(folder, 'doubles') }
    const other = join(folder, 'doubles.sql')
    writeFileSync(other, `CREATE VIEW products AS SELECT 1 AS id, 100.0 / 3 AS price, 1 AS active;`)
    const { stdout } = await runVitrine(['copy', '--from', source.address, '--views', other], own, folder)
    assert.match(stdout, /^products\.price: not copied exactly in 1 row, such as 33\.333333333333336 as 33\.333333\.$/m)
    const checked = JSON.parse((await runVitrine(['check', '--json'], own, folder)).stdout) as {
      findings: { code: string; relation?: string; column?: string; count?: number }[]
    }
    const finding = checked.findings.find(({ code }) => code === 'not_exact')
    assert.deepEqual([finding?.relation, finding?.column, finding?.count], ['products', 'price', 1])
  })

  test('a relation that lost most of its rows waits; --accept-loss lets it vanish', async () => {
    const own = { ...settings, VITRINE_DATA_DIR: join(folder, 'emptied') }
    const other = join(folder, 'emptied.sql')
    await source.script(`CREATE TABLE many (no integer);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500) INSERT INTO many SELECT i FROM n`)
    writeFileSync(other, 'CREATE VIEW stores AS SELECT no AS id FROM many;')
    const copyMany = (...words: string[]) =>
      runVitrine(['copy', '--from', source.address, '--views', other, ...words], own, folder)
    assert.equal((await copyMany()).status, 0)
    await source.script('DELETE FROM many')
    const waits = await copyMany()
    assert.equal(waits.status, 0)
    assert.match(waits.stdout, /^stores waits: the copy has 1,500 rows, the source 0; 1,500 would be deleted\./m)
    const { waiting } = JSON.parse((await copyMany('--json')).stdout) as { waiting: Record<string, unknown>[] }
    assert.deepEqual(
      waiting.map(({ relation, had, has, lost }) => [relation, had, has, lost]),
      [['stores', 1500, 0, 1500]],
    )
    assert.match((await copyMany('--accept-loss')).stdout, /^stores +whole +0 +0 +0 +0 +1,500$/m)
  })

  test('--faults lists the rows that are kept out', async () => {
    const own = { ...settings, VITRINE_DATA_DIR: join(folder, 'wrong') }
    const other = join(folder, 'wrong.sql')
    writeFileSync(other, 'CREATE VIEW stores AS SELECT code AS id, label AS name, hq AS is_headquarters FROM branch')
    await source.script(`CREATE TABLE branch (code text, label text, hq); INSERT INTO branch VALUES ('A', 'Alpha', 1)`)
    const copyOther = (...words: string[]) =>
      runVitrine(['copy', '--from', source.address, '--views', other, ...words], own, folder)
    assert.equal((await copyOther()).status, 0)
    assert.match((await copyOther('--faults')).stderr, /^No row is kept out of the copy\.$/m)
    await source.script(`UPDATE branch SET hq = 'perhaps'`)
    assert.match((await copyOther()).stdout, /^Kept out as wrong \("vitrine copy --faults" says why\): 1 of stores\.$/m)
    const listed = await copyOther('--faults', '--json')
    const { relation, key, records, message } = JSON.parse(listed.stdout) as Record<string, unknown>
    assert.deepEqual([relation, key, (records as string[]).length], ['stores', 'A', 1])
    assert.equal(message, 'is_headquarters: Expected 0, 1, true or false; found "perhaps".')
    assert.match((await copyOther('--faults')).stdout, /^stores +A +\d+ +2\d{3}-.*found "perhaps"\.$/m)
  })

  test('check does not blame the POS for times that the copy gave', async () => {
    const own = { ...settings, VITRINE_DATA_DIR: join(folder, 'stamped') }
    const other = join(folder, 'stamped.sql')
    const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30) SELECT i AS id, 1 AS active`
    writeFileSync(
      other,
      `CREATE VIEW vendors AS ${numbers} FROM n; CREATE VIEW customers AS ${numbers}, '2026-01-01 00:00:00' AS updated_at FROM n`,
    )
    assert.equal((await runVitrine(['copy', '--from', source.address, '--views', other], own, folder)).status, 0)
    const { findings } = JSON.parse((await runVitrine(['check', '--json'], own, folder)).stdout) as {
      findings: { code: string; relation?: string }[]
    }
    assert.deepEqual(
      findings.filter(({ code }) => code === 'updated_at_constant').map(({ relation }) => relation),
      ['customers'],
    )
  })

  test('--every copies until a signal, one line for each round', async () => {
    const { startProcess, program, cleanEnvironment } = await import('../support/process.ts')
    const { child, stdout, ended } = startProcess(
      process.execPath,
      [program, 'copy', ...named(), '--every', '1s', '--json'],
      { cwd: folder, env: cleanEnvironment(settings) },
    )
    const rounds = () =>
      stdout()
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    await until('two rounds', () => rounds().length >= 2)
    await source.script(`INSERT INTO shop VALUES ('D', 'Delta')`)
    await until('the new row', () => rounds().some((round) => round['event'] === 'copied' && round['new'] === 1))
    child.kill('SIGTERM')
    assert.equal((await ended).status, 0)
  })

  const refusals: readonly [words: () => string[], says: RegExp, status: 1 | 2][] = [
    [() => [], /--from or VITRINE_COPY_FROM must be given\.\n.*--views or VITRINE_COPY_VIEWS must be given\./, 2],
    [() => ['--from', 'shop', '--views', file], /--from must be sqlite:PATH, postgres:/, 2],
    [() => ['--from', 'shop.db', '--views', file], /--from must be .*; did you mean sqlite:shop\.db\?$/m, 2],
    [
      () => [...named(), '--plan', '--every', '1m', '--accept-loss'],
      /--plan copies nothing: leave out --every and --ac/,
      2,
    ],
    [() => ['--from', 'mysql://me:x@127.0.0.1', '--views', file], /the database must be named after the host/, 2],
    [
      () => ['--from', 'mysql://me:x@127.0.0.1:1/pos', '--views', file],
      /The source at 127\.0\.0\.1:1 cannot be used: nothing listens there\.$/m,
      1,
    ],
    [() => [...named(), '--every', '1'], /--every must be a time from 1s to 1d/, 2],
    [() => ['--from', source.address, '--views', join(folder, 'absent')], /The views in .*absent cannot be read/, 1],
    [() => ['--from', `sqlite:${folder}/absent.db`, '--views', file], /There is no file .*absent\.db to copy from/, 1],
    [() => ['--from', `sqlite:${folder}/data/pos.db`, '--views', file], /The copy needs a database of its own/, 1],
  ]
  for (const [words, says, status] of refusals)
    test(`refused: ${says.source}`, async () => {
      const ended = await copy(...words())
      assert.match(ended.stderr, says)
      assert.equal(ended.status, status)
    })

  test('refused: a database with rows that no copy made', async () => {
    const other = { ...settings, VITRINE_DATA_DIR: join(folder, 'demo') }
    assert.equal((await runVitrine(['demo', '--scale', '0.01'], other, folder)).status, 0)
    const { stderr, status } = await runVitrine(['copy', ...named()], other, folder)
    assert.match(stderr, /There are rows in .*pos\.db that no copy made \(stores, /)
    assert.equal(status, 1)
  })
})
