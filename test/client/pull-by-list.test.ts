// `pull` from a service without a change feed: everything is read again, whatever changes between two pages, and what is gone goes.
import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { VitrineError, type Client } from '../../client/index.ts'
import { pullByFeed } from '../../client/pull/by-feed.ts'
import { pullByList } from '../../client/pull/by-list.ts'
import { openFilesStore } from '../../client/pull/files-store.ts'
import { HasNoFeed, wholeFeed, type PullJob, type PullResult } from '../../client/pull/job.ts'
import { positionsOf } from '../../client/pull/positions.ts'
import { Refused, type Store, type VisibleResource } from '../../client/pull/store.ts'
import { clientOf } from '../support/client.ts'
import { filledRow } from '../support/fixture.ts'
import { temporaryFolder, until } from '../support/process.ts'
import { createWorld, type World } from '../support/world.ts'

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at)
const mirror = { origin: 'the test', format: 'ndjson', isRawText: false, isWithoutLines: false } as const
const jobOf = (job: Pick<PullJob, 'client' | 'store'> & Partial<PullJob>): PullJob => ({
  names: [],
  mirror,
  signal: new AbortController().signal,
  onProgress: () => {},
  remark: () => {},
  pausesMs: [1],
  isWatching: false,
  ...job,
})

