// Files to download from the console: cells as spreadsheets read them, and a bound.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '../../../../src/platform/clock.ts'
import { csvFile, mostRows } from '../../../../src/web/console/csv.ts'

const today = { timeZone: 'America/Port-au-Prince', clock: manualClock(Date.parse('2026-11-18T03:00:00Z')) }

test('the name of a file has the day in the time zone of the company', () => {
  const { headers } = csvFile('usage', today, ['a'], [])
  assert.equal(headers?.['Content-Disposition'], 'attachment; filename="usage-2026-11-17.csv"')
})

test('cells: numbers as they are, texts quoted where they must be, and none that a spreadsheet would run', () => {
  const rows = [
    [-5, null, '', 'plain'],
    ['a,b', 'say "no"', 'two\nlines', ' edge'],
    ['=1+1', '+1', '-1', '@x'],
  ]
  const { status, body } = csvFile('x', today, ['a', 'b', 'c', 'd'], rows)
  assert.equal(status, 200)
  assert.equal(body, `\uFEFFa,b,c,d\r\n-5,,,plain\r\n"a,b","say ""no""","two\nlines"," edge"\r\n'=1+1,'+1,'-1,'@x\r\n`)
})

test('a file of too many rows is refused in a sentence', () => {
  const rows = Array.from({ length: mostRows + 1 }, () => [1])
  const { status, body } = csvFile('x', today, ['a'], rows)
  assert.deepEqual([status, JSON.parse(String(body)).error.code], [400, 'too_many_rows'])
  assert.equal(csvFile('x', today, ['a'], rows.slice(1)).status, 200)
})
