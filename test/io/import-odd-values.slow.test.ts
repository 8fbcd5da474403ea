// Odd values on purpose (quotes, separators, line breaks, characters of every kind, extremes) through every format into both engines:
// each comes out as the contract has it.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import * as fc from 'fast-check'
import type { Relation } from '../../src/contract/relation.ts'
import { columnType, findRelation } from '../../src/contract/relations.ts'
import { faultText } from '../../src/operate/import/files.ts'
import { cellOf } from '../model/generate-values.ts'
import { howMuch, seedOfRun, told } from '../support/how-much.ts'
import { dumpRelations, engines, makeTarget } from '../support/imported.ts'
import { runImport, writeFiles, type Writing } from '../support/import-files.ts'
import type { Cell } from '../support/pos.ts'

const root = mkdtempSync(join(tmpdir(), 'vitrine-import-'))
after(() => rmSync(root, { recursive: true, force: true }))

type Row = Record<string, Cell>

const imported = ['customers', 'product_prices', 'invoices', 'receivings'].map(findRelation)
const writings: Writing[] = [
  { format: 'csv' },
  { format: 'csv', separator: ';', end: '\n', mark: '\ufeff' },
  { format: 'ndjson', end: '\n' },
  { format: 'ndjson.gz' },
]

const rowsAtOnce = 150
// Beyond what JavaScript counts exactly.
const largeId = 2n ** 53n + 1n

function rowsOf(relation: Relation, seed: number): Row[] {
  const columns = Object.keys(relation.columns)
  const cells = Object.fromEntries(columns.map((column) => [column, cellOf(column)]))
  const rows = fc.sample(fc.record(cells), { seed, numRuns: rowsAtOnce })
  return rows.map((row, at) => {
    const known = Object.entries(row).map(([column, cell]) => [column, withKnownCode(relation, column, cell)])
    const keys = relation.key.map((name, place) => [name, at === 0 ? largeId : place === 0 ? at : 1 + (at % 3)])
    return Object.fromEntries([...known, ...keys]) as Row
  })
}

// An unknown code is a fault, which is not what this is about.
const withKnownCode = ({ codes }: Relation, column: string, cell: Cell) =>
  codes[column] && !codes[column].some(({ code }) => code === cell) ? null : cell

// What is stored for it, by the contract's own words.
function stored(relation: Relation, column: string, cell: Cell): Cell {
  if (cell === null) return null
  const type = columnType(relation, column)
  if (type === 'bool') return Number(cell)
  if (type === 'time' || type === 'day') {
    if (String(cell) < '0001') return null
    return type === 'day' ? cell : String(cell).slice(0, 19).replace(' ', 'T')
  }
  // Minus zero is zero.
  return type === 'num' ? Number(cell) + 0 : cell
}

const byKey = (relation: Relation) => (one: Row, other: Row) =>
  relation.key
    .map((name) => Number(BigInt(Number(one[name])) - BigInt(Number(other[name]))))
    .find((order) => order !== 0) ?? 0

for (const engine of engines)
  test(`${engine}: odd values come out as the contract has them`, async () => {
    const target = await makeTarget(engine)
    const runs = howMuch(1, 25)
    try {
      for (let run = 0; run < runs; run++)
        for (const [at, writing] of writings.entries()) {
          const seed = seedOfRun + run * writings.length + at
          const rows = Object.fromEntries(imported.map((relation) => [relation.name, rowsOf(relation, seed)]))
          const folder = mkdtempSync(join(root, 'files-'))
          writeFiles(folder, rows, () => writing)
          const result = await runImport(target.url, folder, { deletesMissing: true })
          const faults = 'faults' in result ? result.faults.first.map(faultText) : []
          assert.deepEqual(faults, [], `seed ${seed}`)
          const wanted = imported.map((relation) => [
            relation.name,
            (rows[relation.name] ?? [])
              .toSorted(byKey(relation))
              .map((row) =>
                Object.keys(relation.columns).map((column) => stored(relation, column, row[column] ?? null)),
              ),
          ])
          assert.deepEqual(await dumpRelations(target), Object.fromEntries(wanted), `seed ${seed}, ${writing.format}`)
        }
    } finally {
      await target.remove()
    }
    told(
      `import, ${engine}: ${runs * writings.length * imported.length * rowsAtOnce} rows of odd values, seed ${seedOfRun}`,
    )
  })
