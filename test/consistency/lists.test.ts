// While the tills write: the total of a list, its header and its records never disagree, however many records come and go in one
// transaction; and a record and its lines are of one moment.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { filledRow } from '../support/fixture.ts'
import { howMuch, told } from '../support/how-much.ts'
import { engineUnderTest } from '../support/place.ts'
import type { Rows } from '../support/pos.ts'
import { createWorld, type Answer, type World } from '../support/world.ts'

const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at)
const engine = engineUnderTest === 'postgres' ? 'PostgreSQL' : 'SQLite'
const checks = howMuch(500, 20_000)
const readers = 4
// Thousands of records a second come and go all the same.
const pauseMs = 10

// `staying` records are always there; `batches` of these sizes are added and removed again, each in one transaction.
const staying = 30
const batches = [1, 7, 40, 3, 26, 2, 60, 13]
const rows: Rows = {
  stores: from(1, 3).map((id) => filledRow('stores', id)),
  payments: from(1, staying).map((id) => filledRow('payments', id, { status: 3, store_id: 1 })),
  invoices: from(1, staying).map((id) => filledRow('invoices', id, { status: 1, store_id: 1, total: 100 })),
  invoice_lines: from(1, 4).map((id) => filledRow('invoice_lines', id, { invoice_id: 1, quantity: 100 })),
  invoice_payments: from(1, 2).map((id) => filledRow('invoice_payments', id, { invoice_id: 1, cash: 100 })),
}

const columnsOf = (relation: 'payments' | 'invoices') =>
  Object.keys(filledRow(relation, 1))
    .filter((column) => column !== 'id')
    .map((column) => `"${column}"`)
    .join(', ')

/** Copies of the first record, with ids of their own. */
const come = (relation: 'payments' | 'invoices', count: number) => {
  const columns = columnsOf(relation)
  const ids = from(1001, 1000 + count).map((id) => `SELECT ${id} AS id`)
  return `INSERT INTO ${relation} (id, ${columns})
    SELECT n.id, ${columns.replaceAll(/"(\w+)"/g, 'p."$1"')}
    FROM ${relation} p, (${ids.join(' UNION ALL ')}) n WHERE p.id = 1`
}
const go = (relation: string) => `DELETE FROM ${relation} WHERE id > 1000`
const toggling = (relation: 'payments' | 'invoices') =>
  batches.flatMap((count) => [come(relation, count), go(relation)])

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads what it expects to be there
type Body = any

const sumOf = (seen: ReadonlyMap<unknown, number>) => [...seen.values()].reduce((sum, count) => sum + count, 0)

/** Total, header and records tell the same; how many records there were. */
function agree({ status, body, headers, text }: Answer): number {
  assert.equal(status, 200, text.slice(0, 300))
  const { total, total_pages, page, per_page } = body.meta
  const said = [Number(headers['X-Total-Count']), body.data.length, total_pages]
  const expected = [total, Math.max(0, Math.min(per_page, total - (page - 1) * per_page)), Math.ceil(total / per_page)]
  assert.deepEqual(said, expected, `total ${total}, page ${page} of ${per_page}`)
  const ids = body.data.map(({ id }: { id: number }) => id)
  assert.equal(new Set(ids).size, ids.length, 'a record twice')
  return total
}

const change = (value: number) =>
  `UPDATE invoices SET total = ${value} WHERE id = 1; UPDATE invoice_lines SET quantity = ${value} WHERE invoice_id = 1;
   UPDATE invoice_payments SET cash = ${value} WHERE invoice_id = 1`

suite(`while the tills write, on ${engine}`, () => {
  let world: World
  let token: string
  before(async () => {
    world = await createWorld({ rows, readers: 2 })
    token = await world.tokenFor()
  })
  after(() => world.close())

  /** Gets `checks` answers, several at a time, while scripts run, and counts the results of `look`. */
  async function lookAt(
    scripts: readonly string[],
    targets: readonly string[],
    states: number,
    look: (answer: Answer, target: string) => unknown,
    pause = pauseMs,
  ) {
    const writer = world.place.keepWriting(scripts, pause)
    const seen = new Map<unknown, number>()
    let begun = 0
    const read = async () => {
      // Continues until every state was seen, because the writer may have been late.
      while (begun < checks || (seen.size < states && begun < 100 * checks)) {
        const target = targets[begun % targets.length] ?? ''
        begun += 1
        const what = look(await world.ask(target, { token }), target)
        seen.set(what, (seen.get(what) ?? 0) + 1)
        // A writer in this same process must have its turn.
        if (begun % 16 === 0) await new Promise(setImmediate)
      }
    }
    try {
      await Promise.all(Array.from({ length: readers }, read))
    } finally {
      await writer.stop()
    }
    return seen
  }

  for (const relation of ['payments', 'invoices'] as const)
    test(`${relation}: total, X-Total-Count and data agree in ${checks} of ${checks} answers`, async () => {
      const targets = [
        `/${relation}?per_page=100`,
        `/${relation}?per_page=9&page=4&sort=id`,
        `/${relation}?per_page=17&page=3&store_id=1&sort=-date`,
        `/${relation}?per_page=100&search=${relation}`,
        `/${relation}?per_page=100&sort=-updated_at&date_from=2000-01-01`,
      ]
      const allowed = new Set([staying, ...batches.map((count) => staying + count)])
      const seen = await lookAt(toggling(relation), targets, allowed.size, (answer, target) => {
        const total = agree(answer)
        assert(allowed.has(total), `${target}: ${total} records are half a batch`)
        return total
      })
      assert.equal(seen.size, allowed.size, 'every state was seen')
      told(`${engine}, ${relation}: ${sumOf(seen)} answers agree with themselves, in ${seen.size} states`)
    })

  test(`an invoice, its lines and its payments are of one moment in ${checks} of ${checks} answers`, async () => {
    // Also with another number of lines.
    const grow = `INSERT INTO invoice_lines (id, invoice_id, quantity) VALUES (77, 1, 300), (78, 1, 300);
      ${change(300)}`
    const shrink = `DELETE FROM invoice_lines WHERE id IN (77, 78); ${change(100)}`
    const seen = await lookAt(
      [change(200), grow, shrink],
      ['/invoices/1'],
      3,
      ({ status, body, text }) => {
        assert.equal(status, 200, text)
        const { total, lines, payments } = body.data
        const values = [...lines.map((line: Body) => line.quantity), ...payments.map((payment: Body) => payment.cash)]
        assert.deepEqual(
          values,
          Array.from({ length: total === 300 ? 8 : 6 }, () => total),
        )
        return total
      },
      0,
    )
    assert.deepEqual(new Set(seen.keys()), new Set([100, 200, 300]), 'every state was seen')
    told(
      `${engine}: ${sumOf(seen)} details of one moment each, in ${[...seen].map(([total, count]) => `${String(total)}: ${count}`).join(', ')}`,
    )
  })
})
