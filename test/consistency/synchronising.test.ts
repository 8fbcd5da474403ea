// The recipe for a copy without the feed, as the program in its guide has it: whatever the tills do between two requests, no record
// is lost that was there all the time, and after a run without writes the copy is what the service has.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, afterEach, suite, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { filledRow } from '../support/fixture.ts'
import { engineUnderTest } from '../support/place.ts'
import { sampleFile } from '../support/samples.ts'
import { createWorld, type World } from '../support/world.ts'

type Row = { readonly id: number; readonly [field: string]: unknown }
type Synchronise = (
  resource: string,
  filter: Record<string, string>,
  copy: Map<number, Row>,
  perPage?: number,
) => Promise<void>

const engine = engineUnderTest === 'postgres' ? 'PostgreSQL' : 'SQLite'
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at)

// The program imports its client from the file beside it; here that one asks the world of the test.
const folder = mkdtempSync(join(tmpdir(), 'vitrine-synchronise-'))
const asks = { get: (_path: string): Promise<unknown> => Promise.reject(new Error('not yet')) }
;(globalThis as unknown as { vitrineSample: typeof asks }).vitrineSample = asks

async function loadProgram(): Promise<Synchronise> {
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'client.ts'), 'export const get = (path: string) => globalThis.vitrineSample.get(path)\n')
  writeFileSync(join(folder, 'synchronise.ts'), sampleFile('synchronise.ts').code)
  return ((await import(pathToFileURL(join(folder, 'synchronise.ts')).href)) as { synchronise: Synchronise })
    .synchronise
}

const inOrder = (copy: Map<number, Row>) => [...copy.values()].toSorted((one, other) => one.id - other.id)
const insertion = (id: number, status = 3) => `INSERT INTO invoices (id, kind, status) VALUES (${id}, 1, ${status})`

suite(`the recipe for a copy without the feed, on ${engine}`, () => {
  let synchronise: Synchronise
  let world: World
  let token: string
  before(async () => {
    synchronise = await loadProgram()
  })
  after(() => rmSync(folder, { recursive: true, force: true }))
  beforeEach(async () => {
    world = await createWorld({
      rows: { invoices: range(11, 40).map((id) => filledRow('invoices', id, { kind: 1, status: 3 })) },
    })
    token = await world.tokenFor()
  })
  afterEach(() => world.close())

  /** A run, with what the tills do after each page. */
  async function run(copy: Map<number, Row>, afterPage: (page: number) => string | null = () => null): Promise<void> {
    asks.get = async (path) => {
      const answer = await world.ask(path, { token })
      if (answer.status !== 200) throw Object.assign(new Error(answer.text), { status: answer.status })
      const page = /[?&]page=(\d+)/.exec(path)?.[1]
      const sql = page === undefined ? null : afterPage(Number(page))
      if (sql !== null) await world.place.write(sql)
      return answer.body
    }
    await synchronise('invoices', { status: 'all' }, copy, 5)
  }

  test('records are deleted and made between two pages, voided, archived and saved as drafts: none is lost', async () => {
    const copy = new Map<number, Row>()
    let gone = 10
    await run(copy, () => {
      gone += 1
      return `DELETE FROM invoices WHERE id = ${gone}; ${insertion(100 + gone, gone % 2 === 0 ? 2 : 3)};
        UPDATE invoices SET status = 4, total = ${gone} WHERE id = 30;
        INSERT INTO invoices_archive SELECT * FROM invoices WHERE id = ${50 - gone};
        DELETE FROM invoices WHERE id = ${50 - gone}`
    })
    assert.deepEqual(
      range(gone + 1, 40).filter((id) => !copy.has(id)),
      [],
    )
    await run(copy)
    const { body } = await world.ask('/invoices?status=all&sort=id&per_page=100', { token })
    assert.deepEqual(inOrder(copy), body.data)
  })

  test('a new record with a low id pushes another one onto a page that was read: what the copy has of it stays', async () => {
    const copy = new Map<number, Row>()
    await run(copy)
    await run(copy, (page) => (page === 3 ? insertion(1) : null))
    assert.deepEqual(
      inOrder(copy).map(({ id }) => id),
      [1, ...range(11, 40)],
    )
  })
})
