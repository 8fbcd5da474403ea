// CSV as files have it: quotes, line breaks, both separators, faults that cost one record, and the same result however the text comes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createCsvReader, findSeparator } from '../../../src/operate/import/csv.ts'
import { howMuch, seedOfRun, told } from '../../support/how-much.ts'

type Told = [line: number, cells: (string | null)[]] | [line: number, at: number, fault: string]

function read(text: string, separator = ',', blocks = [text]): Told[] {
  const seen: Told[] = []
  const reader = createCsvReader({
    separator,
    firstLine: 1,
    onRecord: (cells, line) => seen.push([line, cells]),
    onFault: (line, at, message) => seen.push([line, at, message]),
  })
  blocks.forEach((block, at) => reader(block, at === blocks.length - 1))
  return seen
}

// Blocks are whole lines, as a file is read.
const linesOf = (text: string) => text.split(/(?<=\n)/)

const cases: [name: string, text: string, expected: Told[], separator?: string][] = [
  [
    'lines',
    'a,b\nc,d\n',
    [
      [1, ['a', 'b']],
      [2, ['c', 'd']],
    ],
  ],
  [
    'CRLF, and no end of line at the end',
    'a,b\r\nc,d',
    [
      [1, ['a', 'b']],
      [2, ['c', 'd']],
    ],
  ],
  ['semicolons', 'a;b,c\n', [[1, ['a', 'b,c']]], ';'],
  ['empty cells, and quoted empty ones', ',"",x\n', [[1, [null, '', 'x']]]],
  [
    'an empty cell at the end',
    'a,\n"b",\n',
    [
      [1, ['a', null]],
      [2, ['b', null]],
    ],
  ],
  [
    'empty lines, and lines of separators, are passed over and counted',
    'a,b\n\n,\r\nc,d\n',
    [
      [1, ['a', 'b']],
      [4, ['c', 'd']],
    ],
  ],
  [
    'separators, quotes and line breaks in quotes',
    '"a,""b""\r\nc",d\ne,f\n',
    [
      [1, ['a,"b"\r\nc', 'd']],
      [3, ['e', 'f']],
    ],
  ],
  ['a quoted value at the very end', 'a,"b"', [[1, ['a', 'b']]]],
  [
    'quoted values before CRLF',
    '"a","b"\r\n"c"\r\n',
    [
      [1, ['a', 'b']],
      [2, ['c']],
    ],
  ],
  ['blanks belong to a value', ' a , b\n', [[1, [' a ', ' b']]]],
]

for (const [name, text, expected, separator] of cases)
  test(`CSV: ${name}`, () => {
    assert.deepEqual(read(text, separator), expected)
    assert.deepEqual(read(text, separator, linesOf(text)), expected, 'line by line')
  })

const faulty: [name: string, text: string, at: number, fault: RegExp, rest: Told[]][] = [
  ['a quote within a value', '1,5" pipe\n2,b\n', 1, /within a value/, [[2, ['2', 'b']]]],
  ['something after a closing quote', '1,"a"b\n2,c\n', 1, /follows the closing quote/, [[2, ['2', 'c']]]],
  ['a quote that is never closed', '1,"a\n2,b\n', 1, /never closed/, [[2, ['2', 'b']]]],
]

for (const [name, text, at, fault, rest] of faulty)
  test(`CSV: ${name} costs its record alone`, () => {
    for (const blocks of [[text], linesOf(text)]) {
      const [first, ...others] = read(text, ',', blocks)
      assert.deepEqual([first?.[0], first?.[1]], [1, at])
      assert.match(String(first?.[2]), fault)
      assert.deepEqual(others, rest)
    }
  })

test('CSV: a quote that is never closed in a long file is told of without holding all of it', () => {
  const lines = `1,${'x'.repeat(998)}\n`.repeat(1000)
  const reader = read('', ',', [`1,"a\n`, ...Array.from({ length: 5 }, () => lines), ''])
  assert.match(String(reader[0]?.[2]), /never closed/)
  assert.equal(reader.length, 5001)
  assert.deepEqual(reader.at(-1)?.[0], 5001)
})

const isKnown = (name: string) => ['id', 'name'].includes(name)

test('CSV: the separator is found out from the header', () => {
  assert.equal(findSeparator('id,name', isKnown), ',')
  assert.equal(findSeparator('id;name', isKnown), ';')
  assert.equal(findSeparator('"id";"name"', isKnown), ';')
  assert.equal(findSeparator('id', isKnown), ',')
  assert.equal(findSeparator('nothing;known', isKnown), ';')
})

const quoted = (value: string | null) => (value === null ? '' : `"${value.replaceAll('"', '""')}"`)

test('CSV: whatever is written is read, in any blocks', () => {
  const cell = fc.oneof(
    fc.constant(null),
    fc.constantFrom('', '"', '""', ',', ';', '\n', '\r\n', '\r', 'a"b', ' x ', '\u{1f600}', '\ufeff'),
    fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\n', '\r', 'é', '\u{1f600}', ' '), maxLength: 8 }),
  )
  const records = fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { maxLength: 12 })
  const runs = howMuch(500, 20_000)
  const separators = fc.constantFrom(',', ';')
  fc.assert(
    fc.property(records, separators, fc.constantFrom('\n', '\r\n'), (list, separator, end) => {
      const kept = list.filter((cells) => cells.some((each) => each !== null))
      const text = kept.map((cells) => cells.map(quoted).join(separator) + end).join('')
      for (const blocks of [[text], linesOf(text)])
        assert.deepEqual(
          read(text, separator, blocks).map(([, cells]) => cells),
          kept,
        )
    }),
    { seed: seedOfRun, numRuns: runs },
  )
  told(`CSV: ${runs} random files written and read, seed ${seedOfRun}`)
})
