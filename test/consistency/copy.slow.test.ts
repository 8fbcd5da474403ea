// A till writes into MariaDB, without times of change and in transactions of any length, while copies are made and killed at random:
// in the end the copy equals the source to the cent, and a mirror kept by /changes equals the copy.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createConnection } from 'mysql2/promise'
import { makeSource, type CopySource } from '../support/copied.ts'
import { isLong, seedOfRun, told } from '../support/how-much.ts'
import { mariadbZone, noMariadb, startMariadb, type MariadbServer } from '../support/mariadb-server.ts'
import {
  cleanEnvironment,
  program,
  runVitrine,
  startProcess,
  startServer,
  temporaryFolder,
  until,
  type Server,
} from '../support/process.ts'
import { randomFrom } from '../support/random.ts'
import { openSqlite } from '../../src/platform/sqlite.ts'

const lastsMs = isLong ? 600_000 : 10_000
const fewestKills = 6

const tables = `
  CREATE TABLE sale (ticket char(36) PRIMARY KEY, no integer, total decimal(12, 2), changed datetime(6) NULL);
  CREATE TABLE line (ticket char(36), place integer, label varchar(20), price decimal(12, 2), PRIMARY KEY (ticket, place))`
const views = `
  CREATE VIEW invoices AS SELECT ticket AS id, 1 AS kind, 3 AS status, no AS number, total, changed AS updated_at FROM sale;
  CREATE VIEW invoice_lines AS SELECT CONCAT(ticket, '-', place) AS id, ticket AS invoice_id, label AS name, price AS unit_price FROM line;`

let mariadb: MariadbServer
let source: CopySource
let server: Server
const folder = temporaryFolder()
before(async () => {
  if (noMariadb) return
  mariadb = await startMariadb()
  source = await makeSource('mysql', mariadb)
  await source.script(tables)
  writeFileSync(join(folder, 'views.sql'), views)
})
after(async () => {
  await server?.remove()
  await mariadb?.remove()
  rmSync(folder, { recursive: true, force: true })
})

const random = randomFrom(seedOfRun)
const cents = () => `${random.upTo(100_000)}.${String(random.upTo(100)).padStart(2, '0')}`

/** What a sale may go through. Half of the changes leave its time alone. */
function change(ticket: string | undefined, no: number): string {
  const time = random.chance(0.5) ? 'now(6)' : 'changed'
  const of = `WHERE ticket = '${ticket}'`
  const add = `SET @t = uuid(); INSERT INTO sale VALUES (@t, ${no}, ${cents()}, now(6));
    INSERT INTO line VALUES (@t, 1, 'a', ${cents()}), (@t, 2, 'b', ${cents()})`
  if (ticket === undefined) return add
  return random.of([
    add,
    add,
    `UPDATE sale SET total = ${cents()}, changed = ${time} ${of}`,
    `UPDATE line SET price = ${cents()} ${of} AND place = ${1 + random.upTo(2)}`,
    `DELETE FROM line ${of}`,
    `DELETE FROM line ${of}; DELETE FROM sale ${of}`,
  ])
}

async function connectTill() {
  const { database } = source.url as { database: string }
  return createConnection({ host: '127.0.0.1', port: mariadb.port, user: 'root', database, multipleStatements: true })
}

/** Transactions of three changes, with a pause before their end. */
async function sell(pauseMs: number, stopped: AbortSignal): Promise<void> {
  const till = await connectTill()
  for (let no = 0; !stopped.aborted; no += 1)
    try {
      await till.query('BEGIN')
      for (let times = 0; times < 3; times += 1) {
        const [rows] = await till.query('SELECT ticket FROM sale ORDER BY rand() LIMIT 1')
        await till.query(change((rows as { ticket: string }[])[0]?.ticket, no))
      }
      await wait(pauseMs)
      await till.query(random.chance(0.1) ? 'ROLLBACK' : 'COMMIT')
    } catch (error) {
      // Tills wait for each other.
      assert([1205, 1213].includes((error as { errno: number }).errno), String(error))
      await till.query('ROLLBACK')
    }
  await till.end()
}

interface Change {
  readonly resource: string
  readonly id: number
  readonly change: string
  readonly record?: unknown
}

