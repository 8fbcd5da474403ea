// `changes` against the real service: each rule of the synchronisation by itself. (All of them at once, at random: walk.test.ts
// without a service, test/consistency/mirror.test.ts with one.)
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { relations } from '../../src/contract/relations.ts'
import { VitrineError, type Batch, type Changes, type ChangesOptions, type Client } from '../../client/index.ts'
import { clientOf } from '../support/client.ts'
import { filledRow, type Row } from '../support/fixture.ts'
import { createWorld, type World } from '../support/world.ts'

const overlapSeconds = 900
// Of the company's server, where it is 08:00.
const today = (time: string) => `2026-10-01T${time}`

interface Situation {
  readonly world: World
  readonly client: Client
  // What was asked of lists and records since the last look.
  readonly asked: () => string[]
}

let world: World
let beginsAtMs = 0
before(async () => {
  world = await createWorld()
  beginsAtMs = world.clock.now()
})
after(() => world.close())

const cell = (value: Row[string]) => (typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value))
const insert = (relation: string, row: Row) =>
  `INSERT INTO ${relation} (${Object.keys(row).join(', ')}) VALUES (${Object.values(row).map(cell).join(', ')})`

/** With these rows alone, at the time of the beginning, and with a key of its own. */
async function inWorld(
  rows: Record<string, Row[]>,
  act: (situation: Situation) => Promise<void>,
  onRequest?: (path: string) => Promise<void>,
) {
  const inserts = Object.entries(rows).flatMap(([relation, list]) => list.map((row) => insert(relation, row)))
  await world.place.write([...relations.map(({ name }) => `DELETE FROM ${name}`), ...inserts].join('; '))
  world.clock.advance(beginsAtMs - world.clock.now())
  const paths: string[] = []
  const client = await clientOf(world, {
    onRequest: async (path) => {
      if (!/\/(token|status)$/.test(path)) paths.push(path)
      await onRequest?.(path)
    },
  })
  await act({ world, client, asked: () => paths.splice(0) })
}

const invoices = (count: number, stamp: string | null, first = 1) =>
  Array.from({ length: count }, (_, at) => filledRow('invoices', first + at, { kind: 1, status: 3, updated_at: stamp }))

const unstamped = (ids: readonly number[]) =>
  ids.map((id) => `INSERT INTO invoices (id, kind, status) VALUES (${id}, 1, 3)`).join('; ')

async function take<Found extends { id: number }>(changes: Changes<Found>): Promise<number[]> {
  const ids: number[] = []
  for await (const { id } of changes) ids.push(id)
  return ids
}

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at)
const inOrder = (ids: readonly number[]) => ids.toSorted((one, other) => one - other)

function invalid(act: () => unknown, sentence: RegExp) {
  assert.throws(
    act,
    (error) => error instanceof VitrineError && error.code === 'invalid_cursor' && sentence.test(error.message),
  )
}

suite('cursors', () => {
  test('of another resource, of the other kind, and what is none, are refused before anything is asked', () =>
    inWorld({ invoices: invoices(1, today('07:00:00')) }, async ({ client, asked }) => {
      const changes = client.changes('invoices')
      assert.deepEqual(await take(changes), [1])
      asked()
      const { cursor } = changes
      invalid(() => client.changes('payments', { since: cursor }), /is of invoices, not of payments/)
      invalid(() => client.changesInFull('invoices', { since: cursor }), /other kind/)
      for (const since of [
        '',
        'yesterday',
        '{}',
        'null',
        '[]',
        '7',
        '2026-3-1',
        '2026-03-01 08:00:00',
        cursor.slice(0, -1),
      ])
        invalid(() => client.changes('invoices', { since }), /neither a cursor/)
      invalid(
        () => client.changes('invoices', { since: cursor.replace('"format":1', '"format":2') }),
        /neither a cursor/,
      )
      assert.deepEqual(asked(), [])
    }))

  test('a day that is none is refused by the service', () =>
    inWorld({}, async ({ client }) => {
      await assert.rejects(take(client.changes('invoices', { since: '2026-02-30' })), { code: 'invalid_parameter' })
    }))

  test('`since` a day or a time: from then on, nothing before, and nothing that was never stamped', () => {
    const stamps = [null, '2026-02-28T23:59:59', '2026-03-01T00:00:00', '2026-03-01T08:00:00', '2026-03-02T08:00:00']
    const rows = stamps.map((stamp, at) => invoices(1, stamp, at + 1)[0] as Row)
    return inWorld({ invoices: rows }, async ({ client }) => {
      assert.deepEqual(await take(client.changes('invoices', { since: '2026-03-01' })), [3, 4, 5])
      const changes = client.changes('invoices', { since: '2026-03-01T08:00:00' })
      assert.deepEqual(await take(changes), [4, 5])
      assert.deepEqual(await take(client.changes('invoices', { since: changes.cursor })), [])
      assert.deepEqual(await take(client.changes('invoices')), [1, 2, 3, 4, 5])
    })
  })

  test('more than a page of the first second of a day', () =>
    inWorld({ invoices: invoices(150, '2026-03-01T00:00:00') }, async ({ client }) => {
      assert.deepEqual(inOrder(await take(client.changes('invoices', { since: '2026-03-01' }))), range(1, 150))
    }))

  test('the cursor moves with the batches that were taken, and no further', () =>
    inWorld({ invoices: invoices(250, null) }, async ({ world, client }) => {
      await world.place.write(`UPDATE invoices SET updated_at = '2026-09-01T00:00:' || substr('0' || (id % 60), -2)`)
      const changes = client.changes('invoices')
      const seen: number[] = []
      for await (const { id } of changes) {
        seen.push(id)
        if (seen.length === 3) break
      }
      assert.deepEqual(inOrder(await take(client.changes('invoices', { since: changes.cursor }))), range(1, 250))
      const got: number[] = []
      for await (const { records, cursor } of changes.batches()) {
        got.push(...records.map(({ id }) => id))
        // A program that ends here goes on after these.
        const rest = await take(client.changes('invoices', { since: cursor }))
        assert.deepEqual(inOrder([...got, ...rest]), range(1, 250))
      }
    }))
})

