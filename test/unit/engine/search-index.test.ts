// SQLite's search index only narrows: what it names wrongly is not listed, whatever the length of the searched text.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld } from '../../support/world.ts'

test('words that the search index still has, and the record no longer, are not found', async (context) => {
  const world = await createWorld({ engine: 'sqlite', rows: { vendors: [{ id: 1, name: 'Plain' }] } })
  context.after(() => world.close())
  const token = await world.tokenFor({ permissions: 'all', rate: '1000' })
  await world.place.write(`DELETE FROM vendors_search WHERE rowid = 1;
    INSERT INTO vendors_search (rowid, words) VALUES (1, 'Plain Zebra')`)
  const totals = ['la', 'lai', 'lain', 'ze', 'zeb', 'zebra'].map(async (text) => {
    const { body } = await world.ask(`/vendors?search=${text}`, { token })
    return [text, body.meta.total]
  })
  assert.deepEqual(await Promise.all(totals), [
    ['la', 1],
    ['lai', 1],
    ['lain', 1],
    ['ze', 0],
    ['zeb', 0],
    ['zebra', 0],
  ])
})
