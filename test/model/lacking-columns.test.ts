// A database may lack every column that the contract does not require: answers are those of the model for the same rows with nothing in
// those columns. The service runs on while columns vanish and appear.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { resources } from '../../src/catalogue/resources/index.ts'
import type { Relation } from '../../src/contract/relation.ts'
import { relations } from '../../src/contract/relations.ts'
import { rolesOf } from '../../src/engine/feed-rows.ts'
import { createSqliteSource } from '../../src/engine/sqlite/source.ts'
import { howMuch, seedOfRun, told } from '../support/how-much.ts'
import { allOptional, dropColumns, fillColumns, keepRows, makeColumns, optionalColumns } from '../support/lacking.ts'
import { engineUnderTest } from '../support/place.ts'
import { makePos, type Lacking } from '../support/pos.ts'
import { untilLoaded } from '../support/until-loaded.ts'
import { createWorld, type World } from '../support/world.ts'
import { compare, targetOf, tokenOf, type Refusals } from './compare.ts'
import { accessOf, caller } from './generate-access.ts'
import { database } from './generate-database.ts'
import { request } from './generate-request.ts'
import type { Database } from './relations.ts'

const callersEach = 3
const requestsEach = 20

/** A random half of the columns that are not required, and the other half. */
function halves(seed: number): readonly [Lacking, Lacking] {
  const columns = relations.flatMap((relation) => optionalColumns(relation).map((column) => ({ relation, column })))
  const [one = []] = fc.sample(fc.shuffledSubarray(columns, { minLength: columns.length >> 1 }), { seed, numRuns: 1 })
  const chosen = new Set(one)
  const those = (isWanted: boolean): Lacking =>
    Object.fromEntries(
      relations.map(({ name }) => [
        name,
        columns
          .filter((each) => each.relation.name === name && chosen.has(each) === isWanted)
          .map((each) => each.column),
      ]),
    )
  return [those(true), those(false)]
}

const without = (rows: Database, lacking: Lacking): Database =>
  Object.fromEntries(
    Object.entries(rows).map(([name, list]) => {
      const nothing = Object.fromEntries((lacking[name] ?? []).map((column) => [column, null]))
      return [name, list.map((row) => ({ ...row, ...nothing }))]
    }),
  )

// Lists found in columns and by plain SQL, and details.
async function compareAll(world: World, plainly: World['ask'], rows: Database, seed: number): Promise<void> {
  const callers = fc.sample(caller, { seed, numRuns: callersEach })
  await untilLoaded(world.engine)
  for (const by of callers) {
    const token = await tokenOf(world, by)
    const requests = fc.sample(request(rows, accessOf(by)), { seed, numRuns: requestsEach })
    for (const ask of [world.ask, plainly]) {
      const refusals: Refusals = new Map()
      for (const one of requests) {
        const { difference } = await compare(ask, token, { database: rows, caller: by, request: one }, refusals)
        if (difference !== null) assert.fail(`seed ${seed}: ${targetOf(one)}: ${difference}`)
      }
    }
  }
}

for (let at = 0; at < howMuch(1, 10); at += 1)
  test(`answers without half of the columns, then without the other half, then with all (${at})`, async () => {
    const seed = seedOfRun + at
    told(`lacking columns: VITRINE_TEST_SEED=${seed}`)
    const [rows = {}] = fc.sample(database, { seed, numRuns: 1 })
    const [one, other] = halves(seed)
    const world = await createWorld({ rows })
    try {
      const plainly = await world.askPlainly()
      await world.place.write(`${keepRows()}; ${dropColumns(one)}`)
      await compareAll(world, plainly, without(rows, one), seed)
      await world.place.write([makeColumns(one), fillColumns(one), dropColumns(other)].join('; '))
      await compareAll(world, plainly, without(rows, other), seed + 1)
      await world.place.write([makeColumns(other), fillColumns(other)].join('; '))
      await compareAll(world, plainly, rows, seed + 2)
    } finally {
      await world.close()
    }
  })

interface Told {
  readonly resource: string
  readonly id: number
  readonly change: 'record' | 'gone'
}

async function follow(world: World, token: string, from: string | null): Promise<{ told: Told[]; cursor: string }> {
  const told: Told[] = []
  for (let cursor = from; ;) {
    const { status, text, body } = await world.ask(`/changes?limit=500${cursor ? `&cursor=${cursor}` : ''}`, { token })
    assert.equal(status, 200, text)
    told.push(...body.data)
    cursor = String(body.meta.cursor)
    if (!body.meta.more) return { told, cursor }
  }
}