suite('whatever there is', () => {
  test('records without updated_at that come later are given once, however many', () =>
    inWorld(
      { invoices: [...invoices(130, null), ...invoices(3, today('07:00:00'), 500)] },
      async ({ world, client }) => {
        const first = client.changes('invoices')
        assert.equal((await take(first)).length, 133)
        await world.place.write(unstamped(range(1001, 1250)))
        const second = client.changes('invoices', { since: first.cursor })
        assert.deepEqual(inOrder(await take(second)), range(1001, 1250))
        await world.place.write(unstamped([2000]))
        const third = client.changes('invoices', { since: second.cursor })
        assert.deepEqual(await take(third), [2000])
        assert.deepEqual(await take(client.changes('invoices', { since: third.cursor })), [])
      },
    ))

  test('resources without updated_at are compared whole', () =>
    inWorld({ stores: range(1, 120).map((id) => ({ id, name: `Store ${id}` })) }, async ({ world, client }) => {
      const changes = client.changes('stores')
      assert.deepEqual(await take(changes), range(1, 120))
      assert.deepEqual(await take(changes), [])
      await world.place.write(
        `UPDATE stores SET name = 'Other' WHERE id = 7; INSERT INTO stores (id, name) VALUES (200, 'New')`,
      )
      assert.deepEqual(await take(client.changes('stores', { since: changes.cursor })), [7, 200])
    }))

  test('hundreds that were never stamped, and hundreds of one second, each once', () =>
    inWorld({ invoices: [...invoices(250, null), ...invoices(350, today('07:00:00'), 301)] }, async ({ client }) => {
      const changes = client.changes('invoices')
      const ids = await take(changes)
      assert.deepEqual(inOrder(ids), [...range(1, 250), ...range(301, 650)])
      assert.deepEqual(await take(changes), [])
    }))

  test('drafts and inactive products too: a list without them would not tell when they change', () =>
    inWorld(
      {
        invoices: [...invoices(1, today('07:00:00')), filledRow('invoices', 2, { kind: 1, status: 2 })],
        products: [filledRow('products', 1, { active: false })],
      },
      async ({ client }) => {
        assert.deepEqual(inOrder(await take(client.changes('invoices'))), [1, 2])
        assert.deepEqual(await take(client.changes('products')), [1])
      },
    ))

  // Those behind a record that leaves its second move to the page that was just read.
  test('pages that move while hundreds of one second are read', async () => {
    let lists = 0
    let world: World | undefined
    await inWorld(
      { invoices: invoices(350, today('07:00:00')) },
      async (situation) => {
        world = situation.world
        const ids = await take(situation.client.changes('invoices'))
        assert.deepEqual([...new Set(inOrder(ids))], range(1, 350))
      },
      async (path) => {
        if (!path.includes('sort=updated_at')) return
        lists += 1
        await world?.place.write(
          `UPDATE invoices SET updated_at = '${today('07:30:00')}' WHERE id BETWEEN ${lists * 20} AND ${lists * 20 + 15}`,
        )
      },
    )
    assert(lists > 4)
  })

  test('hundreds that leave their second at once: the others come, and none of them twice', async () => {
    let world: World | undefined
    let pages = 0
    await inWorld(
      // With a later one: nothing can be added to that second any more, and what was read of it need not be remembered.
      { invoices: [...invoices(1200, '2026-09-01T00:00:00'), ...invoices(1, today('07:00:00'), 2000)] },
      async (situation) => {
        world = situation.world
        const ids = await take(situation.client.changes('invoices'))
        assert.deepEqual(inOrder(ids.filter((id) => id > 450)), [...range(451, 1200), 2000])
      },
      async (path) => {
        if (!/sort=updated_at.*page=[2-9]$/.test(path)) return
        pages += 1
        if (pages === 4)
          await world?.place.write(`UPDATE invoices SET updated_at = '${today('07:30:00')}' WHERE id <= 450`)
      },
    )
    assert(pages > 4)
  })

  test('records that are deleted while those of one second are counted', async () => {
    let world: World | undefined
    let counts = 0
    await inWorld(
      { invoices: [...invoices(300, '2026-09-01T00:00:00'), ...invoices(150, today('07:00:00'), 301)] },
      async (situation) => {
        world = situation.world
        const ids = await take(situation.client.changes('invoices', { since: '2026-01-01' }))
        assert.deepEqual(inOrder(ids), range(1, 301))
      },
      async (path) => {
        if (!path.includes('per_page=1&') && !path.endsWith('per_page=1')) return
        // The first one is about records without a stamp.
        counts += 1
        if (counts === 3) await world?.place.write('DELETE FROM invoices WHERE id > 301')
      },
    )
    assert.equal(counts, 3)
  })

  test('a run that ends among thousands of one second goes on there, and hands nothing on twice', () =>
    inWorld(
      { invoices: [...invoices(1200, '2026-09-01T00:00:00'), ...invoices(1, today('07:00:00'), 1201)] },
      async ({ client, asked }) => {
        const seen: number[] = []
        let since: string | null = null
        for (let batches = 0; seen.length < 1201; batches++) {
          assert(batches < 20)
          for await (const batch of client.changes('invoices', { since }).batches()) {
            seen.push(...batch.records.map(({ id }) => id))
            since = batch.cursor
            break
          }
        }
        assert.deepEqual(inOrder(seen), range(1, 1201))
        const pages = asked().filter((path) => path.includes('&page='))
        assert(pages.length < 30, `${pages.length} pages`)
      },
    ))
})

