// The log tells which key signed in or was tried, and nothing that might be a secret in its place.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../support/world.ts'

let world: World
before(async () => {
  world = await createWorld()
})
after(() => world.close())

async function loggedKey(clientId: string, clientSecret: string): Promise<unknown> {
  await world.signIn({ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret })
  return world.logged.findLast(({ event }) => event === 'request')?.['key']
}

test('a sign-in is logged with its key', async () => {
  const { accessKey, securityCode } = await world.makeKey()
  assert.equal(await loggedKey(accessKey, securityCode), accessKey)
  assert.equal(await loggedKey(accessKey, 'svc_sk_wrong'), accessKey)
})

test('what does not look like a key is not logged', async () => {
  const { securityCode } = await world.makeKey()
  for (const sent of [securityCode, 'hunter2', `svc_ak_${'x'.repeat(500)}`, '']) {
    assert.equal(await loggedKey(sent, 'x'), null)
    assert.ok(sent === '' || !JSON.stringify(world.logged).includes(sent))
  }
})
