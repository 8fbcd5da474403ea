// The walk of `changes` against random interleavings of everything its model allows: late commits, hundreds of records in one
// second, clocks that are set, a service in another zone, stamps in the future, kills. No version is lost, and none comes twice.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { readCursor, writeCursor, type Position } from '../../client/cursor.ts'
import type { WalkSource } from '../../client/source.ts'
import { walkChanges } from '../../client/walk.ts'
import { howMuch, seedOfRun, told } from '../support/how-much.ts'
import { randomFrom, type Random } from '../support/random.ts'
import { makeModel, type Full } from './walk-model.ts'

const hour = 3600
const noon = Date.UTC(2026, 6, 1, 16)
const overlapSeconds = 900
// Tried in every run: a change that lists do not show, where the service's clock is two hours behind the tills'.
const fixedSeeds = [45906757]

const clocks = {
  'that are not set': { setAtMs: 0, offsets: [-4 * hour, -4 * hour] },
  'set back': { setAtMs: noon + 20 * 60_000, offsets: [-4 * hour, -5 * hour] },
  'set forward': { setAtMs: noon + 20 * 60_000, offsets: [-5 * hour, -4 * hour] },
  'set back just before': { setAtMs: noon - 60_000, offsets: [-4 * hour, -5 * hour] },
  'set forward just before': { setAtMs: noon - 60_000, offsets: [-5 * hour, -4 * hour] },
} as const

interface Situation {
  readonly clock: keyof typeof clocks
  readonly isFull: boolean
  // The service's own time, where its zone is not the company's.
  readonly aheadSeconds: number
  readonly futureStamps: number
}

const offsetIn = (clock: keyof typeof clocks) => (ms: number) => {
  const { setAtMs, offsets } = clocks[clock]
  return ms < setAtMs ? offsets[0] : offsets[1]
}

async function run(random: Random, { clock, isFull, aheadSeconds, futureStamps }: Situation) {
  const model = makeModel(random, {
    overlapSeconds,
    offsetAt: offsetIn(clock),
    serviceAheadSeconds: aheadSeconds,
    startMs: noon - random.upTo(30) * 60_000,
    most: isFull ? 20 : random.chance(0.3) ? 700 : 40,
    share: isFull ? 0.05 : 0.1 + random.upTo(30) / 100,
    writes: 20 + random.upTo(100),
  })
  const unstamped = random.upTo(250)
  const first = Array.from({ length: unstamped + random.upTo(300) }, (_, at) => at + 1)
  const stamp = model.stampAt(model.now() - random.upTo(3 * hour) * 1000)
  model.commit(first.map((id) => ({ id, updated_at: id <= unstamped ? null : stamp, total: 0, lines: 0 })))
  model.commit(
    Array.from({ length: futureStamps }, (_, at) => ({
      id: 90_001 + at,
      updated_at: '2099-01-01T00:00:00',
      total: 0,
      lines: 0,
    })),
  )
  const textOf = ({ id, updated_at, total, lines }: Full) =>
    JSON.stringify(isFull ? [id, updated_at, total, lines] : [id, updated_at, total])
  const source: WalkSource<Full> = isFull ? model.source : { ...model.source, fetch: null }
  const stored = new Map<number, string>()
  const given = new Map<string, number>()
  let cursor: string | null = null
  let kills = 0

  async function mirror(killShare: number) {
    const position: Position = readCursor(cursor, { resource: 'invoices', isFull })
    for await (const found of walkChanges(position, source, overlapSeconds)) {
      if (random.chance(killShare)) {
        kills += 1
        return
      }
      for (const record of found) {
        const text = textOf(record)
        stored.set(record.id, text)
        given.set(text, (given.get(text) ?? 0) + 1)
      }
      cursor = writeCursor(position)
    }
    cursor = writeCursor(position)
  }

  const rounds = 3 + random.upTo(10)
  const killShare = random.chance(0.5) ? 0.1 : 0
  for (let round = 0; round < rounds; round++) {
    await mirror(killShare)
    if (random.chance(0.5)) model.pass(random.upTo(random.chance(0.5) ? 5 * 60_000 : 40 * 60_000))
  }
  model.stopWriting()
  // Changes that lists do not show are delivered once the service's clock, too, has passed their `updated_at`.
  model.pass(Math.max(0, -aheadSeconds) * 1000)
  // To the end of what it was killed in, and then three times with pauses in which everything settles.
  for (let round = 0; round < 4; round++) {
    await mirror(0)
    model.pass((overlapSeconds + 1) * 1000)
  }
  const lost = [...model.records.values()].filter((record) => stored.get(record.id) !== textOf(record))
  return { lost, doubled: [...given.values()].filter((times) => times > 1).length, versions: given.size, kills }
}

suite('the walk of changes, against tills made of a map', () => {
  for (const clock of Object.keys(clocks) as (keyof typeof clocks)[])
    for (const isFull of [false, true])
      test(`clocks ${clock}, ${isFull ? 'in full' : 'as lists show them'}`, async () => {
        const randomSeeds = Array.from({ length: howMuch(12, 400) }, (_, at) => (seedOfRun + at * 7919) % 2 ** 31)
        const seeds = [...fixedSeeds, ...randomSeeds]
        let [versions, kills] = [0, 0]
        for (const seed of seeds) {
          const random = randomFrom(seed)
          const isElsewhere = clock === 'that are not set' && random.chance(0.4)
          const situation = {
            clock,
            isFull,
            aheadSeconds: isElsewhere ? (random.chance(0.5) ? 5 * hour : -2 * hour) : 0,
            futureStamps: random.chance(0.3) ? 1 + random.upTo(40) : 0,
          }
          const outcome = await run(random, situation)
          const where = `seed ${seed}, ${JSON.stringify(situation)}`
          assert.deepEqual(outcome.lost, [], `${where}: lost`)
          if (!clock.startsWith('set back')) assert.equal(outcome.doubled, 0, `${where}: versions that came twice`)
          versions += outcome.versions
          kills += outcome.kills
        }
        told(
          `walk, clocks ${clock}${isFull ? ', in full' : ''}: ${seeds.length} runs, ${versions} versions, ${kills} kills, seed ${seedOfRun}`,
        )
      })
})
