// What a copy costs the shop's database: how long rounds over 100,000 invoices with 300,000 lines take, and how much longer a till's
// sale takes meanwhile. MariaDB, the till and the copy share this machine. Run it with: node bin/node.mjs bench/copy.ts [seconds]
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createConnection } from 'mysql2/promise'
import { makeSource } from '../test/support/copied.ts'
import { mariadbZone, startMariadb } from '../test/support/mariadb-server.ts'
import { cleanEnvironment, program, runVitrine, startProcess, temporaryFolder, until } from '../test/support/process.ts'
import { median, percentile } from './statistics.ts'

const seconds = Number(process.argv[2] ?? 60)
const invoices = 100_000
const linesEach = 3
const salesEachSecond = 50

const tables = `
  CREATE TABLE sale (ticket integer AUTO_INCREMENT PRIMARY KEY, customer integer, total decimal(12, 2), tax decimal(12, 2),
    note varchar(60), sold datetime, changed datetime, KEY (changed));
  CREATE TABLE line (ticket integer, place integer, label varchar(40), quantity decimal(10, 3), price decimal(12, 2),
    PRIMARY KEY (ticket, place));
  INSERT INTO sale SELECT seq, seq % 500, seq % 997 + 0.25, seq % 97, 'paid at the counter', '2026-01-01', '2026-01-01'
    FROM seq_1_to_${invoices};
  INSERT INTO line SELECT s.seq, l.seq, 'a product with a name', 2, s.seq % 97 + 0.5
    FROM seq_1_to_${invoices} s, seq_1_to_${linesEach} l`
const views = `
  CREATE VIEW invoices AS SELECT ticket AS id, 1 AS kind, 3 AS status, ticket AS number, customer AS customer_id, total, tax,
    note AS notes, sold AS date, changed AS updated_at FROM sale;
  CREATE VIEW invoice_lines AS SELECT ticket * 10 + place AS id, ticket AS invoice_id, label AS name, quantity, price AS unit_price
    FROM line;`

const folder = temporaryFolder()
// Each sale waits for the disk, as with MariaDB's own defaults. In tests, it does not.
const mariadb = await startMariadb(['--innodb-flush-log-at-trx-commit=1', '--innodb-flush-method=O_DIRECT'])
try {
  const source = await makeSource('mysql', mariadb)
  await source.script(tables)
  writeFileSync(join(folder, 'views.sql'), views)
  const settings = {
    VITRINE_DATA_DIR: folder,
    VITRINE_TIME_ZONE: mariadbZone,
    VITRINE_COPY_FROM: source.address,
    VITRINE_COPY_VIEWS: join(folder, 'views.sql'),
  }
  const copyOnce = async (name: string) => {
    const startedAt = performance.now()
    const { status, stderr } = await runVitrine(['copy'], settings, folder)
    if (status !== 0) throw new Error(stderr)
    say(name, `${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  }
  await copyOnce('first copy')
  await copyOnce('whole, with nothing new')

  const { database } = source.url as { database: string }
  const till = await createConnection({ host: '127.0.0.1', port: mariadb.port, user: 'root', database })
  const sell = async () => {
    const startedAt = performance.now()
    await till.query('BEGIN')
    await till.query(`INSERT INTO sale VALUES (NULL, 1, 30, 3, 'sold', now(), now())`)
    await till.query(`INSERT INTO line SELECT last_insert_id(), seq, 'sold', 1, 10 FROM seq_1_to_${linesEach}`)
    await till.query('COMMIT')
    return performance.now() - startedAt
  }
  const sellFor = async () => {
    const times: number[] = []
    const endsAt = performance.now() + seconds * 1000
    while (performance.now() < endsAt) {
      times.push(await sell())
      await wait(1000 / salesEachSecond)
    }
    return { median: median(times), slow: percentile(times, 0.99) }
  }

  const report = (name: string, { median: usual, slow }: Awaited<ReturnType<typeof sellFor>>, more = '') =>
    say(`a sale ${name}: median, 99 %`, `${usual.toFixed(2)} ms, ${slow.toFixed(2)} ms${more}`)
  await sellFor()
  const alone = await sellFor()
  report('alone', alone)
  for (const [name, wholeEvery] of [
    ['during rounds by updated_at', '1h'],
    ['during whole rounds', '1s'],
  ] as const) {
    const { child, ended, stdout } = startProcess(process.execPath, [program, 'copy', '--every', '1s', '--json'], {
      cwd: folder,
      env: cleanEnvironment({ ...settings, VITRINE_COPY_WHOLE_EVERY: wholeEvery }),
    })
    // The first round is always whole.
    await until('a round was made', () => stdout().includes('"event":"copied"'))
    const meanwhile = await sellFor()
    child.kill('SIGTERM')
    await ended
    report(name, meanwhile, `, ${(meanwhile.slow / alone.slow).toFixed(2)} × alone`)
    const rounds = stdout()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string; seconds: number; read: number })
      .filter(({ event }) => event === 'copied')
    say('  rounds', rounds.map(({ seconds: took, read }) => `${took} s for ${read} rows`).join(', '))
  }
  await till.end()
} finally {
  await mariadb.remove()
  rmSync(folder, { recursive: true, force: true })
}

function say(name: string, value: string): void {
  process.stdout.write(`${name.padEnd(52)}${value}\n`)
}
