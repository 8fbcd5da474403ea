// The recipe for synchronising, as the program in its guide has it: whatever the tills do between two requests, a copy
// is complete after the next run. Time is the test's own, and goes through the night in which an hour repeats.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { findRelation } from '../../src/contract/relations.ts'
import { filledRow } from '../support/fixture.ts'
import { howMuch, seedOfRun as seed, told } from '../support/how-much.ts'
import { randomFrom } from '../support/random.ts'
import { engineUnderTest } from '../support/place.ts'
import { sampleFile } from '../support/samples.ts'
import { createWorld, type World } from '../support/world.ts'

type Row = { readonly id: number; readonly [field: string]: unknown }
type Synchronise = (
  resource: string,
  filter: Record<string, string>,
  copy: Map<number, Row>,
  since?: string,
  perPage?: number,
) => Promise<string>

const engine = engineUnderTest === 'postgres' ? 'PostgreSQL' : 'SQLite'
const nights = howMuch(1, 20)
const runs = 6
const perPage = 5
const documents = 30
const longestTransactionMinutes = 25
// 50 minutes before clocks go back from 2:00 to 1:00 in Port-au-Prince.
const nightOfTheChange = Date.UTC(2026, 10, 1, 5, 10)

// The program imports its client from the file beside it; here that one asks the world of the test.
const folder = mkdtempSync(join(tmpdir(), 'vitrine-synchronise-'))
const asks = { get: (_path: string): Promise<unknown> => Promise.reject(new Error('not yet')) }
;(globalThis as unknown as { vitrineSample: typeof asks }).vitrineSample = asks

async function loadProgram(): Promise<Synchronise> {
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'client.ts'), 'export const get = (path: string) => globalThis.vitrineSample.get(path)\n')
  writeFileSync(join(folder, 'synchronise.ts'), sampleFile('synchronise.ts').code)
  return ((await import(pathToFileURL(join(folder, 'synchronise.ts')).href)) as { synchronise: Synchronise })
    .synchronise
}

async function openWorld() {
  const world = await createWorld({
    rows: {
      invoices: Array.from({ length: documents }, (_, at) =>
        filledRow('invoices', at + 1, { status: 3, kind: 1, total: 1, updated_at: '2026-10-31T12:00:00' }),
      ),
    },
  })
  world.clock.advance(nightOfTheChange - world.clock.now())
  return { world, token: await world.tokenFor() }
}

function insertion(id: number, changes: Readonly<Record<string, string | number>>): string {
  const row = filledRow('invoices', id, { kind: 1, ...changes })
  const { columns } = findRelation('invoices')
  const cells = Object.entries(row).map(([name, cell]) =>
    typeof cell === 'string' ? `'${cell}'` : columns[name] === 'bool' ? String(Boolean(cell)) : String(cell),
  )
  return `INSERT INTO invoices (${Object.keys(row).join(', ')}) VALUES (${cells.join(', ')})`
}

const change = (id: number, set: string) =>
  ['invoices', 'invoices_archive'].map((table) => `UPDATE ${table} SET ${set} WHERE id = ${id}`).join('; ')

