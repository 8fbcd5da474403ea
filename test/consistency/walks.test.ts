// Walks over all pages while the tills write: in the order of `id`, none is repeated and none is skipped, whether records are
// appended meanwhile or documents move to the archive; and within each answer the total is one number that fits.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { filledRow } from '../support/fixture.ts'
import { howMuch, told } from '../support/how-much.ts'
import { engineUnderTest } from '../support/place.ts'
import type { Rows } from '../support/pos.ts'
import { createWorld, type World } from '../support/world.ts'

const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at)
const engine = engineUnderTest === 'postgres' ? 'PostgreSQL' : 'SQLite'
const pages = howMuch(240, 10_000)

const documents = 200
const rows: Rows = {
  invoices: from(1, documents).map((id) => filledRow('invoices', id, { status: 1 })),
  invoice_lines: from(1, documents).map((id) => filledRow('invoice_lines', id, { invoice_id: id })),
  quotes: from(1, documents).map((id) => filledRow('quotes', id, { status: 1 })),
  adjustments: from(1, documents).map((id) => filledRow('adjustments', id, { status: 9 })),
}

/** Some documents go to the archive with their lines, in one transaction, and come back in another. */
function moving(name: string, lines: string | null, owner: string): string[] {
  const move = (source: string, target: string, where: string) =>
    [[name, 'id'] as const, ...(lines ? [[lines, owner] as const] : [])]
      .map(
        ([relation, column]) =>
          `INSERT INTO ${relation}${target} SELECT * FROM ${relation}${source} WHERE ${column} ${where};
           DELETE FROM ${relation}${source} WHERE ${column} ${where}`,
      )
      .join('; ')
  return ['BETWEEN 1 AND 60', '% 7 = 0', 'BETWEEN 90 AND 180'].flatMap((where) => [
    move('', '_archive', where),
    move('_archive', '', where),
  ])
}

interface Page {
  readonly ids: readonly number[]
  readonly total: number
}

suite(`walks while the tills write, on ${engine}`, () => {
  let world: World
  let token: string
  before(async () => {
    world = await createWorld({ rows, readers: 2 })
    token = await world.tokenFor()
  })
  after(() => world.close())

  async function readPage(path: string, page: number, per: number, more = ''): Promise<Page> {
    const { status, body, headers, text } = await world.ask(`${path}?sort=id&per_page=${per}&page=${page}${more}`, {
      token,
    })
    assert.equal(status, 200, text.slice(0, 300))
    const { total } = body.meta
    assert.deepEqual(
      [Number(headers['X-Total-Count']), body.data.length],
      [total, Math.max(0, Math.min(per, total - (page - 1) * per))],
      `${path}, page ${page}`,
    )
    return { total, ids: body.data.map(({ id }: { id: number }) => id) }
  }

  /** Every page in turn, until one is not full. */
  async function walk(
    path: string,
    per: number,
    more = '',
  ): Promise<{ ids: number[]; totals: number[]; pages: number }> {
    const ids: number[] = []
    const totals: number[] = []
    for (let page = 1; ; page += 1) {
      const found = await readPage(path, page, per, more)
      ids.push(...found.ids)
      totals.push(found.total)
      if (found.ids.length < per) return { ids, totals, pages: page }
    }
  }

  for (const [path, scripts] of [
    ['/invoices', moving('invoices', 'invoice_lines', 'invoice_id')],
    ['/quotes', moving('quotes', null, 'quote_id')],
  ] as const)
    for (const [what, more] of [
      ['as they are', ''],
      ['by a search', '&search=es'],
    ] as const)
      test(`${path} ${what}: documents that move to the archive and back are met once each`, async () => {
        const writer = world.place.keepWriting(scripts, 20)
        let [read, walks] = [0, 0]
        try {
          for (let per = 7; read < pages / 2; per = per === 7 ? 23 : 7) {
            const { ids, totals, pages: count } = await walk(path, per, more)
            assert.deepEqual(ids, from(1, documents))
            assert.deepEqual(new Set(totals), new Set([documents]))
            read += count
            walks += 1
          }
        } finally {
          await writer.stop()
        }
        told(`${engine}, ${path} ${what}, moving to the archive: ${walks} walks over ${read} pages, each document once`)
      })

  test('records that are appended meanwhile: what was there is met once, and what came after it in its order', async () => {
    let last = documents
    let [read, walks] = [0, 0]
    const stopped = new AbortController()
    const columns = Object.keys(filledRow('adjustments', 1)).filter((column) => column !== 'id')
    const append = async () => {
      const count = 1 + (last % 5)
      const names = columns.map((column) => `"${column}"`).join(', ')
      const ids = from(last + 1, last + count).map((id) => `SELECT ${id} AS id`)
      await world.place.write(
        `INSERT INTO adjustments (id, ${names}) SELECT n.id, ${names.replaceAll(/"(\w+)"/g, 'a."$1"')}
         FROM adjustments a, (${ids.join(' UNION ALL ')}) n WHERE a.id = 1`,
      )
      last += count
    }
    // A walk must come to its end.
    const hasRoom = () => last < 20 * documents
    const appending = (async () => {
      while (!stopped.signal.aborted && hasRoom()) {
        await append()
        await new Promise((resolve) => setTimeout(resolve, 15))
      }
    })()
    try {
      while (read < pages / 2) {
        const [before, per] = [last, 40]
        const { ids, totals, pages: count } = await walk('/adjustments', per)
        assert.deepEqual(ids, from(1, ids.length), 'none twice, none left out, in order')
        assert(ids.length >= before, `${ids.length} of ${before}`)
        assert.deepEqual(
          totals,
          totals.toSorted((one, other) => one - other),
        )
        read += count
        walks += 1
      }
    } finally {
      stopped.abort()
      await appending
    }
    assert(last > documents)
    told(
      `${engine}, appended meanwhile: ${walks} walks over ${read} pages, ${last - documents} new ones, none twice and none left out`,
    )
  })
})
