// The client's `changes` against tills that insert, update, void, archive, finish drafts, commit late and write hundreds of
// records within one second, before any request, while the mirror is killed and taken up again: it ends equal, always, and no
// version is handed on twice. In summer, and over both hours at which the clock is changed.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Batch } from '../../client/index.ts'
import { clientOf } from '../support/client.ts'
import { filledRow, type Row } from '../support/fixture.ts'
import { howMuch, seedOfRun, told } from '../support/how-much.ts'
import { engineUnderTest } from '../support/place.ts'
import { randomFrom, type Random } from '../support/random.ts'
import { createWorld, type World } from '../support/world.ts'

const engine = engineUnderTest === 'postgres' ? 'PostgreSQL' : 'SQLite'
const zone = 'America/Port-au-Prince'
const overlapSeconds = 900
const rounds = howMuch(15, 80)
// Beyond this number, the tills write one record at a time: a walk over more takes longer and tests nothing more.
const manyRecords = howMuch(1500, 10_000)

const stampAt = (ms: number) => new Date(ms).toLocaleString('sv-SE', { timeZone: zone }).replace(' ', 'T')

const cell = (value: Row[string] | undefined) =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value ?? null)

function insert(relation: string, row: Row): string {
  return `INSERT INTO ${relation} (${Object.keys(row).join(', ')}) VALUES (${Object.values(row).map(cell).join(', ')})`
}

// `paid` is a boolean, which the engines write differently.
const invoiceRow = (id: number, changes: Row) => filledRow('invoices', id, { kind: 1, paid: true, ...changes })

// Wherever the invoice is.
const archived = (sql: string) => `${sql}; ${sql.replace('invoices', 'invoices_archive')}`

/** The tills. Everything they write is stamped when it is written and seen when it is committed, at most the overlap later. */
function tills(world: World, random: Random, { share, most }: { share: number; most: number }) {
  let last = 0
  let amount = 0
  let lateCount = 0
  const late: { sql: string; dueMs: number }[] = []

  const some = () => 1 + random.upTo(Math.max(1, last))
  const insertSome = (count: number, stamp: string) =>
    Array.from({ length: count }, () => {
      last += 1
      const line = filledRow('invoice_lines', last, { invoice_id: last })
      const status = random.chance(0.2) ? 2 : 3
      return `${insert('invoices', invoiceRow(last, { status, updated_at: stamp }))}; ${insert('invoice_lines', line)}`
    }).join('; ')
  const move = (from: string, to: string) => {
    const [first, count] = [some(), 1 + random.upTo(40)]
    const which = (column: string) => `${column} BETWEEN ${first} AND ${first + count}`
    return ['invoices', 'invoice_lines']
      .map((name) => [name, which(name === 'invoices' ? 'id' : 'invoice_id')] as const)
      .map(
        ([name, where]) =>
          `INSERT INTO ${name}${to} SELECT * FROM ${name}${from} WHERE ${where}; DELETE FROM ${name}${from} WHERE ${where}`,
      )
      .join('; ')
  }

  function write(): string {
    const stamp = stampAt(world.clock.now())
    amount += 1
    switch (random.upTo(10)) {
      case 0:
        return insertSome(last < manyRecords ? 1 + random.upTo(most) : 1, stamp)
      case 1:
      case 2:
        return insertSome(1, stamp)
      case 3:
        return archived(
          `UPDATE invoices SET status = 4, total = ${amount}, updated_at = '${stamp}' WHERE id = ${some()}`,
        )
      case 4:
        return archived(`UPDATE invoices SET status = 3, updated_at = '${stamp}' WHERE status = 2 AND id < ${some()}`)
      case 5:
        return move('', '_archive')
      case 6:
        return move('_archive', '')
      case 7: {
        // A line alone, within the second in which its invoice was stamped.
        const id = some()
        return `${archived(`UPDATE invoices SET updated_at = '${stamp}' WHERE id = ${id}`)};
          UPDATE invoice_lines SET quantity = ${amount} WHERE invoice_id = ${id};
          UPDATE invoice_lines_archive SET quantity = ${amount} WHERE invoice_id = ${id}`
      }
      default:
        return archived(`UPDATE invoices SET total = ${amount}, updated_at = '${stamp}' WHERE id = ${some()}`)
    }
  }

  return {
    insertSome,
    lateCount: () => lateCount,
    async act() {
      const nowMs = world.clock.now()
      const due = late.filter(({ dueMs }) => dueMs <= nowMs)
      for (const { sql } of due) await world.place.write(sql)
      for (const each of due) late.splice(late.indexOf(each), 1)
      while (random.chance(share)) {
        const sql = write()
        if (random.chance(0.25)) {
          lateCount += 1
          late.push({ sql, dueMs: nowMs + random.upTo(overlapSeconds - 5) * 1000 })
        } else await world.place.write(sql)
      }
    },
    async finish() {
      for (const { sql } of late.splice(0)) await world.place.write(sql)
    },
  }
}