// What the tills do, one thing at a time.
function openTills(world: World, random: (below: number) => number) {
  let last = documents
  const late: { readonly sql: (updatedAt: string) => string; readonly updatedAt: string; readonly until: number }[] = []
  const counts: Record<string, number> = {}
  const localTime = async () => String((await world.ask('/status')).body.time).slice(0, 19)
  const deeds: Readonly<Record<string, (now: string) => Promise<void>>> = {
    change: (now) => world.place.write(change(1 + random(last), `total = ${random(1000)}, updated_at = '${now}'`)),
    void: (now) => world.place.write(change(1 + random(last), `status = 4, updated_at = '${now}'`)),
    'make a draft': (now) => world.place.write(insertion((last += 1), { status: 2, updated_at: now })),
    'make a draft real': (now) => world.place.write(change(1 + random(last), `status = 3, updated_at = '${now}'`)),
    make: (now) => world.place.write(insertion((last += 1), { status: 3, updated_at: now })),
    // Its time is set now, but it is invisible until it is committed.
    'commit late': async (now) => {
      const id = (last += 1)
      const until = world.clock.now() + random(longestTransactionMinutes * 60_000)
      late.push({ sql: (updatedAt) => insertion(id, { status: 3, updated_at: updatedAt }), updatedAt: now, until })
    },
    archive: () => {
      const id = 1 + random(last)
      return world.place.write(
        `INSERT INTO invoices_archive SELECT * FROM invoices WHERE id = ${id}; DELETE FROM invoices WHERE id = ${id}`,
      )
    },
    wait: async () => world.clock.advance(random(240) * 1000),
  }
  const names = Object.keys(deeds)
  const commitLate = async (isEnd = false) => {
    for (const each of late.filter(({ until }) => isEnd || until <= world.clock.now())) {
      late.splice(late.indexOf(each), 1)
      await world.place.write(each.sql(each.updatedAt))
    }
  }
  return {
    counts,
    commitLate,
    async work(times: number) {
      for (let done = 0; done < times; done += 1) {
        const name = names[random(names.length)] ?? 'wait'
        counts[name] = (counts[name] ?? 0) + 1
        await deeds[name]?.(await localTime())
        await commitLate()
      }
    },
  }
}

