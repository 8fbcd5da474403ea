// The two stores of the state side by side, empty and at the same time: what is asked of both must be answered alike.
import assert from 'node:assert/strict'
import { manualClock } from '../../src/platform/clock.ts'
import { openSqliteState } from '../../src/state/sqlite/state.ts'
import type { State } from '../../src/state/state.ts'
import type { StatePlace } from './postgres-state.ts'

export async function openBoth(place: StatePlace, begin: number) {
  const clock = manualClock(begin)
  for (const table of [
    'keys',
    'tokens',
    'windows',
    'failures',
    'audit',
    'blocked_addresses',
    'usage',
    'accounts',
    'password_links',
    'sessions',
    'permission_use',
  ])
    await place.rows(`DELETE FROM ${table}`)
  await place.rows('UPDATE company SET is_enabled = true')
  const [sqlite, postgres] = [openSqliteState({ path: null, clock }), place.open(clock, 1)]
  return {
    clock,
    both: async <Result>(ask: (state: State) => Promise<Result>): Promise<Result> => {
      const wanted = await ask(sqlite)
      assert.deepEqual(await ask(postgres), wanted)
      return wanted
    },
    close: () => Promise.all([sqlite.close(), postgres.close()]),
  }
}

/** Blocks that end at the same time are listed in any order. */
export const inAnyOrder = (items: readonly unknown[]) => items.map((item) => JSON.stringify(item)).toSorted()
