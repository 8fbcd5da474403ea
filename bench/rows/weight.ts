// What we add to the tills' database, and what it costs: a sale (an invoice, three lines, a payment) and an update of an invoice, with
// the journal against without it, in turns.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { columnType, findRelation } from '../../src/contract/relations.ts'
import { quote } from '../../src/sql/dialect.ts'
import { postgresSchema } from '../../src/sql/postgres-schema.ts'
import { indexStatements, tableStatements } from '../../src/sql/schema.ts'
import { sqliteSchema } from '../../src/sql/sqlite-schema.ts'
import { openSqlite, type Sqlite } from '../../src/platform/sqlite.ts'
import type { Bench } from '../bench.ts'
import { openQueries, type Queries } from '../queries.ts'
import { median } from '../statistics.ts'
import { round, type Row } from './row.ts'

const sales = { full: 3000, quick: 200 }
const rounds = 5

// Sample rows have a value in each column.
const columnsOf = (relation: string) => Object.keys(findRelation(relation).columns)
const samples = { int: 3, num: 12.5, text: 'Etienne Jean', time: '2026-09-30T10:11:12', day: '2026-09-30', bool: 1 }
const sampleOf = (relation: string, column: string) => samples[columnType(findRelation(relation), column)]

function insert(relation: string, given: Readonly<Record<string, number>>): string {
  const names = columnsOf(relation)
  const values = names.map((name) => given[name] ?? `'${sampleOf(relation, name)}'`)
  return `INSERT INTO ${relation} (${names.map(quote).join(', ')}) VALUES (${values.join(', ')})`
}

const saleOf = (id: number) => [
  insert('invoices', { id }),
  ...[0, 1, 2].map((line) => insert('invoice_lines', { id: id * 3 + line, invoice_id: id })),
  insert('invoice_payments', { id, invoice_id: id }),
]
const updateOf = (id: number) => `UPDATE invoices SET status = 3, total = total + 1 WHERE id = ${id}`

interface Cost {
  readonly saleMs: number
  readonly updateMs: number
  readonly openMs: number
}

function costOnSqlite(path: string, statements: readonly string[], count: number): Cost {
  const made = openSqlite(path)
  made.exec(`PRAGMA journal_mode = WAL; ${statements.join(';')}`)
  made.close()
  const openMs = median(
    Array.from({ length: 20 }, () =>
      timed(() => {
        const database = openSqlite(path)
        database.prepare(insert('invoices', { id: 1 }))
        database.close()
      }),
    ),
  )
  const database = openSqlite(path)
  database.exec('PRAGMA synchronous = NORMAL')
  const [begin, commit] = [database.prepare('BEGIN IMMEDIATE'), database.prepare('COMMIT')]
  const [invoice, line, payment] = ['invoices', 'invoice_lines', 'invoice_payments'].map((name) =>
    preparedInsert(database, name),
  )
  const update = database.prepare('UPDATE invoices SET status = 3, total = total + 1 WHERE id = ?')
  const ids = Array.from({ length: count }, (_, at) => at + 1)
  const within = (work: () => void) =>
    timed(() => {
      begin.run()
      work()
      commit.run()
    })
  const sell = (id: number) =>
    within(() => {
      invoice?.({ id })
      for (const number of [0, 1, 2]) line?.({ id: id * 3 + number, invoice_id: id })
      payment?.({ id, invoice_id: id })
    })
  const saleMs = median(ids.map(sell))
  const updateMs = median(ids.map((id) => within(() => update.run(id))))
  database.close()
  return { saleMs, updateMs, openMs }
}

// Prepared once, as tills do.
function preparedInsert(database: Sqlite, relation: string) {
  const names = columnsOf(relation)
  const marks = names.map(() => '?').join(', ')
  const statement = database.prepare(`INSERT INTO ${relation} (${names.map(quote).join(', ')}) VALUES (${marks})`)
  return (given: Readonly<Record<string, number>>) =>
    void statement.run(...names.map((name) => given[name] ?? sampleOf(relation, name)))
}

function timed(work: () => void): number {
  const startedAt = performance.now()
  work()
  return performance.now() - startedAt
}