// Of a row that has nothing but what is required: the record's id, or that of the parent, is 7, or 8 in an archive.
function requiredCells(relation: Relation): Record<string, number> {
  const id = relation.name.endsWith('_archive') ? 8 : 7
  const columns = Object.keys(relation.columns).filter((column) => !optionalColumns(relation).includes(column))
  const cells: Record<string, number> = { kind: 1, status: 3, store_id: 1, from_store_id: 1, to_store_id: 1 }
  return Object.fromEntries(
    columns.map((column) => [column, relation.key.includes(column) ? id : (cells[column] ?? id)]),
  )
}

test('tills write tables that have only the required columns, and the change feed tells it', async () => {
  const world = await createWorld({ lacks: allOptional })
  try {
    const roles = rolesOf(resources)
    const namedBy = ({ name }: Relation) =>
      (roles.get(name) ?? [])
        .filter(({ resource: { only } }) => only === undefined || only.code === 1)
        .map(({ resource, isArchive }) => `${resource.name} ${isArchive ? 8 : 7}`)
    const namesIn = (told: readonly Told[], change: Told['change']) => {
      assert.ok(told.every((each) => each.change === change))
      return told.map(({ resource, id }) => `${resource} ${id}`).toSorted()
    }
    const token = await world.tokenFor()
    let { told, cursor } = await follow(world, token, null)
    assert.deepEqual(told, [])
    const next = async (change: Told['change'], ...statements: string[]) => {
      await world.place.write(statements.join('; '))
      ;({ told, cursor } = await follow(world, token, cursor))
      return namesIn(told, change)
    }
    const all = [...new Set(relations.flatMap(namedBy))].toSorted()
    const inserted = relations.map((relation) => {
      const cells = requiredCells(relation)
      return `INSERT INTO ${relation.name} (${Object.keys(cells).join(', ')}) VALUES (${Object.values(cells).join(', ')})`
    })
    assert.deepEqual(await next('record', ...inserted), all)
    for (const relation of relations) {
      const [key = ''] = relation.key
      assert.deepEqual(
        await next('record', `UPDATE ${relation.name} SET ${key} = ${key}`),
        namedBy(relation).toSorted(),
        relation.name,
      )
    }
    assert.deepEqual(await next('gone', ...relations.map(({ name }) => `DELETE FROM ${name}`)), all)
  } finally {
    await world.close()
  }
})

const view = (columns: string) => `CREATE VIEW customers AS SELECT ${columns} FROM own`

test('a view may lack columns, and be made anew with others while the service runs', async () => {
  const customers = [{ id: 1, code: 'C', name: 'One', email: 'a@b.ht', city: 'Jacmel', active: true }]
  const world = await createWorld({ rows: { customers }, hasJournal: false })
  try {
    const token = await world.tokenFor()
    const shown = async () => {
      const [list, detail] = [await world.ask('/customers', { token }), await world.ask('/customers/1', { token })]
      const records = [...(list.body.data ?? [list.text]), detail.body.data ?? detail.text]
      return records.map(({ name, email, city }) => [name, email, city])
    }
    await world.place.write('ALTER TABLE customers RENAME TO own')
    for (const [columns, record] of [
      ['id, name, city, active', ['One', null, 'Jacmel']],
      ['id, name, email, active', ['One', 'a@b.ht', null]],
      ['id, active', [null, null, null]],
      ['id, name, email, city, active', ['One', 'a@b.ht', 'Jacmel']],
    ] as const) {
      await world.place.write(`DROP VIEW IF EXISTS customers; ${view(columns)}`)
      assert.deepEqual(await shown(), [record, record])
    }
  } finally {
    await world.close()
  }
})

test(
  'SQLite ignores the case of names, and a generated column is one',
  { skip: engineUnderTest !== 'sqlite' },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vitrine-columns-'))
    const path = join(folder, 'pos.db')
    makePos(path, {}, [
      `CREATE TABLE Customers (ID INTEGER PRIMARY KEY, Name TEXT, email TEXT AS (Name || '@b.ht'))`,
      `INSERT INTO customers (id, name) VALUES (1, 'one')`,
    ])
    const source = createSqliteSource(path, 1000, () => {})
    const text = 'SELECT t."name", t."email", t."city" FROM "customers" t'
    assert.deepEqual(await source.within(async (snapshot) => snapshot.rows({ text, values: [] })), [
      ['one', 'one@b.ht', null],
    ])
    await source.close()
    rmSync(folder, { recursive: true })
  },
)