test('the copy equals the source, and a mirror the copy', { skip: noMariadb }, async () => {
  const zone = { VITRINE_TIME_ZONE: mariadbZone }
  const settings = {
    ...zone,
    VITRINE_COPY_WHOLE_EVERY: '3s',
    VITRINE_COPY_FROM: source.address,
    VITRINE_COPY_VIEWS: join(folder, 'views.sql'),
  }
  server = await startServer({
    settings: zone,
    async prepare(data) {
      assert.equal((await runVitrine(['copy'], { ...settings, VITRINE_DATA_DIR: data }, folder)).status, 0)
    },
  })
  const token = await server.token()
  const mirror = new Map<string, unknown>()
  let cursor = ''
  const look = async () => {
    for (let more = true; more;) {
      const { status, body, text } = await server.ask(`/changes${cursor === '' ? '' : `?cursor=${cursor}`}`, { token })
      if (status === 410) {
        // A bulk load may name a relation as a whole.
        mirror.clear()
        cursor = ''
        continue
      }
      assert.equal(status, 200, text)
      for (const { resource, id, change, record } of body.data as Change[])
        if (change === 'gone') mirror.delete(`${resource} ${id}`)
        else mirror.set(`${resource} ${id}`, record)
      cursor = String(body.meta.cursor)
      more = body.meta.more
    }
  }

  const stop = new AbortController()
  // One of them has long transactions.
  const writing = Promise.all([sell(5, stop.signal), sell(700, stop.signal)])
  const endsAt = performance.now() + lastsMs
  let [kills, rounds] = [0, 0]
  while (performance.now() < endsAt || kills < fewestKills) {
    // The tills delete most of their sales again and again.
    const { child, stdout, ended } = startProcess(
      process.execPath,
      [program, 'copy', '--every', '1s', '--accept-loss', '--json'],
      {
        cwd: folder,
        env: cleanEnvironment({ ...settings, VITRINE_DATA_DIR: server.data }),
      },
    )
    // Every other one only after a round: a busy machine would otherwise finish none.
    if (kills % 2 === 1) await until('a round was made', () => stdout().includes('"event":"copied"'))
    await Promise.race([wait(500 + random.upTo(3000)), once(child, 'exit')])
    child.kill('SIGKILL')
    await ended
    kills += 1
    rounds += stdout().split('"event":"copied"').length - 1
    assert.doesNotMatch(stdout(), /copy_failed/)
    await look()
  }
  stop.abort()
  await writing
  await wait(3000)
  const last = await runVitrine(
    ['copy', '--accept-loss', '--json'],
    { ...settings, VITRINE_DATA_DIR: server.data },
    folder,
  )
  assert.equal(last.status, 0, last.stderr)
  assert.match(last.stdout, /"is_whole":true/)
  await look()

  const database = (source.url as { database: string }).database
  const asked = await mariadb.ask(
    `SELECT s.no, cast(s.total AS char), (SELECT group_concat(l.label, cast(l.price AS char) ORDER BY l.place) FROM ${database}.line l WHERE l.ticket = s.ticket) FROM ${database}.sale s ORDER BY 1, 2`,
  )
  const inSource = asked.map(([no, total, lines]) => [String(no), Number(total), plainLines(lines)])
  const copy = openSqlite(join(server.data, 'pos.db'), { readOnly: true })
  const inCopy = copy
    .prepare(
      `SELECT number, total, (SELECT group_concat(name || unit_price, ',') FROM (SELECT * FROM invoice_lines l WHERE l.invoice_id = i.id ORDER BY name)) AS lines FROM invoices i ORDER BY CAST(number AS integer), total`,
    )
    .all()
    .map(({ number, total, lines }) => [number, total, plainLines(lines)])
  const records = copy.prepare('SELECT id FROM invoices').all()
  copy.close()
  told(`a copy: ${inSource.length} sales, ${kills} kills, ${rounds} rounds, seed ${seedOfRun}`)
  assert(
    inSource.length > 20 && rounds >= fewestKills / 2,
    `${inSource.length} sales, ${kills} kills, ${rounds} rounds`,
  )
  assert.deepEqual(byText(inCopy), byText(inSource))
  assert.equal(mirror.size, records.length)
  for (const { id } of records) {
    const { body } = await server.ask(`/invoices/${String(id)}`, { token })
    assert.deepEqual(mirror.get(`invoices ${String(id)}`), body.data ?? body)
  }
})

/** `a12.50,b3.00` as a list of labels and numbers. */
const plainLines = (text: unknown) =>
  typeof text === 'string' ? text.split(',').map((line) => [line.slice(0, 1), Number(line.slice(1))]) : null

const byText = (rows: readonly unknown[]) =>
  rows.map((row) => JSON.stringify(row)).toSorted((one, other) => (one < other ? -1 : 1))
