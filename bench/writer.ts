// Writes as the tills of an open shop do: at most ten times a second (or every `everyMs`), one transaction adds an invoice with its
// lines and its payment, and changes an older one, or, once in twenty times, 500 of them. At the end it restores all rows.
import { answerParent, startChild } from './child.ts'
import { openQueries, type Queries } from './queries.ts'

export type WriterQuestion =
  | { readonly start: string; readonly everyMs?: number; readonly areSmall?: boolean }
  | 'times'
  | 'stop'

export interface Written {
  readonly written: number
  /** The longest time between when a transaction was due and when it ended. */
  readonly lateMs: number
  /** Milliseconds of each transaction since the last question. */
  readonly times: Float64Array
}

/** Its first question has the URL of the database. */
export const startWriter = () => startChild<WriterQuestion, Written>(new URL(import.meta.url))

const usualEveryMs = 100
const large = { every: 20, rows: 500 }
const linesEach = 2

interface Work {
  readonly database: Queries
  readonly begin: string
  readonly columns: ReadonlyMap<string, readonly string[]>
  /** The smallest and the largest id of each table before the first write. */
  readonly first: ReadonlyMap<string, number>
  readonly last: ReadonlyMap<string, number>
  /** The original `status` and `updated_at` of changed invoices, as SQL. */
  readonly changed: Map<number, readonly [string, string]>
  readonly everyMs: number
  readonly areSmall: boolean
  times: number[]
  written: number
  lateMs: number
  isOver: boolean
}

const tables = ['invoices', 'invoice_lines', 'invoice_payments']
let work: Work | undefined
let working: Promise<void> = Promise.resolve()

async function open(url: string, everyMs: number, areSmall: boolean): Promise<Work> {
  const database = await openQueries(url)
  const columns = new Map<string, string[]>()
  const first = new Map<string, number>()
  const last = new Map<string, number>()
  for (const table of tables) {
    const names = url.startsWith('sqlite:')
      ? await database.rows(`SELECT name FROM pragma_table_info('${table}')`)
      : await database.rows(`SELECT column_name FROM information_schema.columns
                             WHERE table_schema = 'public' AND table_name = '${table}'`)
    columns.set(
      table,
      names.map(([name]) => String(name)),
    )
    const [ends] = await database.rows(`SELECT min(id), max(id) FROM ${table}`)
    first.set(table, Number(ends?.[0]))
    last.set(table, Number(ends?.[1]))
  }
  const begin = url.startsWith('sqlite:') ? 'BEGIN IMMEDIATE' : 'BEGIN'
  const changed = new Map<number, readonly [string, string]>()
  const done = { times: [], written: 0, lateMs: 0, isOver: false }
  return { database, begin, columns, first, last, changed, everyMs, areSmall, ...done }
}

/** A statement that copies a row and replaces some of its columns. It works on both engines and with any columns. */
function copy(
  { columns }: Work,
  table: string,
  from: string,
  given: Readonly<Record<string, string | number>>,
): string {
  const names = columns.get(table) ?? []
  const values = names.map((name) => {
    const value = given[name]
    return value === undefined ? `"${name}"` : typeof value === 'number' ? value : `'${value}'`
  })
  return `INSERT INTO ${table} (${names.map((name) => `"${name}"`).join(', ')})
          SELECT ${values.join(', ')} FROM ${table} WHERE ${from}`
}

async function write(now: Work): Promise<void> {
  const { database, first, last, changed } = now
  const any = (table: string) => {
    const [least, most] = [first.get(table) ?? 0, last.get(table) ?? 0]
    return least + Math.floor(Math.random() * (most - least + 1))
  }
  const moment = new Date(Date.UTC(2026, 8, 30, 18, 0, now.written)).toISOString().slice(0, 19)
  now.written += 1
  const id = (last.get('invoices') ?? 0) + now.written
  const model = `id = (SELECT max(id) FROM invoices WHERE id <= ${any('invoices')})`
  const older = any('invoices')
  const rows = !now.areSmall && now.written % large.every === 0 ? large.rows : 1
  const others = `id BETWEEN ${older} AND ${older + rows - 1} AND id <= ${last.get('invoices')}`
  const times = { date: moment, created_at: moment, updated_at: moment }
  await database.rows(now.begin)
  const before = `SELECT id, CAST(status AS text), CAST(updated_at AS text) FROM invoices WHERE ${others}`
  for (const [key, status, updatedAt] of await database.rows(before))
    if (!changed.has(Number(key)))
      changed.set(Number(key), [String(status), updatedAt === null ? 'NULL' : `'${updatedAt}'`])
  const number = `INV-PV-${String(id).padStart(7, '0')}`
  await database.rows(copy(now, 'invoices', model, { id, kind: 1, number, status: 3, ...times }))
  for (let line = 0; line < linesEach; line += 1) {
    const lineId = (last.get('invoice_lines') ?? 0) + now.written * linesEach + line
    const from = `id = (SELECT max(id) FROM invoice_lines WHERE id <= ${any('invoice_lines')})`
    await database.rows(copy(now, 'invoice_lines', from, { id: lineId, invoice_id: id }))
  }
  const paymentId = (last.get('invoice_payments') ?? 0) + now.written
  const from = `id = (SELECT max(id) FROM invoice_payments WHERE id <= ${any('invoice_payments')})`
  await database.rows(copy(now, 'invoice_payments', from, { id: paymentId, invoice_id: id, date: moment }))
  await database.rows(`UPDATE invoices SET status = ${1 + 2 * Math.floor(Math.random() * 2)}, updated_at = '${moment}'
                       WHERE ${others}`)
  await database.rows('COMMIT')
}

async function keepWriting(now: Work): Promise<void> {
  let dueAt = performance.now()
  while (!now.isOver) {
    // What a busy server has delayed is not made up for afterwards: the next to be measured would have the writes of two.
    dueAt = Math.max(dueAt + now.everyMs, performance.now())
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueAt - performance.now())))
    if (now.isOver) break
    const begunAt = performance.now()
    await write(now)
    now.times.push(performance.now() - begunAt)
    now.lateMs = Math.max(now.lateMs, performance.now() - dueAt)
  }
}

async function putBack({ database, begin, last, changed }: Work): Promise<void> {
  await database.rows(begin)
  for (const table of tables) await database.rows(`DELETE FROM ${table} WHERE id > ${last.get(table)}`)
  for (const [id, [status, updatedAt]] of changed) {
    await database.rows(`UPDATE invoices SET status = ${status}, updated_at = ${updatedAt} WHERE id = ${id}`)
  }
  await database.rows('COMMIT')
  await database.close()
}

function soFar(now: Work | undefined): Written {
  const times = Float64Array.from(now?.times ?? [])
  if (now) now.times = []
  return { written: now?.written ?? 0, lateMs: now?.lateMs ?? 0, times }
}

async function stop(): Promise<Written> {
  const now = work
  work = undefined
  if (!now) return soFar(now)
  now.isOver = true
  await working
  await putBack(now)
  return soFar(now)
}

if (import.meta.main) {
  answerParent<WriterQuestion>(
    async (question) => {
      if (question === 'stop') return stop()
      if (question === 'times') return soFar(work)
      work = await open(question.start, question.everyMs ?? usualEveryMs, question.areSmall ?? false)
      working = keepWriting(work)
      // `stop` awaits it and reports the failure.
      working.catch(() => {})
      return soFar(work)
    },
    async () => void (await stop()),
  )
}