suite('a mirror of a service without a change feed', () => {
  let world: World
  let folder: string
  before(async () => {
    const draft = 2
    world = await createWorld({
      hasJournal: false,
      rows: {
        invoices: range(1, 250).map((id) => filledRow('invoices', id, { kind: 1, status: id % 9 === 0 ? draft : 3 })),
        invoices_archive: [filledRow('invoices_archive', 1000, { kind: 1 })],
        invoice_lines: range(1, 250).map((id) => filledRow('invoice_lines', id, { invoice_id: id })),
        products: [filledRow('products', 1, { active: false })],
        stores: [filledRow('stores', 1)],
      },
    })
    await until('it is known that there is no feed', () => world.engine.hasFeed() === false)
    folder = temporaryFolder('vitrine by list ')
  })
  after(async () => {
    await world.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const stored = (name: string) =>
    readFileSync(join(folder, `${name}.ndjson`), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { id: number })
  const idsOf = (name: string) => stored(name).map(({ id }) => id)

  /** One run of the command, and the pages that it asked for. */
  async function run(names: readonly string[], onRequest: (path: string) => Promise<void> | void = () => {}) {
    const pages: number[] = []
    const client = await clientOf(world, {
      onRequest: async (path) => {
        await onRequest(path)
        const page = /[?&]page=(\d+)/.exec(path)?.[1]
        if (page !== undefined) pages.push(Number(page))
      },
    })
    const store = await openFilesStore(folder)
    try {
      const job = jobOf({ client, store, names })
      const results: PullResult[] = []
      for (const position of await positionsOf(job, false)) results.push(await pullByList(job, position))
      return { pages, results }
    } finally {
      await store.close()
    }
  }

  test('drafts, inactive and archived records come with their lines; what does not come again is gone', async () => {
    const all = [...range(1, 250), 1000]
    const first = await run(['invoices', 'products', 'stores'])
    assert.deepEqual(
      first.results.map(({ resource, changed, gone, total }) => [resource, changed, gone, total]),
      [
        ['products', 1, 0, 1],
        ['invoices', 251, 0, 251],
        ['stores', 1, 0, 1],
      ],
    )
    assert.deepEqual(first.pages, [1, 3, 2, 1, 1])
    const client = await clientOf(world)
    const truth = async () => await Promise.all(idsOf('invoices').map((id) => client.get('invoices', id)))
    assert.deepEqual(idsOf('invoices'), all)
    assert.deepEqual(stored('invoices'), await truth())
    assert.equal((await client.get('invoices', 7)).lines.length, 1)

    // Neither has a new `updated_at`.
    await world.place.write('DELETE FROM invoices WHERE id = 5; UPDATE invoice_lines SET quantity = 77 WHERE id = 7')
    assert.deepEqual((await run(['invoices'])).results, [{ resource: 'invoices', changed: 250, gone: 1, total: 250 }])
    assert.deepEqual(stored('invoices'), await truth())
    await world.place.write(`UPDATE stores SET name = 'Other'; DELETE FROM products;
      INSERT INTO stores (id, name) VALUES (9007199254740993, 'With an id that no program can keep')`)
    await run(['products', 'stores'])
    assert.deepEqual(stored('stores'), [await client.get('stores', 1)])
    assert.deepEqual(stored('products'), [])
  })

  test('records that are deleted and made between two pages hide no other; one that goes before its detail is left out', async () => {
    let deleted = 10
    await run(['invoices'], async (path) => {
      if (path.endsWith('/invoices/20')) await world.place.write('DELETE FROM invoices WHERE id = 20')
      if (!path.includes('&page=')) return
      deleted += 1
      await world.place.write(
        `DELETE FROM invoices WHERE id = ${deleted}; INSERT INTO invoices (id, kind, status) VALUES (${deleted + 2000}, 1, 3)`,
      )
    })
    const there = idsOf('invoices')
    assert.deepEqual(
      range(21, 250).filter((id) => !there.includes(id)),
      [],
    )
    assert.equal(there.includes(20), false)
  })

  test('a broken connection, and a run that ends: the next page is asked for, and the run after that begins again', async () => {
    let requests = 0
    const broken = await run(['invoices'], (path) => {
      if (path.includes('&page=2') && requests++ === 0) throw new TypeError('fetch failed')
    })
    assert.deepEqual(broken.pages, [3, 2, 1])
    const ended = run(['invoices'], (path) => {
      if (path.includes('&page=1')) throw new TypeError('fetch failed')
    })
    await assert.rejects(ended, { code: 'network_error' })
    const { pages, results } = await run(['invoices'])
    assert.deepEqual([pages, results.map(({ changed }) => changed)], [[1], [100]])
    assert.deepEqual((await run(['invoices'])).pages, [3, 2, 1])
  })

  test('a mirror that follows the feed waits for it', async () => {
    const store = await openFilesStore(join(folder, 'feed'))
    try {
      const job = jobOf({ client: await clientOf(world), store })
      await store.setMirror(mirror)
      await store.begin(wholeFeed, [{ name: 'stores', fields: [] }])
      await assert.rejects(pullByFeed(job, wholeFeed), HasNoFeed)
      await assert.rejects(positionsOf({ ...job, names: ['invoices', 'stores'] }, false), HasNoFeed)
    } finally {
      await store.close()
    }
  })
})

const dayOf = (text: string) => (Date.parse(text) - Date.UTC(2024, 0)) / 86_400_000

function memoryStore(resource: VisibleResource) {
  const came = new Set<number>()
  let cursor: string | null = null
  const store = {
    resourcesAt: async () => [{ resource }],
    cursorOf: async () => cursor,
    readSoFar: async () => came.size,
    save: async (_position: string, entries: readonly { id: number }[], next: string) => {
      for (const { id } of entries) came.add(id)
      cursor = next
    },
    finish: async () => [{ name: resource.name, total: came.size, removed: 0 }],
  }
  return store as unknown as Store
}

suite('more records than a list can show', () => {
  const undated = 150_250
  const all = 1_200_000
  const ofOneDay = 1000
  const idField = { name: 'id', type: 'integer', in: 'list' } as const
  const dateField = { name: 'date', type: 'string', format: 'date', in: 'list' } as const

  /** Records by id: those without a date, then a thousand of each day. One gets a date as soon as others with a date were read. */
  function largeService(perDay: number) {
    let [asked, isMoved] = [0, false]
    const list = async (_name: string, query: Record<string, string | number>) => {
      const { date_from: from, date_to: to, page = 1, per_page: each, sort = 'id' } = query
      assert(Number(page) <= 10_000)
      asked += 1
      if (asked === 6000) throw new VitrineError('The connection broke.', { code: 'network_error' })
      if (from !== undefined && each === 100) isMoved = true
      const clamp = (id: number) => Math.min(all, Math.max(undated, id))
      const first = from === undefined ? Number(isMoved) : clamp(undated + dayOf(String(from)) * perDay)
      const last = to === undefined ? all : clamp(undated + (dayOf(String(to)) + 1) * perDay)
      // No list is as long as all of them.
      assert(from !== undefined || each === 1 || sort === 'date')
      const begin = first + (Number(page) - 1) * Number(each)
      const length = Math.max(0, Math.min(Number(each), last - begin))
      const data = Array.from({ length }, (_, at) => ({ id: begin + at + 1 }))
      return { data, meta: { total: last - first } }
    }
    return { client: { list } as unknown as Client, asked: () => asked }
  }

  test('are read in parts by date, each part once, and those without a date before the others', async () => {
    const { client, asked } = largeService(ofOneDay)
    const store = memoryStore({ name: 'invoices', fields: [idField, dateField] })
    const { total } = await pullByList(jobOf({ client, store }), 'invoices')
    assert.equal(total, all)
    assert(asked() < all / 100 + 100, `${asked()} requests`)
  })

  test('are refused where that cannot be: without a date, and of one day', async () => {
    for (const [perDay, fields] of [
      [ofOneDay, [idField]],
      [all, [idField, dateField]],
    ] as const) {
      const { client } = largeService(perDay)
      const store = memoryStore({ name: 'invoices', fields })
      await assert.rejects(pullByList(jobOf({ client, store }), 'invoices'), Refused)
    }
  })
})