suite('late, equal and strange times', () => {
  test('what is committed late is found, as long as it is within the overlap', () =>
    inWorld({ invoices: invoices(1, today('07:59:59')) }, async ({ world, client }) => {
      const changes = client.changes('invoices', { overlapSeconds })
      assert.deepEqual(await take(changes), [1])
      world.clock.advance(800_000)
      await world.place.write(`UPDATE invoices SET total = 1, updated_at = '${today('08:13:20')}' WHERE id = 1`)
      await world.place.write(insertInvoice(2, today('08:00:01')))
      assert.deepEqual(inOrder(await take(changes)), [1, 2])
    }))

  test('a second change within the same second is found', () =>
    inWorld({ invoices: invoices(2, today('07:59:59')) }, async ({ world, client }) => {
      const changes = client.changes('invoices', { overlapSeconds })
      await take(changes)
      await world.place.write('UPDATE invoices SET total = 77 WHERE id = 2')
      assert.deepEqual(await take(changes), [2])
    }))

  test('a stamp of 2099 does not keep others from being found', () =>
    inWorld(
      { invoices: [...invoices(1, '2099-01-01T00:00:00'), ...invoices(1, today('07:00:00'), 2)] },
      async ({ world, client }) => {
        const changes = client.changes('invoices', { overlapSeconds })
        assert.deepEqual(inOrder(await take(changes)), [1, 2])
        for (const [id, time] of [
          [3, '08:10:00'],
          [4, '08:40:00'],
          [5, '08:39:00'],
        ] as const) {
          world.clock.advance(20 * 60_000)
          await world.place.write(insertInvoice(id, today(time)))
          assert.deepEqual(await take(changes), [id])
        }
        assert.deepEqual(await take(changes), [])
      },
    ))

  test('while nobody writes, a finished second is not read again after the overlap', () =>
    inWorld({ invoices: invoices(250, today('07:59:00')) }, async ({ world, client, asked }) => {
      const changes = client.changes('invoices', { overlapSeconds })
      const run = async () => {
        const ids = await take(changes)
        return { ids: ids.length, lists: asked().length, bytes: changes.cursor.length }
      }
      const first = await run()
      world.clock.advance(10_000)
      const again = await run()
      assert.deepEqual([first.ids, again.ids], [250, 0])
      assert(again.lists > 3, 'it could still be added to')
      for (let at = 0; at < 2; at++) {
        world.clock.advance((overlapSeconds + 3) * 1000)
        await run()
      }
      const last = await run()
      assert.deepEqual([last.ids, last.lists], [0, 3])
      assert(last.bytes < 600, `${last.bytes} characters of cursor`)
    }))
})

