// Every column that the contract does not require, dropped in turn (one of each relation at a time): lists, details and the change feed
// give the same bytes as when the column holds nothing. A column that is added to the contract is tried here by itself.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { relations } from '../../src/contract/relations.ts'
import { seedOfRun as seed, told } from '../support/how-much.ts'
import { allOptional, dropColumns, emptyColumns, fillColumns, keepRows, makeColumns } from '../support/lacking.ts'
import type { Lacking } from '../support/pos.ts'
import { allPermissions as all } from '../support/routes.ts'
import { untilLoaded } from '../support/until-loaded.ts'
import { createWorld, type World } from '../support/world.ts'
import { targetOf, tokenOf } from './compare.ts'
import { accessOf, type Caller } from './generate-access.ts'
import { database } from './generate-database.ts'
import { request } from './generate-request.ts'

const callers: readonly Caller[] = [
  { key: { permissions: all, stores: null, priceList: null }, scope: null },
  { key: { permissions: all, stores: [1, 2], priceList: 2 }, scope: null },
]
const requestsEach = 25
const rounds = Math.max(...Object.values(allOptional).map(({ length }) => length))

const roundOf = (at: number): Lacking =>
  Object.fromEntries(relations.map(({ name }) => [name, allOptional[name]?.slice(at, at + 1) ?? []]))

interface Asked {
  readonly token: string
  readonly target: string
}

const lastLogged = ({ logged }: World) => JSON.stringify(logged.slice(-3))

async function answers(ways: readonly World['ask'][], asked: readonly Asked[]): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const [way, ask] of ways.entries())
    for (const { token, target } of asked) {
      const { status, text, headers, body } = await ask(target, { token })
      // A cursor is another each time, and so is the id of a refused request.
      const shown = target.startsWith('/changes') ? JSON.stringify(body.data) : status === 200 ? text : body.error.code
      found.set(`${way} ${token} ${target}`, `${status} ${headers['X-Total-Count']} ${shown}`)
    }
  return found
}

test('a column that is not there is a column that holds nothing', async () => {
  told(`lacking columns in turn: VITRINE_TEST_SEED=${seed}`)
  const [rows = {}] = fc.sample(database, { seed, numRuns: 1 })
  const world = await createWorld({ rows })
  try {
    const ways = [world.ask, await world.askPlainly()]
    const asked: Asked[] = []
    for (const by of callers) {
      const token = await tokenOf(world, by)
      const requests = fc.sample(request(rows, accessOf(by)), { seed, numRuns: requestsEach })
      for (const target of [...requests.map(targetOf), '/changes?limit=500']) asked.push({ token, target })
    }
    await world.place.write(keepRows())
    for (let at = 0; at < rounds; at += 1) {
      const lacking = roundOf(at)
      await world.place.write(emptyColumns(lacking))
      const expected = await answers(ways, asked)
      await world.place.write(dropColumns(lacking))
      await untilLoaded(world.engine)
      const found = await answers(ways, asked)
      for (const [target, text] of expected)
        assert.equal(found.get(target), text, `${target}, without ${JSON.stringify(lacking)}: ${lastLogged(world)}`)
      await world.place.write(`${makeColumns(lacking)}; ${fillColumns(lacking)}`)
    }
  } finally {
    await world.close()
  }
})
