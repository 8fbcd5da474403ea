// Asks the same list in one snapshot from columns and by plain SQL, as a reader thread would, while others write. The bases come from a
// real loader.
import assert from 'node:assert/strict'
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'
import { collections } from '../../src/catalogue/collections.ts'
import { findResource, resources } from '../../src/catalogue/resources/index.ts'
import { createBases } from '../../src/engine/bases.ts'
import { openSource } from '../../src/engine/open-source.ts'
import type { SourceData } from '../../src/engine/source.ts'
import { createFinder, findPlainly } from '../../src/finder/finder.ts'
import { createLog } from '../../src/platform/log.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { fullAccess, planOf } from '../../src/query/plan-named.ts'
import type { ListPlan } from '../../src/query/plan.ts'
import { filledRow } from './fixture.ts'
import { howMuch } from './how-much.ts'
import type { Rows } from './pos.ts'
import type { Random } from './random.ts'

const patienceMs = 60_000

export async function startOracle(data: SourceData, memoryBytes = 1e8) {
  const logged: Record<string, unknown>[] = []
  const log = createLog('debug', (line) => logged.push(JSON.parse(line) as Record<string, unknown>), systemClock)
  const bases = createBases({
    source: data,
    folder: null,
    memoryBytes,
    log,
    onLoaded: (loaded) => finder.use(loaded),
    onDropped: (name) => finder.drop(name),
  })
  const source = await openSource(data, ({ mustConfirm, hasJournal }) => {
    if (mustConfirm) finder.dropAll()
    if (mustConfirm) void bases.giveTo((loaded) => finder.use(loaded))
    if (hasJournal) bases.onJournal()
  })
  const finder = createFinder(source.dialect, 1e6, {
    onVoid: (...voided) => bases.onVoid(...voided),
    onGrown: (...grown) => bases.onGrown(...grown),
  })
  // Connected before anything is asked, as a reader is.
  await source.within(async () => {})
  // How many answers were found in columns, of these by reading rows again, and how many by plain SQL alone.
  const counted = { columns: 0, overlay: 0, plain: 0 }

  const areLoaded = (names: readonly string[]) =>
    bases.ways().every(({ collection, way }) => way === 'columns' || !names.includes(collection))

  return {
    source,
    finder,
    counted,
    logged,
    // Lists of these collections are found in columns again.
    async untilLoaded(names: readonly string[] = collections.map(({ name }) => name)): Promise<void> {
      const startedAt = performance.now()
      while (!areLoaded(names)) {
        assert(
          performance.now() - startedAt < patienceMs,
          `not loaded: ${JSON.stringify([bases.ways(), logged.slice(-4)])}`,
        )
        // As if a reader had just connected; a journal that was not whole is otherwise looked at twice a minute.
        bases.onJournal()
        await wait(10)
      }
    },
    /**
     * Whether it was found in columns. While a table is truncated or written again, an older snapshot may find it empty (neither is
     * MVCC-safe).
     */
    async check(plan: ListPlan, about = '', isRewritten = false): Promise<boolean> {
      // The loader's answers come in between.
      await turn()
      const resource = findResource(plan.resource)
      assert(resource)
      const held = finder.capture(plan)
      return source.within(async (snapshot) => {
        const [current, expected] = await Promise.all([
          held && finder.catchUp(held, snapshot),
          findPlainly(source.dialect, resource, plan, snapshot),
        ])
        if (!current || (isRewritten && expected.total === 0)) {
          counted.plain += 1
          return false
        }
        assert.deepEqual(finder.page(current, plan), expected, `${about} ${JSON.stringify(plan)}`)
        counted.columns += 1
        if (current.overlay.masked.length + current.overlay.rows.ids.length > 0) counted.overlay += 1
        return true
      })
    },
    async close(): Promise<void> {
      await Promise.all([source.close(), bases.close()])
    },
  }
}

export type Oracle = Awaited<ReturnType<typeof startOracle>>