async function walOf(queries: Queries, schema: string, statements: readonly string[], count: number): Promise<number> {
  await queries.rows(`CREATE SCHEMA ${schema}`)
  try {
    await queries.rows(`SET search_path = ${schema}`)
    for (const statement of statements) await queries.rows(statement)
    // A first round fills pages and extends files.
    const ids = Array.from({ length: count }, (_, at) => at + 1)
    const position = async () =>
      Number((await queries.rows(`SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8`))[0]?.[0])
    for (const id of ids) for (const text of saleOf(id)) await queries.rows(text)
    await queries.rows('CHECKPOINT')
    for (const id of ids) await queries.rows(updateOf(id))
    const before = await position()
    for (const id of ids) {
      await queries.rows('BEGIN')
      for (const text of saleOf(id + count)) await queries.rows(text)
      await queries.rows('COMMIT')
      await queries.rows(updateOf(id + count))
    }
    return ((await position()) - before) / count
  } finally {
    await queries.rows(`DROP SCHEMA ${schema} CASCADE`)
  }
}

const measured = new WeakMap<Bench, Promise<{ bare: Cost; journalled: Cost }>>()

async function compareSqlite({ options }: Bench) {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-weight-'))
  try {
    const count = sales[options.isQuick ? 'quick' : 'full']
    const bareSchema = [...tableStatements(sqliteSchema), ...indexStatements(sqliteSchema)]
    const costs = { bare: [] as Cost[], journalled: [] as Cost[] }
    for (let turn = 0; turn < rounds; turn += 1) {
      costs.bare.push(costOnSqlite(join(folder, `bare-${turn}.db`), bareSchema, count))
      costs.journalled.push(
        costOnSqlite(join(folder, `ours-${turn}.db`), [...bareSchema, ...sqliteSchema.journal], count),
      )
    }
    const of = (some: readonly Cost[]): Cost => ({
      saleMs: median(some.map(({ saleMs }) => saleMs)),
      updateMs: median(some.map(({ updateMs }) => updateMs)),
      openMs: median(some.map(({ openMs }) => openMs)),
    })
    return { bare: of(costs.bare), journalled: of(costs.journalled) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const sqliteCost = (name: string, of: keyof Cost, most: number): Row => ({
  name: `the journal's cost: ${name}`,
  unit: '×',
  target: { sqlite: most, postgres: Number.POSITIVE_INFINITY },
  engines: ['sqlite'],
  async measure(bench) {
    const known = measured.get(bench) ?? compareSqlite(bench)
    measured.set(bench, known)
    const { bare, journalled } = await known
    return {
      value: journalled[of] / bare[of],
      raw: { 'bare, ms': round(bare[of]), 'with it, ms': round(journalled[of]) },
    }
  },
})

const objects = (type: string, most: number): Row => ({
  name: `${type} in the POS file`,
  unit: 'objects',
  target: { sqlite: most, postgres: Number.POSITIVE_INFINITY },
  engines: ['sqlite'],
  async measure({ company }) {
    const [row] = await company.queries.rows(
      `SELECT count(*) FROM sqlite_schema WHERE type = '${type}' AND name NOT LIKE 'sqlite_stat%'`,
    )
    return { value: Number(row?.[0]), raw: { [type]: Number(row?.[0]) } }
  },
})

const wal: Row = {
  name: "the journal's cost: WAL of a sale and an update",
  unit: '×',
  target: { sqlite: Number.POSITIVE_INFINITY, postgres: 1.6 },
  engines: ['postgres'],
  async measure({ company, options }) {
    const queries = await openQueries(company.settings['VITRINE_DATABASE_URL'] ?? '')
    const count = sales[options.isQuick ? 'quick' : 'full'] / 10
    const bareSchema = [...tableStatements(postgresSchema), ...indexStatements(postgresSchema)]
    try {
      const bare = await walOf(queries, 'weight_bare', bareSchema, count)
      const ours = await walOf(queries, 'weight_ours', [...bareSchema, ...postgresSchema.journal], count)
      return { value: ours / bare, raw: { 'bare, bytes': round(bare), 'with it, bytes': round(ours) } }
    } finally {
      await queries.close()
    }
  },
}

export const weightRows: Row[] = [
  objects('table', 36),
  objects('index', 45),
  sqliteCost('a sale', 'saleMs', 1.5),
  sqliteCost('an update', 'updateMs', 1.8),
  sqliteCost('opening the file and preparing an INSERT', 'openMs', 5),
  wal,
]
