// The findings of `vitrine check` as text: they fit the width of the terminal, and have colours only there.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reportJson, reportText } from '../../../src/cli/check-text.ts'
import { createOutput } from '../../../src/cli/output.ts'
import type { Report } from '../../../src/operate/check/check.ts'

const statement = `CREATE TABLE IF NOT EXISTS "${'long_'.repeat(30)}"`
const report: Report = {
  database: '/srv/pos/pos.db',
  findings: [
    {
      code: 'column_type',
      relation: 'invoices',
      column: 'date',
      message: `It is timestamptz, and must be timestamp. ${'And so on. '.repeat(20).trim()}`,
      remedy: 'Select it in the view.',
    },
    ...['products', 'customers'].map((relation) => ({
      code: 'may_write' as const,
      relation,
      count: 7,
      message: 'Something is missing.',
      remedy: 'Run this:',
      statements: ['SET search_path TO "pos"', ...[1, 2, 3, 4].map((n) => `${statement} WHERE "${relation}" = ${n}`)],
    })),
    { code: 'empty_relation', relation: 'quotes', message: 'It is empty.', remedy: 'Nothing.' },
  ],
}

function shown(report: Report, width: number, isTTY = false): string {
  let text = ''
  const stream = { isTTY, write: (written: string) => (text += written) }
  createOutput(false, stream, stream, {}).result(null, reportText(report, width))
  return text.replace(/\n$/, '')
}

for (const width of [60, 140])
  test(`no line is wider than ${width} columns, but for what is to be pasted`, () => {
    const lines = shown(report, width).split('\n')
    // The verdict stays on one line, so that programs can find it.
    for (const line of lines.slice(0, -1).filter((each) => !each.includes('CREATE TABLE')))
      assert.ok(line.length <= width, line)
    assert.ok(lines.includes(`      ${statement} WHERE "products" = 1;`))
  })

test('what is the same of several relations is said once, with some of the statements', () => {
  const text = shown(report, 100)
  assert.match(text, /^ {2}products, customers \[may_write\]$/m)
  assert.equal(text.split('Something is missing.').length, 2)
  assert.equal(text.split(statement).length, 5)
  assert.equal(text.split('SET search_path').length, 2)
  assert.match(text, /… and 4 more, which --json shows/)
})

test('fails come before warnings, warnings before notes, and the verdict is the last line', () => {
  const text = shown(report, 100)
  const places = ['FAILS (1)', 'WARNINGS (2)', 'NOTES (1)'].map((each) => text.indexOf(each))
  assert.deepEqual(
    places,
    places.toSorted((one, other) => one - other),
  )
  assert.ok(places.every((place) => place >= 0))
  assert.equal(text.split('\n').at(-1), 'The service cannot serve this database. 1 failure, 2 warnings, 1 note.')
  assert.match(shown({ ...report, findings: [] }, 100), /can serve this database\. No warnings\.$/)
})

test('colours are there on a terminal alone', () => {
  assert.ok(!shown(report, 100).includes('\u001B'))
  assert.ok(shown(report, 100, true).includes('\u001B[31mFAILS'))
})

test('JSON has the severity of each finding, and null where it is about the whole', () => {
  const { ok, findings } = reportJson({
    ...report,
    findings: [...report.findings, { code: 'time_zone', message: 'It is noon.', remedy: 'Nothing.' }],
  })
  assert.equal(ok, false)
  assert.deepEqual(
    findings.map(({ severity, relation }) => [severity, relation]),
    [
      ['fails', 'invoices'],
      ['warns', 'products'],
      ['warns', 'customers'],
      ['notes', 'quotes'],
      ['notes', null],
    ],
  )
})