suite('as a program uses it', () => {
  test('progress counts down to nothing', () =>
    inWorld({ invoices: invoices(450, null) }, async ({ world, client }) => {
      await world.place.write(`UPDATE invoices SET updated_at = '2026-09-01T00:0' || (id % 9) || ':00'`)
      const left: number[] = []
      await take(client.changes('invoices', { onProgress: (progress) => left.push(progress.left) }))
      assert.equal(left[0], 450)
      assert.equal(left.at(-1), 0)
      assert.deepEqual(
        left,
        left.toSorted((one, other) => other - one),
      )
    }))

  test('aborted, and gone on with: everything once', () =>
    inWorld({ invoices: invoices(450, '2026-09-01T00:00:00') }, async ({ client }) => {
      const control = new AbortController()
      const seen: number[] = []
      let since = ''
      const run = async (options: ChangesOptions) => {
        for await (const { records, cursor } of client.changes('invoices', options).batches()) {
          seen.push(...records.map(({ id }) => id))
          since = cursor
          if (seen.length >= 200) control.abort(new Error('enough'))
        }
      }
      await assert.rejects(run({ signal: control.signal }), /^Error: enough$/)
      await run({ since })
      assert.deepEqual(inOrder(seen), range(1, 450))
    }))
})

suite('changesInFull', () => {
  const rows = {
    invoices: invoices(15, today('07:59:59')),
    invoice_lines: [filledRow('invoice_lines', 1, { invoice_id: 7 })],
  }

  test('each record with its arrays, in batches that are small', () =>
    inWorld(rows, async ({ client }) => {
      const batches: Batch<{ id: number; lines: readonly unknown[] }>[] = []
      for await (const batch of client.changesInFull('invoices').batches()) batches.push(batch)
      assert.deepEqual(
        batches.map(({ records }) => records.length),
        [10, 5, 0],
      )
      assert.deepEqual(
        batches.flatMap(({ records }) => records.map(({ id, lines }) => [id, lines.length])),
        range(1, 15).map((id) => [id, id === 7 ? 1 : 0]),
      )
    }))

  test('stopped and gone on with: nothing is asked for again that cannot have changed', () =>
    inWorld(
      { invoices: [...invoices(15, '2026-09-01T00:00:00'), ...invoices(1, today('07:00:00'), 16)] },
      async ({ client, asked }) => {
        let since: string | null = null
        for await (const { cursor, records } of client.changesInFull('invoices').batches()) {
          since = cursor
          if (records.length > 0) break
        }
        await take(client.changesInFull('invoices', { since }))
        assert.equal(asked().filter((path) => /invoices\/\d/.test(path)).length, 16)
      },
    ))

  test('a line that is changed within the second of its document is found once the second is over', () =>
    inWorld(rows, async ({ world, client, asked }) => {
      const changes = client.changesInFull('invoices', { overlapSeconds })
      assert.deepEqual(await take(changes), range(1, 15))
      await world.place.write('UPDATE invoice_lines SET quantity = 77')
      const found: number[] = []
      for (let at = 0; at < 3; at++) {
        world.clock.advance((overlapSeconds + 3) * 1000)
        for await (const { id, lines } of changes) {
          assert.equal(lines[0]?.quantity, 77)
          found.push(id)
        }
      }
      assert.deepEqual(found, [7])
      asked()
      assert.deepEqual(await take(changes), [])
      assert.equal(asked().filter((path) => /invoices\/\d/.test(path)).length, 0, 'nothing is asked for again')
    }))

  test('a record that is gone by the time it is asked for is left out', async () => {
    let world: World | undefined
    await inWorld(
      rows,
      async (situation) => {
        world = situation.world
        assert.deepEqual(await take(situation.client.changesInFull('invoices')), [1, 2, 4, ...range(5, 15)])
      },
      async (path) => {
        if (/invoices\/\d/.test(path)) await world?.place.write('DELETE FROM invoices WHERE id = 3')
      },
    )
  })
})

function insertInvoice(id: number, stamp: string): string {
  return `INSERT INTO invoices (id, kind, status, updated_at) VALUES (${id}, 1, 3, '${stamp}')`
}