// What the tills write to.
export const sold = ['invoices', 'customers', 'products'] as const
const listed = ['invoices', 'invoices', 'credit-memos', 'customers', 'products']
export const customers = 40
const names = ['Alpha', 'alpha beta', 'Éclair', 'zoo', 'Zoo 9', '']
const days = ['2026-01-01', '2026-01-02', '2026-02-28', '2026-03-01']

/** A list that the tills' writes change now and then, for a key with or without restrictions. */
export function randomPlan(random: Random): ListPlan {
  const name = random.of(listed)
  const resource = resources.find((each) => each.name === name)
  assert(resource)
  const field = random.of(resource.sort.fields)
  const filters: Record<string, () => string> = {
    store_id: () => String(1 + random.upTo(3)),
    customer_id: () => String(1 + random.upTo(customers)),
    status: () => (name === 'invoices' || name === 'credit-memos' ? 'all' : ''),
    payment_status: () => random.of(['paid', 'unpaid']),
    date_from: () => random.of(days),
    date_to: () => random.of(days),
    updated_since: () => random.of(days),
  }
  const chosen = resource.filters
    .map((filter) => [filter.name, random.chance(0.3) ? (filters[filter.name]?.() ?? '') : ''])
    .filter(([, value]) => value !== '')
  const search = random.chance(0.3) ? [['search', random.of(['alpha', 'zoo', 'Éc', '-7', 'N-1'])]] : []
  const query = new URLSearchParams([
    ...chosen,
    ...search,
    ...(random.chance(0.7) ? [['sort', random.chance(0.5) ? `-${field}` : field]] : []),
    ['per_page', String(random.of([1, 5, 25, 100]))],
    ['page', String(1 + random.upTo(4))],
  ] as [string, string][])
  const stores = random.of([null, null, [1], [2, 3]])
  return planOf(name, query.toString().replaceAll('+', '%20'), { ...fullAccess, stores })
}

const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at)

/** The values of a record that are compared; what it is called by its columns. */
export const changes = (random: Random, relation: string): Readonly<Record<string, number | string>> =>
  relation.startsWith('invoices')
    ? {
        kind: 1 + random.upTo(2),
        store_id: 1 + random.upTo(3),
        customer_id: 1 + random.upTo(customers),
        customer_name: random.of(names),
        status: 1 + random.upTo(4),
        total: random.upTo(50),
        number: `N-${random.upTo(30)}`,
        date: `${random.of(days)} 10:00:00`,
        updated_at: `${random.of(days)} 11:00:00`,
      }
    : { name: random.of(names), code: `C-${random.upTo(30)}`, updated_at: `${random.of(days)} 11:00:00` }

export function companyOf(random: Random, documents = 400): Rows {
  const rows = (relation: string, first: number, last: number) =>
    from(first, last).map((id) => filledRow(relation, id, changes(random, relation)))
  return {
    stores: from(1, 3).map((id) => filledRow('stores', id)),
    customers: rows('customers', 1, customers),
    products: rows('products', 1, 40),
    invoices: rows('invoices', 1, documents),
    invoices_archive: rows('invoices_archive', documents / 2, documents + documents / 2),
  }
}

// The ids that tills write to, but for those of large transactions; and how many documents and lines one of these has.
const most = 1000
const mostRows = howMuch(2000, 25_000)

/** The statements of a till's transaction. REPLACE: SQLite alone has it. */
export function sale(random: Random, { hasReplace }: { readonly hasReplace: boolean }): string[] {
  if (random.chance(0.02)) return many(random, Math.ceil(mostRows ** (random.upTo(1000) / 1000)))
  return from(0, random.upTo(4)).flatMap(() =>
    random.chance(0.2) ? [ofChildren(random)] : statements(random, hasReplace),
  )
}

