// follow(): everything that the key may see, then every change and every deletion, whatever goes wrong on the way.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { VitrineError, type FeedPart } from '../../client/index.ts'
import { addressOf, clientOf, fetchFrom } from '../support/client.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World
before(async () => {
  world = await createWorld({
    rows: {
      stores: [1, 2, 3].map((id) => ({ id, name: `S${id}` })),
      invoices: [1, 2].map((id) => ({ id, kind: 1, store_id: 1, status: 3 })),
      invoice_lines: [{ id: 1, invoice_id: 2, name: 'Rice' }],
    },
  })
})
after(() => world.close())

const named = (parts: readonly FeedPart[]) =>
  parts.flatMap(({ changes }) => changes.map(({ resource, id, change }) => `${resource}/${id} ${change}`))

/** The service's answers with something else in place of some. */
function faulty(answer: (at: number) => Response | Error | undefined): typeof fetch {
  const real = fetchFrom(world)
  let count = 0
  return async (url, init) => {
    if (!addressOf(url).includes('/changes')) return real(url, init)
    count += 1
    const given = answer(count)
    if (given instanceof Error) throw given
    return given ?? real(url, init)
  }
}

test('it gives everything with its lines, ends, and goes on from its cursor', async () => {
  const client = await clientOf(world)
  const parts = await Array.fromAsync(client.follow({ limit: 2 }))
  assert.deepEqual(
    named(parts),
    [1, 2].map((id) => `invoices/${id} record`).concat([1, 2, 3].map((id) => `stores/${id} record`)),
  )
  assert.deepEqual(
    parts.map(({ isBeginning, more }) => [isBeginning, more]),
    [
      [true, true],
      [false, true],
      [false, false],
    ],
  )
  const second = parts[0]?.changes[1]
  assert(second?.change === 'record' && second.resource === 'invoices')
  assert.equal(second.record.lines[0]?.name, 'Rice')
  const cursor = parts.at(-1)?.cursor ?? null
  assert.deepEqual(named(await Array.fromAsync(client.follow({ cursor }))), [])
  await world.place.write('DELETE FROM invoices WHERE id = 1; UPDATE invoice_lines SET quantity = 3')
  const later = await Array.fromAsync(client.follow({ cursor }))
  assert.deepEqual(named(later), ['invoices/1 gone', 'invoices/2 record'])
  assert.equal(later[0]?.isBeginning, false)
})

test('one resource, and a page that is asked for again and again', async () => {
  const client = await clientOf(world)
  const stop = new AbortController()
  const found: string[] = []
  const following = (async () => {
    for await (const part of client.follow({ resource: 'stores', everySeconds: 0.01, signal: stop.signal })) {
      found.push(...named([part]))
      if (found.length === 3) await world.place.write(`UPDATE stores SET name = 'New' WHERE id = 2`)
      if (found.length === 4) stop.abort(new Error('enough'))
    }
  })()
  await assert.rejects(following, /enough/)
  assert.deepEqual(found, ['stores/1 record', 'stores/2 record', 'stores/3 record', 'stores/2 record'])
})

test('broken connections, 500 and 502 are tried again', async () => {
  const waits: string[] = []
  const answers = [new TypeError('fetch failed'), new Response('bad gateway', { status: 502 })]
  const client = await clientOf(world, {
    fetch: faulty((at) => answers[at - 1]),
    onWait: ({ code }) => waits.push(code),
  })
  const parts = await Array.fromAsync(client.follow({ resource: 'stores' }))
  assert.equal(named(parts).length, 3)
  assert.deepEqual(waits, ['network_error', 'unexpected_answer'])
})

test('a cursor that has expired: it throws, or begins again and says so', async () => {
  const client = await clientOf(world)
  const first = await Array.fromAsync(client.follow({ resource: 'stores' }))
  const cursor = first.at(-1)?.cursor ?? null
  await world.place.write(`INSERT INTO vitrine_journal (relation) VALUES ('stores')`)
  await assert.rejects(
    Array.fromAsync(client.follow({ resource: 'stores', cursor })),
    (error) => error instanceof VitrineError && error.code === 'cursor_expired' && error.status === 410,
  )
  const again = await Array.fromAsync(client.follow({ resource: 'stores', cursor, beginAgain: true }))
  assert.deepEqual([again[0]?.isBeginning, named(again).length], [true, 3])
  // Of another resource, as of another key, it is refused.
  await assert.rejects(
    Array.fromAsync(client.follow({ cursor })),
    (error) => error instanceof VitrineError && error.code === 'invalid_parameter',
  )
  const [of] = await Array.fromAsync(client.follow({ cursor, beginAgain: true }))
  assert.equal(of?.isBeginning, true)
})

const expired = () => Response.json({ error: { code: 'cursor_expired', message: 'Begin again.' } }, { status: 410 })

test('a service whose cursors always expire is not read for ever', async () => {
  // Every second request goes on from a cursor.
  let asked = 0
  const client = await clientOf(world, {
    fetch: faulty((at) => {
      asked = at
      return at % 2 === 0 ? expired() : undefined
    }),
  })
  await assert.rejects(
    Array.fromAsync(client.follow({ limit: 1, beginAgain: true })),
    (error) => error instanceof VitrineError && error.code === 'cursor_expired',
  )
  assert.equal(asked, 8)
})

test('what is not of this service is refused', async () => {
  const client = await clientOf(world, { fetch: faulty(() => Response.json({ data: {} })) })
  await assert.rejects(Array.fromAsync(client.follow()), /holds no changes/)
})

test('an empty part with more to come is no end: it asks again at once', async () => {
  const meta = { cursor: 'c'.repeat(512) }
  const answer = (at: number) => Response.json({ data: [], meta: { ...meta, more: at < 3 } })
  const client = await clientOf(world, { fetch: faulty(answer) })
  const parts = await Array.fromAsync(client.follow())
  assert.deepEqual(
    parts.map(({ changes, more, isBeginning }) => [changes.length, more, isBeginning]),
    [
      [0, true, true],
      [0, true, false],
      [0, false, false],
    ],
  )
})