/** Reads until it is killed or done; what it stored is stored together with the cursor. */
async function mirror(startMs: number, seed: number, isFull: boolean) {
  const random = randomFrom(seed)
  const world = await createWorld({ readers: 2, timeZone: zone })
  try {
    world.clock.advance(startMs - world.clock.now())
    // A single record is a request of its own: fewer of them, or it would never catch up.
    const pos = tills(world, random, isFull ? { share: 0.05, most: 15 } : { share: 0.35, most: 250 })
    await world.place.write(pos.insertSome(isFull ? 130 : 350, stampAt(startMs - 86_400_000)))
    let isWriting = true
    let acting = Promise.resolve()
    const client = await clientOf(world, {
      onRequest: async () => {
        if (!isWriting) return
        // One after the other, even if several requests come at the same time.
        acting = acting.then(() => {
          world.clock.advance(random.chance(0.1) ? random.upTo(90_000) : random.upTo(2500))
          return pos.act()
        })
        await acting
      },
    })
    const stored = new Map<number, string>()
    const given = new Map<string, number>()
    let cursor: string | null = null
    let [kills, requests] = [0, 0]

    // One run of the program that mirrors.
    const run = async () => {
      const options = { since: cursor, overlapSeconds }
      const changes = isFull ? client.changesInFull('invoices', options) : client.changes('invoices', options)
      for await (const batch of changes.batches() as AsyncIterable<Batch<{ id: number }>>) {
        requests += 1
        if (isWriting && random.chance(0.05)) {
          kills += 1
          return
        }
        for (const record of batch.records) {
          const text = JSON.stringify(record)
          stored.set(record.id, text)
          given.set(text, (given.get(text) ?? 0) + 1)
        }
        cursor = batch.cursor
      }
    }

    for (let round = 0; round < rounds; round++) {
      await run()
      if (random.chance(0.3)) world.clock.advance(random.upTo(20 * 60_000))
    }
    isWriting = false
    await pos.finish()
    await run()
    world.clock.advance((overlapSeconds + 1) * 1000)
    await run()
    world.clock.advance((overlapSeconds + 1) * 1000)
    await run()
    const before = given.size
    await run()
    assert.equal(given.size, before, 'nothing more comes when nobody writes')

    const truth = new Map<number, string>()
    for await (const summary of client.records('invoices', { sort: 'id', status: 'all' })) {
      const record = isFull ? await client.get('invoices', summary.id) : summary
      truth.set(summary.id, JSON.stringify(record))
    }
    assert.deepEqual(
      [...truth].filter(([id, text]) => stored.get(id) !== text),
      [],
      `seed ${seed}: records that the mirror has not, or has otherwise`,
    )
    assert.deepEqual(
      [...stored.keys()].filter((id) => !truth.has(id)),
      [],
    )
    return {
      records: truth.size,
      versions: given.size,
      doubled: [...given.values()].filter((times) => times > 1).length,
      kills,
      late: pos.lateCount(),
      batches: requests,
    }
  } finally {
    await world.close()
  }
}

const starts = {
  'in summer': Date.UTC(2026, 6, 1, 15),
  // The clock goes back at 06:00 UTC, forward at 07:00 UTC.
  'while the clock goes back': Date.UTC(2026, 10, 1, 5, 40),
  'while the clock goes forward': Date.UTC(2027, 2, 14, 6, 45),
}

suite(`a mirror kept with changes, on ${engine}`, () => {
  for (const [at, [when, startMs]] of Object.entries(starts).entries())
    for (const isFull of [false, true])
      test(`${when}, ${isFull ? 'with lines and payments' : 'as lists show them'}`, async () => {
        // Each its own.
        const seed = (seedOfRun + at * 2 + Number(isFull)) % 2 ** 31
        const { doubled, ...figures } = await mirror(startMs, seed, isFull)
        told(`mirror ${when}${isFull ? ', in full' : ''}: ${JSON.stringify(figures)}, seed ${seed}`)
        if (when !== 'while the clock goes back') assert.equal(doubled, 0, `seed ${seed}: versions handed on twice`)
      })
})
