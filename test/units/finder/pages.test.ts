// Lists from columns, with everything that was written since, against a plain loop over the rows. VITRINE_TEST_SEED repeats a run.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createBuilder, idOf, rowOf, type Base } from '../../../src/finder/columns.ts'
import { emptyOverlay, extendOverlay, findPage, rebase, type Overlay } from '../../../src/finder/overlay.ts'
import { createRememberedSelections, select } from '../../../src/finder/selections.ts'
import type { Id, Row } from '../../../src/sql/statement.ts'
import { howMuch, seedOfRun, told } from '../../support/how-much.ts'
import { randomFrom, type Random } from '../../support/random.ts'
import { conditionFrom, habitsFrom, orderFrom, plainList, rowFrom, things, type Habits } from './plain-list.ts'

const random = randomFrom(seedOfRun)
const runs = howMuch(150, 10_000)

/** The rows of both parts, as a database holds them. */
type Age = 'recent' | 'archived'
type Parts = Record<Age, Map<Id, Row>>

const effective = ({ archived, recent }: Parts): Row[] => [...new Map([...archived, ...recent]).values()]

function build({ archived, recent }: Parts, superseded: readonly Row[] = []): Base {
  const builder = createBuilder(things)
  if (random.chance(0.5)) builder.add('recent', superseded)
  const parts: [Age, Row[]][] = [
    ['archived', [...archived.values()]],
    ['recent', [...recent.values()]],
  ]
  for (const [part, rows] of random.chance(0.5) ? parts : parts.toReversed()) builder.add(part, rows)
  return builder.finish()
}

function partsFrom(random: Random, habits: Habits): Parts {
  const some = (share: number) =>
    new Map(habits.ids.filter(() => random.chance(share)).map((id) => [id, rowFrom(random, habits, id)] as const))
  return { archived: some(0.5), recent: some(0.4) }
}

function write(parts: Parts, habits: Habits, ids: readonly Id[]): void {
  for (const id of ids)
    for (const part of [parts.archived, parts.recent]) {
      part.delete(id)
      if (random.chance(0.4)) part.set(id, rowFrom(random, habits, id))
    }
}

const listsOf = (part: unknown): ArrayBufferView[] => {
  if (ArrayBuffer.isView(part)) return [part]
  return typeof part === 'object' && part !== null ? Object.values(part).flatMap(listsOf) : []
}

const rowsOf = (part: Map<Id, Row>, ids: readonly Id[]) =>
  ids.map((id) => part.get(id)).filter((row) => row !== undefined)

const someConditions = (habits: Habits) => Array.from({ length: random.upTo(4) }, () => conditionFrom(random, habits))

function checkPages(overlay: Overlay, parts: Parts, habits: Habits, about: string): void {
  const remembered = createRememberedSelections(random.of([0, 5000, 1e9]))
  for (let turn = 0; turn < 6; turn += 1) {
    const conditions = someConditions(habits)
    const order = orderFrom(random)
    const expected = plainList(effective(parts), conditions, order)
    for (const limit of [1, 7, 1e9]) {
      const offset = random.of([0, random.upTo(expected.length + 2)])
      const found = findPage(overlay, conditions, order, { offset, limit }, remembered)
      const page = { total: expected.length, ids: expected.slice(offset, offset + limit) }
      assert.deepEqual(found, page, `${about}: ${JSON.stringify({ conditions, order, offset, limit })}`)
    }
  }
}

describe(`lists from columns, seed ${seedOfRun}`, () => {
  test('a selection has the rows that a plain loop finds, in the same order', () => {
    for (let run = 0; run < runs; run += 1) {
      const habits = habitsFrom(random)
      const parts = partsFrom(random, habits)
      const superseded = [...parts.recent.keys()].map((id) => rowFrom(random, habits, id))
      const base = build(parts, superseded)
      for (let turn = 0; turn < 4; turn += 1) {
        const conditions = someConditions(habits)
        const order = orderFrom(random)
        const found = Array.from(select(base, conditions, order), (row) => idOf(base, row))
        const expected = plainList(effective(parts), conditions, order)
        assert.deepEqual(found, expected, `run ${run}: ${JSON.stringify({ conditions, order })}`)
      }
      for (const id of habits.ids) {
        const row = rowOf(base, id)
        assert.equal(
          row === -1 ? undefined : idOf(base, row),
          parts.archived.has(id) || parts.recent.has(id) ? id : undefined,
        )
      }
    }
    told(`${runs} bases, 4 lists each`)
  })

  test('pages over what was written since, and over a new base of it as a thread is sent it', () => {
    for (let run = 0; run < runs; run += 1) {
      const habits = habitsFrom(random)
      const parts = partsFrom(random, habits)
      let base = build(parts)
      let overlay = emptyOverlay(base)
      checkPages(overlay, parts, habits, `run ${run}, nothing written`)
      for (let turn = 0; turn < 3; turn += 1) {
        const ids = habits.ids.filter(() => random.chance(random.of([0, 0.02, 0.5])))
        write(parts, habits, ids)
        const rows = { archived: rowsOf(parts.archived, ids), recent: rowsOf(parts.recent, ids) }
        overlay = extendOverlay(overlay, ids, rows)
        checkPages(overlay, parts, habits, `run ${run}, write ${turn}`)
      }
      const made = rebase(overlay)
      for (const list of listsOf([base, made, overlay])) assert(list.buffer instanceof SharedArrayBuffer)
      base = structuredClone(made)
      assert.equal(base.ids.length, effective(parts).length)
      checkPages(emptyOverlay(base), parts, habits, `run ${run}, new base`)
    }
    told(`${runs} bases, three writes and a new base each`)
  })

  test('a new base is to the byte what one built from the rows would be', () => {
    for (let run = 0; run < runs; run += 1) {
      // Without odd values: a column whose only odd value has gone keeps its texts.
      const habits = habitsFrom(random, false)
      const parts = partsFrom(random, habits)
      const base = build(parts)
      const ids = habits.ids.filter(() => random.chance(0.2))
      write(parts, habits, ids)
      const rows = { archived: rowsOf(parts.archived, ids), recent: rowsOf(parts.recent, ids) }
      assert.deepEqual(rebase(extendOverlay(emptyOverlay(base), ids, rows)), build(parts), `run ${run}`)
    }
  })
})
