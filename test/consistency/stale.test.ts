// Nothing stale: after each commit of the tills, to any relation and by any kind of write, two instances are asked at once by eight
// callers each for what shows it. Every answer is the one that plain SQL gives now, while others go on asking for the same.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { resources } from '../../src/catalogue/resources/index.ts'
import { relations } from '../../src/contract/relations.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { createLog } from '../../src/platform/log.ts'
import { fullAccess, planOf, planOne } from '../../src/query/plan-named.ts'
import type { DetailPlan, ListPlan } from '../../src/query/plan.ts'
import { company, filledRow, type Row } from '../support/fixture.ts'
import { howMuch, seedOfRun, told } from '../support/how-much.ts'
import { makePlace } from '../support/make-place.ts'
import { engineUnderTest, isOverViews, type Place } from '../support/place.ts'
import type { Cell } from '../support/pos.ts'
import { randomFrom, type Random } from '../support/random.ts'
import { untilLoaded } from '../support/until-loaded.ts'

const commits = howMuch(3 * relations.length, 10_000)
const callers = 8
const plansPerCommit = 3
// The first rows of each relation are written: records 1 to 4, and what belongs to them.
const written = 4

type Asked = ListPlan | DetailPlan

const plans: readonly Asked[] = resources.flatMap(({ name, archived }) => [
  planOf(name, 'per_page=100&sort=-id'),
  planOf(name, 'per_page=7'),
  planOne(name, 1, fullAccess),
  ...(archived ? [planOne(name, name === 'credit-memos' ? 161 : 101, fullAccess)] : []),
])

async function ask(engine: Engine, plan: Asked): Promise<string> {
  const answer = plan.shows === 'list' ? (await engine.list(plan)).body : await engine.detail(plan)
  return answer === null ? 'not found' : Buffer.from(answer).toString()
}

let asked = 0
/** By plain SQL, never from memory: no answer was ever asked for with this number. */
const truth = (engine: Engine, plan: Asked) => ask(engine, Object.assign({}, plan, { asked: (asked += 1) }))

const literal = (cell: Cell, type = ''): string => {
  if (cell === null) return 'NULL'
  if (type === 'bool') return cell ? 'TRUE' : 'FALSE'
  if ((type === 'time' || type === 'day') && String(cell) < '0001') return 'NULL'
  return typeof cell === 'string' ? `'${cell.replaceAll("'", "''")}'` : String(cell)
}

const keyOf = ({ columns, key }: (typeof relations)[number], row: Row) =>
  key.map((column) => `${column} = ${literal(row[column] ?? null, columns[column])}`).join(' AND ')

function put({ name, columns, key }: (typeof relations)[number], row: Row): string {
  const all = Object.entries(columns)
  const others = all.filter(([column]) => !key.includes(column))
  return `INSERT INTO ${name} (${all.map(([column]) => `"${column}"`).join(', ')})
    VALUES (${all.map(([column, type]) => literal(row[column] ?? null, type)).join(', ')})
    ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${others.map(([column]) => `"${column}" = excluded."${column}"`).join(', ')}`
}

/** Another value for the column, of its kind. */
function another(random: Random, relation: (typeof relations)[number], column: string): string {
  if (column === 'kind') return literal(1 + random.upTo(2))
  if (column === 'status') return literal(1 + random.upTo(9))
  if (column.endsWith('_id')) return literal(1 + random.upTo(3))
  const type = relation.columns[column]
  if (type === 'bool') return literal(random.upTo(2), type)
  const value = 'id' in relation.columns ? filledRow(relation.name, 1 + random.upTo(9))[column] : random.upTo(99) + 0.5
  return literal(value ?? null, type)
}