// Documents with their lines come or go at once, as in an import or at the end of a year. Lines go first, as most POS delete, or last.
function many(random: Random, rows: number): string[] {
  const first = 20_000
  const numbers = `WITH RECURSIVE n (id) AS (SELECT ${first} UNION ALL SELECT id + 1 FROM n WHERE id < ${first + rows})`
  const total = random.upTo(50)
  const come = [
    `${numbers} INSERT INTO invoices (id, kind, store_id, status, total) SELECT id, 1, 1, 3, ${total} FROM n WHERE true ON CONFLICT DO NOTHING`,
    `${numbers} INSERT INTO invoice_lines (id, invoice_id, quantity) SELECT id, id, 1 FROM n WHERE true ON CONFLICT DO NOTHING`,
  ]
  const go = [`DELETE FROM invoices WHERE id >= ${first}`, `DELETE FROM invoice_lines WHERE id >= ${first}`]
  const change = [`UPDATE invoices SET total = ${total} WHERE id >= ${first}`, 'UPDATE invoice_lines SET quantity = 2']
  const statements = random.of([come, go, change])
  return random.chance(0.5) ? statements : statements.toReversed()
}

// A line comes, goes or moves to another document; stock changes. Their records stay as they are.
function ofChildren(random: Random): string {
  const relation = random.of(['invoice_lines', 'invoice_lines_archive'])
  const [id, parent] = [1 + random.upTo(most), 1 + random.upTo(most)]
  const stock = `${1 + random.upTo(40)}, ${1 + random.upTo(3)}, ${random.upTo(900) / 8}`
  return random.of([
    `INSERT INTO ${relation} (id, invoice_id, quantity) VALUES (${id}, ${parent}, ${random.upTo(999) / 100})
      ON CONFLICT (id) DO UPDATE SET invoice_id = excluded.invoice_id, quantity = excluded.quantity`,
    `DELETE FROM ${relation} WHERE id = ${id}`,
    `INSERT INTO product_stock (product_id, store_id, quantity) VALUES (${stock})
      ON CONFLICT (product_id, store_id) DO UPDATE SET quantity = excluded.quantity`,
  ])
}

function statements(random: Random, hasReplace: boolean): string[] {
  const relation = random.of(['invoices', 'invoices', 'invoices_archive', 'customers', 'products'])
  const id = 1 + random.upTo(most)
  const values: Record<string, number | string> = { id, ...changes(random, relation) }
  const quoted = Object.values(values).map((value) => (typeof value === 'string' ? `'${value}'` : String(value)))
  const set = Object.keys(values).map((column, at) => `"${column}" = ${quoted[at]}`)
  const columns = Object.keys(values).map((column) => `"${column}"`)
  const insert = (how: string, end: string) =>
    `INSERT ${how} INTO ${relation} (${columns.join(', ')}) VALUES (${quoted.join(', ')}) ${end}`
  const [source, target] = random.chance(0.5) ? ['invoices', 'invoices_archive'] : ['invoices_archive', 'invoices']
  const other = 1 + random.upTo(most)
  const isMovable = `NOT EXISTS (SELECT 1 FROM ${relation} WHERE id = ${other})`
  const ways: (() => string[])[] = [
    () => [insert('', 'ON CONFLICT DO NOTHING')],
    () => [insert('', `ON CONFLICT (id) DO UPDATE SET ${set.slice(1).join(', ')}`)],
    () => [`UPDATE ${relation} SET ${set.slice(1).join(', ')} WHERE id BETWEEN ${id} AND ${id + 3}`],
    () => [`UPDATE ${relation} SET ${set.at(-1)} WHERE id % 97 = ${id % 97}`],
    () => [`UPDATE ${relation} SET id = ${other} WHERE id = ${id} AND ${isMovable}`],
    () => [`DELETE FROM ${relation} WHERE id BETWEEN ${id} AND ${id + random.upTo(3)}`],
    () => [
      `INSERT INTO ${target} SELECT * FROM ${source} WHERE id = ${id} ON CONFLICT DO NOTHING`,
      `DELETE FROM ${source} WHERE id = ${id}`,
    ],
  ]
  const replacing: (() => string[])[] = [
    () => [insert('OR REPLACE', '')],
    () => [`UPDATE OR REPLACE ${relation} SET id = ${other} WHERE id = ${id}`],
    () => [`REPLACE INTO ${target} SELECT * FROM ${source} WHERE id = ${id}`, `DELETE FROM ${source} WHERE id = ${id}`],
  ]
  return random.of(hasReplace ? [...ways, ...replacing] : ways)()
}
