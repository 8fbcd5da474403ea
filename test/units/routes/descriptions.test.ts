// A description is made and compressed once for all callers with equal access: their answers share its bytes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compressed } from '../../../src/http/compression.ts'
import type { Call, Reply } from '../../../src/http/exchange.ts'
import { openApiRoute, resourcesRoute } from '../../../src/routes/descriptions.ts'
import type { Caller } from '../../../src/state/state.ts'

const call = { query: '' } as Call
const caller = (accessKey: string, ...permissions: Caller['permissions']) =>
  ({ accessKey, permissions, stores: null, priceList: null }) as unknown as Caller

const feed = { hasFeed: () => true }
const [openApi, resources] = [openApiRoute(feed, '/api/v1', null, ['USD']), resourcesRoute(feed, '/api/v1', ['USD'])]
const askers: Readonly<Record<string, (who: Caller) => Reply | Promise<Reply>>> = {
  '/openapi.json': (who) => (openApi.opens === 'to all or tokens' ? openApi.answer(call, who) : assert.fail()),
  '/openapi.json, to anybody': () =>
    openApi.opens === 'to all or tokens' ? openApi.answer(call, null) : assert.fail(),
  '/resources': (who) =>
    resources.opens === 'to tokens' ? resources.answer({ call, caller: who, id: '' }) : assert.fail(),
}

for (const [name, ask] of Object.entries(askers)) {
  test(`${name}: callers that may use the same share the bytes, also compressed`, async () => {
    const one = await ask(caller('one', 'products:read'))
    const other = await ask(caller('other', 'products:read'))
    assert.ok(one.body instanceof Uint8Array && one.body === other.body)
    for (const coding of ['br', 'gzip', undefined])
      assert.equal((await compressed(one, coding)).body, (await compressed(other, coding)).body, coding)
  })
}

test('callers that may use something else get something else', async () => {
  for (const ask of [askers['/openapi.json'], askers['/resources']]) {
    const one = await ask?.(caller('one', 'products:read'))
    const other = await ask?.(caller('other', 'products:read', 'costs:read'))
    assert.notDeepEqual(one?.body, other?.body)
  }
})