suite(`the recipe for synchronising, on ${engine}`, () => {
  let synchronise: Synchronise
  before(async () => {
    synchronise = await loadProgram()
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  for (let night = 0; night < nights; night += 1) {
    test(`night ${night}: nothing is lost`, async () => {
      const drawn = randomFrom(seed + night)
      const random = (below: number) => drawn.upTo(below)
      const { world, token: first } = await openWorld()
      let token = first
      let requests = 0
      let isQuiet = false
      const tills = openTills(world, random)
      asks.get = async (path) => {
        requests += 1
        let answer = await world.ask(path, { token })
        if (answer.status === 401) answer = await world.ask(path, { token: (token = await world.tokenFor()) })
        if (answer.status !== 200) throw Object.assign(new Error(answer.text), { status: answer.status })
        if (!isQuiet) await tills.work(random(4))
        return answer.body
      }
      try {
        const copy = new Map<number, Row>()
        let since = await synchronise('invoices', { status: 'all' }, copy, undefined, perPage)
        for (let run = 0; run < runs; run += 1) {
          await tills.work(random(12))
          world.clock.advance(random(40) * 60_000)
          since = await synchronise('invoices', { status: 'all' }, copy, since, perPage)
        }
        // The tills rest, but for what they have not committed yet; one more run, and the copy is complete.
        isQuiet = true
        await tills.commitLate(true)
        await synchronise('invoices', { status: 'all' }, copy, since, perPage)
        const all = new Map<number, Row>()
        await synchronise('invoices', { status: 'all' }, all, undefined, 100)
        const byId = (rows: Map<number, Row>) => [...rows.values()].toSorted((one, other) => one.id - other.id)
        assert.deepEqual(byId(copy), byId(all), `VITRINE_TEST_SEED=${seed}, night ${night}`)
        const did = Object.entries(tills.counts).map(([name, count]) => `${count} ${name}`)
        told(
          `synchronising on ${engine}: ${all.size} records, ${requests} requests (${did.join(', ')}), seed ${seed + night}`,
        )
      } finally {
        await world.close()
      }
    })
  }

  // Each: what the tills do after each page of a run over many changes, and then, until the next run.
  const scenarios: readonly {
    readonly name: string
    readonly afterPage?: (page: number, now: string) => string
    readonly minutes: number
    readonly meanwhile?: (times: { begun: string; run: string; now: string }) => string
  }[] = [
    {
      name: 'a record that was read already changes while the walk goes on: the others move',
      afterPage: (page, now) =>
        `UPDATE invoices SET total = 7, updated_at = '${now}' WHERE id IN (${page}, ${31 - page})`,
      minutes: 180,
    },
    {
      name: 'a record is committed 25 minutes after its time',
      minutes: 1,
      meanwhile: ({ begun }) => insertion(99, { status: 3, updated_at: begun }),
    },
    {
      name: 'a record changes in the second of the last run, after it',
      minutes: 0,
      meanwhile: ({ run }) => `UPDATE invoices SET total = 8, updated_at = '${run}' WHERE id = 9`,
    },
    {
      name: 'a record changes in the hour that repeats',
      // From 1:35, by way of 2:00 that is 1:00 again, to 1:05.
      minutes: 30,
      meanwhile: ({ now }) => `UPDATE invoices SET total = 9, updated_at = '${now}' WHERE id = 4`,
    },
  ]
  for (const { name, afterPage, minutes, meanwhile } of scenarios) {
    test(`nothing is lost when ${name}`, async () => {
      const { world } = await openWorld()
      let isWorking = false
      const localTime = async () => String((await world.ask('/status')).body.time).slice(0, 19)
      const write = async (sql: string | undefined) => sql !== undefined && world.place.write(sql)
      asks.get = async (path) => {
        const { body } = await world.ask(path, { token: path === '/status' ? null : await world.tokenFor() })
        const page = /&page=(\d+)/.exec(path)?.[1]
        if (page && isWorking) await write(afterPage?.(Number(page), await localTime()))
        return body
      }
      try {
        const copy = new Map<number, Row>()
        await synchronise('invoices', { status: 'all' }, copy, undefined, perPage)
        // Since the last run, hours ago, everything has changed, each at its own time.
        const changes = Array.from(
          { length: documents },
          (_, at) => `UPDATE invoices SET total = 2, updated_at = '2026-10-31T13:${at + 10}:00' WHERE id = ${at + 1}`,
        )
        await world.place.write(changes.join('; '))
        const begun = await localTime()
        world.clock.advance(longestTransactionMinutes * 60_000)
        const run = await localTime()
        isWorking = true
        const since = await synchronise('invoices', { status: 'all' }, copy, '2026-10-31T09:00:00', perPage)
        isWorking = false
        world.clock.advance(minutes * 60_000)
        await write(meanwhile?.({ begun, run, now: await localTime() }))
        await synchronise('invoices', { status: 'all' }, copy, since, perPage)
        const { body } = await world.ask('/invoices?status=all&sort=id&per_page=100', { token: await world.tokenFor() })
        assert.deepEqual(
          [...copy.values()].toSorted((one, other) => one.id - other.id),
          body.data,
        )
      } finally {
        await world.close()
      }
    })
  }

  test('what is deleted is found by reading everything again, and nothing else is dropped', async () => {
    const { world, token } = await openWorld()
    let deleted = 0
    asks.get = async (path) => {
      const answer = await world.ask(path, { token })
      if (answer.status !== 200) throw Object.assign(new Error(answer.text), { status: answer.status })
      // Records move up into pages that were read already.
      if (path.includes('page=2') && deleted === 0) {
        deleted = 3
        await world.place.write('DELETE FROM invoices WHERE id IN (1, 2, 3)')
      }
      return answer.body
    }
    try {
      const copy = new Map<number, Row>()
      for (let id = 1; id <= documents; id += 1) copy.set(id, { id })
      const kept = Array.from({ length: documents }, (_, at) => at + 1).slice(3)
      await synchronise('invoices', { status: 'all' }, copy, undefined, perPage)
      assert.deepEqual(
        kept.filter((id) => !copy.has(id)),
        [],
      )
      await synchronise('invoices', { status: 'all' }, copy, undefined, perPage)
      assert.deepEqual([...copy.keys()], kept)
    } finally {
      await world.close()
    }
  })
})
