// A rotation under load: a client that renews its token every second on the old code, and from the middle of the overlap on the
// new one, gets every answer, and so does a straggler until the very end of the overlap. The clock is the test's own, so that a
// long overlap takes no longer than its requests.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { finishRotation, rotateKey } from '../../src/keys/rotation.ts'
import { grantOf, type Credentials } from '../support/grants.ts'
import { howMuch, told } from '../support/how-much.ts'
import { until } from '../support/process.ts'
import { createWorld, type World } from '../support/world.ts'

const overlapMinutes = howMuch(2, 30)
const secondMs = 1000

// Ten machines in turn, because an address may ask for ten tokens a minute.
function startClient(world: World, name: number) {
  const seen: number[] = []
  let token = ''
  let renewals = 0
  const ask = async (path: string, own: string) => {
    const { status } = await world.ask(path, { token: own })
    seen.push(status)
  }
  return {
    seen,
    // One second: a new token, and meanwhile requests with the one before, then with the new one.
    async live(key: Credentials): Promise<void> {
      const address = `10.5.${name}.${(renewals += 1) % 10}`
      const before = token
      const renew = async () => {
        const { status, body } = await world.signIn(grantOf(key), { address })
        seen.push(status)
        token = body.access_token
      }
      await Promise.all([renew(), ...(before === '' ? [] : [ask('/vendors', before), ask('/ping', before)])])
      await Promise.all([ask('/vendors', token), ask('/vendors/1', token)])
    },
  }
}

for (const engine of ['sqlite', 'postgres'] as const)
  test(`${engine}: over the whole overlap of a rotation, and around it, no request fails`, async () => {
    const world = await createWorld({ engine, rows: { vendors: [{ id: 1, name: 'Rice & Co' }] } })
    const commandLine = await world.place.openState(world.clock)
    try {
      const old = await world.makeKey()
      // On a busy machine the first connections may take longer than a request may.
      const isUp = async () => (await world.signIn(grantOf(old), { address: '10.5.0.1' })).status === 200
      await until('the service signs in', isUp)
      const [client, straggler] = [startClient(world, 1), startClient(world, 2)]
      const live = async (clientKey: Credentials, stragglerKey = old) => {
        await Promise.all([client.live(clientKey), straggler.live(stragglerKey)])
        world.clock.advance(secondMs)
      }
      for (let second = 0; second < 5; second += 1) await live(old)
      // While requests are under way, by another process.
      const [rotated] = await Promise.all([
        rotateKey(commandLine, old.accessKey, `${overlapMinutes}m`),
        client.live(old),
        straggler.live(old),
      ])
      assert('key' in rotated)
      const end = rotated.key.oldCodeUntil ?? 0
      const next = { ...old, securityCode: rotated.securityCode }
      while (world.clock.now() + secondMs < end)
        await live(world.clock.now() < end - overlapMinutes * 30_000 ? old : next)
      world.clock.advance(end - 1 - world.clock.now())
      await live(next, old)
      assert.equal(world.clock.now() >= end, true)
      for (let second = 0; second < 5; second += 1) await live(next, next)
      const answers = [...client.seen, ...straggler.seen]
      told(
        `rotation on ${engine}: ${answers.length} answers, ${answers.filter((status) => status !== 200).length} failed`,
      )
      const causes = world.logged.flatMap(({ cause }) => (cause === undefined ? [] : [JSON.stringify(cause)]))
      assert.deepEqual([...new Set(answers)], [200], causes.join('\n'))
    } finally {
      await commandLine.close()
      await world.close()
    }
  })

for (const engine of ['sqlite', 'postgres'] as const)
  test(`${engine}: at the end of the overlap, to the millisecond, or when it is ended by hand, the old code is refused`, async () => {
    const world = await createWorld({ engine })
    try {
      let addresses = 0
      const sign = async (key: Credentials) =>
        (await world.signIn(grantOf(key), { address: `10.6.0.${(addresses += 1)}` })).status
      const old = await world.makeKey()
      const first = await rotateKey(world.state, old.accessKey, '1m')
      assert('securityCode' in first)
      const second = { ...old, securityCode: first.securityCode }
      world.clock.advance(59_999)
      assert.deepEqual([await sign(old), await sign(second)], [200, 200])
      world.clock.advance(1)
      assert.deepEqual([await sign(old), await sign(second)], [401, 200])
      const again = await rotateKey(world.state, old.accessKey, '30d')
      assert('securityCode' in again)
      const third = { ...old, securityCode: again.securityCode }
      // Of requests that come while it is ended, those on the new code are all answered.
      const during = Array.from({ length: 8 }, () => sign(third))
      await finishRotation(world.state, old.accessKey)
      assert.deepEqual(new Set(await Promise.all(during)), new Set([200]))
      assert.deepEqual([await sign(old), await sign(second), await sign(third)], [401, 401, 200])
    } finally {
      await world.close()
    }
  })
