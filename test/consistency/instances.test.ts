// Two services on one database: both show the last write, and both find lists in columns again after the columns became invalid.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '../../src/platform/clock.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { createLog } from '../../src/platform/log.ts'
import { asker, planOf } from '../../src/query/plan-named.ts'
import { filledRow } from '../support/fixture.ts'
import { makePlace } from '../support/make-place.ts'
import { engineUnderTest, isOverViews } from '../support/place.ts'
import { until } from '../support/process.ts'
import { untilLoaded } from '../support/until-loaded.ts'

// What makes columns void on each engine: rows that no trigger can name.
const upheaval =
  engineUnderTest === 'postgres'
    ? `ALTER TABLE customers ALTER COLUMN name TYPE text USING 'Changed'`
    : `ALTER TABLE customers DROP COLUMN name; ALTER TABLE customers ADD COLUMN name TEXT DEFAULT 'Changed'`

const found = (name: string) => (engine: Engine) =>
  engine.list(planOf('customers', `search=${name}&sort=-name`), asker).then(({ total }) => total)
const loads = (lines: string[]) =>
  lines.filter((line) => line.includes('"lists_by_columns"') && line.includes('"customers"')).length

test('two instances are both right, before and after their columns were void', { skip: isOverViews }, async () => {
  const customers = Array.from({ length: 50 }, (_, at) => filledRow('customers', at + 1))
  const place = await makePlace({ rows: { customers }, hasJournal: true })
  const logged: string[][] = [[], []]
  const options = { readers: 2, statementTimeoutMs: 30_000 }
  const engines = await Promise.all(
    logged.map((lines) =>
      place.startEngine({ ...options, log: createLog('info', (line) => lines.push(line), manualClock(0)) }),
    ),
  )
  const writeAndLook = async () => {
    for (let turn = 1; turn <= 30; turn += 1) {
      await place.write(`UPDATE customers SET name = 'Written${turn}.' WHERE id <= ${turn}`)
      assert.deepEqual(await Promise.all(engines.map(found(`Written${turn}.`))), [turn, turn])
    }
  }
  try {
    await Promise.all(engines.map(untilLoaded))
    await writeAndLook()
    await place.write(upheaval)
    assert.deepEqual(await Promise.all(engines.map(found('Changed'))), [50, 50])
    for (const [at, engine] of engines.entries())
      await until('columns are loaded anew', async () => {
        assert.equal(await found('Changed')(engine), 50)
        return loads(logged[at] ?? []) === 2
      })
    await Promise.all(engines.map(untilLoaded))
    await writeAndLook()
  } finally {
    await Promise.all(engines.map((engine) => engine.close()))
    await place.remove()
  }
})
