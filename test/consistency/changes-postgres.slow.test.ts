// PostgreSQL: copies that follow the change feed miss nothing, though transactions commit late and out of order, one stays open all the
// time, and the server is started again.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { permissions } from '../../src/catalogue/access.ts'
import { createAnswerer } from '../../src/engine/answer.ts'
import type { FeedPart } from '../../src/engine/feed.ts'
import { openSource } from '../../src/engine/open-source.ts'
import type { PosSource } from '../../src/engine/source.ts'
import { createFinder } from '../../src/finder/finder.ts'
import { parsePostgresUrl } from '../../src/platform/postgres/url.ts'
import type { ChangesPlan, FeedPosition } from '../../src/query/plan.ts'
import { postgres } from '../../src/sql/postgres.ts'
import { postgresSchema } from '../../src/sql/postgres-schema.ts'
import { schemaStatements } from '../../src/sql/schema.ts'
import { companyOf } from '../support/exact.ts'
import { howMuch, seedOfRun, told } from '../support/how-much.ts'
import { connectTo, urlWith } from '../support/own-company.ts'
import { makePostgresPos } from '../support/place-postgres.ts'
import { startTill } from '../support/postgres-tills.ts'
import { startPostgres, type PostgresServer } from '../support/postgres.ts'
import { randomFrom } from '../support/random.ts'

const random = randomFrom(seedOfRun)
const looks = howMuch(100, 20_000)
const resources = ['products', 'customers', 'invoices', 'credit-memos']

let server: PostgresServer
let source: PosSource
let url = ''
before(async () => {
  server = await startPostgres()
  url = urlWith(server.url, { schema: 'pos' })
  const connection = await connectTo(url)
  await makePostgresPos(connection, 'pos', companyOf(random), schemaStatements(postgresSchema))
  await connection.close()
  const parsed = parsePostgresUrl(url, 'public', '/')
  if ('fault' in parsed) throw new Error(parsed.fault)
  source = await openSource({ kind: 'postgres', url: parsed.value, timeoutMs: 30_000 }, () => {})
})
after(async () => {
  await source?.close()
  await server?.remove()
})

const finder = createFinder(postgres, 0, { onVoid: () => {}, onGrown: () => {} })
const answerer = createAnswerer(postgres, finder, () => {})

async function read(plan: ChangesPlan): Promise<FeedPart> {
  const [answer] = await source.within((snapshot) => answerer.answer([plan], undefined, snapshot))
  assert(answer && typeof answer === 'object' && 'position' in answer, JSON.stringify(answer))
  // As it is put into a cursor.
  assert(JSON.stringify(answer.position).length < 300, JSON.stringify(answer.position))
  return answer
}

// A copy of what one access sees.
class Copy {
  readonly access: ChangesPlan['access']
  readonly records = new Map<string, string>()
  at: FeedPosition | null = null
  entries = 0

  constructor(stores: readonly number[] | null) {
    this.access = { permissions, stores, priceList: null }
  }

  async take(limit: number): Promise<boolean> {
    const part = await read({ shows: 'changes', resources, access: this.access, from: this.at, limit })
    const entries = JSON.parse(`[${Buffer.from(part.body).toString()}]`) as {
      resource: string
      id: number
      record?: object
    }[]
    for (const { resource, id, record } of entries)
      if (record) this.records.set(`${resource}/${id}`, JSON.stringify(record))
      else this.records.delete(`${resource}/${id}`)
    this.at = part.position
    this.entries += entries.length
    return part.more
  }

  async takeAll(): Promise<void> {
    while (await this.take(500));
  }
}

const sorted = ({ records }: Copy) => [...records].toSorted(([one], [other]) => (one < other ? -1 : 1))

test(`copies equal the truth, seed ${seedOfRun}`, async () => {
  const copies = [null, [1], [2, 3]].map((stores) => new Copy(stores))
  const open = await connectTo(url)
  await open.script(`BEGIN; INSERT INTO customers (id, name) VALUES (999999, 'late')`)
  const stop = new AbortController()
  const seeds = Array.from({ length: 10 }, () => random.upTo(2 ** 31))
  const tills = Promise.all(seeds.map((seed) => startTill(url, randomFrom(seed), stop.signal)))
  for (let done = 0; done < looks; done += 1) await random.of(copies).take(random.chance(0.2) ? 1 : 1 + random.upTo(60))
  stop.abort()
  const committed = (await tills).reduce((sum, each) => sum + each, 0)
  await open.script('COMMIT')
  await open.close()
  for (const copy of copies) {
    await copy.takeAll()
    const truth = new Copy(copy.access.stores)
    await truth.takeAll()
    assert.deepEqual(sorted(copy), sorted(truth), `seed ${seedOfRun}, stores ${String(copy.access.stores)}`)
    assert(copy.records.has('customers/999999'))
  }
  const entries = copies.reduce((sum, copy) => sum + copy.entries, 0)
  told(
    `PostgreSQL: ${committed} transactions, ${entries} entries: ${copies.length} copies equal the truth, seed ${seedOfRun}`,
  )
  assert(committed > 100)
})