/** One or two writes of any kind to a relation, or a move between it and its archive. */
function commit(random: Random, relation: (typeof relations)[number]): string {
  const rows = (company[relation.name] ?? []).slice(0, written)
  const row = random.of(rows)
  const where = keyOf(relation, row)
  const columns = Object.keys(relation.columns).filter((column) => !relation.key.includes(column))
  const change = () => {
    const column = random.of(columns)
    return `UPDATE ${relation.name} SET "${column}" = ${another(random, relation, column)}`
  }
  const archive = relations.find(({ name }) => name === `${relation.name}_archive`)
  return random
    .of<() => string[]>([
      () => [`${change()} WHERE ${where}`],
      () => [`${change()} WHERE ${where}`],
      () => [`${change()} WHERE ${where}`, `${change()} WHERE ${keyOf(relation, random.of(rows))}`],
      () => [change()],
      () => [`DELETE FROM ${relation.name} WHERE ${where}`],
      () => [put(relation, row)],
      () => rows.map((each) => put(relation, each)),
      () =>
        archive
          ? [`DELETE FROM ${relation.name} WHERE ${where}`, put(archive, row)]
          : [`DELETE FROM ${relation.name} WHERE ${where}`, put(relation, row)],
      () =>
        archive ? [`DELETE FROM ${archive.name} WHERE ${where}`, put(relation, row)] : [`${change()} WHERE ${where}`],
    ])()
    .join('; ')
}

suite('nothing stale over two instances', { skip: isOverViews }, () => {
  let place: Place
  let engines: Engine[]
  let plain: Engine
  before(async () => {
    place = await makePlace({ rows: company, hasJournal: true })
    const options = { readers: 2, statementTimeoutMs: 30_000, log: createLog('error', () => {}) }
    engines = [await place.startEngine(options), await place.startEngine(options)]
    plain = await place.startEngine({ ...options, indexMemoryBytes: 0 })
    await Promise.all(engines.map(untilLoaded))
  })
  after(async () => {
    await Promise.all([...(engines ?? []), plain].map((engine) => engine?.close()))
    await place?.remove()
  })

  // By relation, learnt by writing to each: the plans whose answers show it, which must not be given from memory then.
  async function shownBy(engine: Engine): Promise<ReadonlyMap<string, readonly Asked[]>> {
    const shown = new Map<string, Asked[]>()
    const before = await Promise.all(plans.map((plan) => truth(plain, plan)))
    for (const relation of relations) {
      const rows = (company[relation.name] ?? []).slice(0, written)
      for (const _ of ['read', 'given again']) await Promise.all(plans.map((plan) => ask(engine, plan)))
      await place.write(rows.map((row) => `DELETE FROM ${relation.name} WHERE ${keyOf(relation, row)}`).join('; '))
      const now = await Promise.all(plans.map((plan) => truth(plain, plan)))
      assert.deepEqual(await Promise.all(plans.map((plan) => ask(engine, plan))), now, `without ${relation.name}`)
      shown.set(
        relation.name,
        plans.filter((_, at) => now[at] !== before[at]),
      )
      await place.write(rows.map((row) => put(relation, row)).join('; '))
    }
    return shown
  }

  test(`${commits} commits, each asked for by ${callers} callers of two instances`, async () => {
    const random = randomFrom(seedOfRun)
    const shown = await shownBy(engines[0] ?? plain)
    for (const [name, some] of shown) assert(some.length > 0, `no answer shows ${name}`)
    let answers = 0
    for (let done = 0; done < commits; done += 1) {
      const relation = relations[done % relations.length] as (typeof relations)[number]
      const some = shown.get(relation.name) ?? []
      const current = Array.from({ length: plansPerCommit }, () => random.of(some))
      const askAll = (each: number) =>
        engines.flatMap((engine) => current.flatMap((plan) => Array.from({ length: each }, () => ask(engine, plan))))
      // Twice, so that there are answers in memory; and once more, so that a look or a reading is under way when the tills commit.
      await Promise.all(askAll(1))
      await Promise.all(askAll(1))
      const underWay = Promise.all(askAll(1))
      for (let turns = random.upTo(4); turns > 0; turns -= 1) await turn()
      const sql = commit(random, relation)
      await place.write(sql)
      const given = Promise.all(askAll(callers))
      const right = await Promise.all(current.map((plan) => truth(plain, plan)))
      for (const [at, answer] of (await given).entries()) {
        assert.equal(answer, right[Math.floor(at / callers) % current.length], `seed ${seedOfRun}: stale after ${sql}`)
        answers += 1
      }
      await underWay
    }
    told(`${engineUnderTest}: ${answers} answers after ${commits} commits, none stale, seed ${seedOfRun}`)
  })
})
