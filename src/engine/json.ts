// Rows → JSON text, by the declared type of each field. Values the contract does not promise (a text where a number
// belongs, a malformed time, an unknown code) are shown as null; an unknown code is reported, once.
import { isArray, itemRelation, type ArrayField, type Field, type ScalarField } from '../catalogue/field.ts'
import { relationsOf, type Resource } from '../catalogue/resource.ts'
import { columnType, findRelation } from '../contract/relations.ts'
import type { ColumnType, Relation } from '../contract/relation.ts'
import type { Id } from '../sql/arrays.ts'
import type { Cell, Row } from '../sql/statement.ts'

export type OnUnknownCode = (field: string, code: Cell) => void

type WriteCell = (cell: Cell) => string

const integer: WriteCell = (cell) =>
  (typeof cell === 'number' && Number.isInteger(cell)) || typeof cell === 'bigint' ? String(cell) : 'null'
const number: WriteCell = (cell) => {
  if (typeof cell === 'number' && Number.isFinite(cell)) return String(cell)
  return typeof cell === 'bigint' ? String(cell) : 'null'
}
const text: WriteCell = (cell) => (typeof cell === 'string' ? JSON.stringify(cell) : 'null')
const boolean: WriteCell = (cell) => (cell === null ? 'null' : cell === 1 || cell === true ? 'true' : 'false')
const matching =
  (pattern: RegExp): WriteCell =>
  (cell) =>
    typeof cell === 'string' && pattern.test(cell) ? `"${cell}"` : 'null'

const writers: Record<ColumnType, WriteCell> = {
  int: integer,
  num: number,
  text,
  bool: boolean,
  time: matching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/),
  day: matching(/^\d{4}-\d{2}-\d{2}$/),
}

// The rows of each array, by the id of their record.
export type Arrays = ReadonlyMap<string, ReadonlyMap<Id, readonly Row[]>>
export type WriteRecord = (row: Row, at: number, arrays: Arrays) => string

export function recordWriter(resource: Resource, fields: readonly Field[], onUnknownCode: OnUnknownCode): WriteRecord {
  const relation = relationsOf(resource)[0] as Relation
  const stock = fields.find((field) => field.kind === 'stock')
  let cell = 0
  const parts = fields.map(
    (field, at): { key: string; write: (row: Row, from: number, id: Id, arrays: Arrays) => string } => {
      const key = `${at === 0 ? '{' : ','}"${field.name}":`
      if (isArray(field)) {
        const writeItem = itemWriter(field, onUnknownCode)
        return {
          key,
          write: (_row, _from, id, arrays) => `[${(arrays.get(field.name)?.get(id) ?? []).map(writeItem).join(',')}]`,
        }
      }
      const index = cell
      cell += 1
      if (field.kind === 'stock-sum' && stock) {
        const column = 1 + stock.fields.findIndex((item) => 'column' in item && item.column === field.column)
        return { key, write: (_row, _from, id, arrays) => sum(arrays.get(stock.name)?.get(id) ?? [], column) }
      }
      const write = cellWriter(field, relation, onUnknownCode)
      return { key, write: (row, from) => write(row[from + index] ?? null) }
    },
  )
  return (row, from, arrays) => {
    const id = row[from] as Id
    let json = ''
    for (const { key, write } of parts) json += key + write(row, from, id, arrays)
    return `${json}}`
  }
}

// Rows of an array start with the id of their record.
function itemWriter(array: ArrayField, onUnknownCode: OnUnknownCode): (row: Row) => string {
  const relation = findRelation(itemRelation(array))
  const parts = array.fields.map((field, at) => ({
    key: `${at === 0 ? '{' : ','}"${field.name}":`,
    write: cellWriter(field, relation, onUnknownCode),
  }))
  return (row) => {
    let json = ''
    let cell = 1
    for (const { key, write } of parts) json += key + write(row[cell++] ?? null)
    return `${json}}`
  }
}

function cellWriter(field: ScalarField, relation: Relation, onUnknownCode: OnUnknownCode): WriteCell {
  if (field.kind === 'reference') return text
  if (field.kind !== 'label') return writers[columnType(relation, field.column)]
  const labels = new Map<Cell, string>(field.labels.map(({ code, label }) => [code, JSON.stringify(label)]))
  return (cell) => {
    if (cell === null) return 'null'
    const label = labels.get(typeof cell === 'boolean' ? Number(cell) : cell)
    if (label === undefined) onUnknownCode(`${relation.name}.${field.column}`, cell)
    return label ?? 'null'
  }
}

// Below this a double holds six decimals with room to spare.
const mostExact = 1e9
const decimals = 6

// Rounded so that 0.1 + 0.2 is 0.3, whatever the order; null where no number can show it.
function sum(rows: readonly Row[], column: number): string {
  let total = 0
  let size = 0
  for (const row of rows) {
    const quantity = Number(row[column] ?? 0)
    total += quantity
    size += Math.abs(quantity)
  }
  if (size < mostExact) return String(Math.round(total * 10 ** decimals) / 10 ** decimals)
  return number(size < 1e21 ? exactSum(rows, column) : total)
}

// The same in whole millionths, for quantities whose sum a double would blur.
function exactSum(rows: readonly Row[], column: number): number {
  let millionths = 0n
  for (const row of rows)
    millionths += BigInt(
      Number(row[column] ?? 0)
        .toFixed(decimals)
        .replace('.', ''),
    )
  const digits = String(millionths < 0n ? -millionths : millionths).padStart(decimals + 1, '0')
  const value = Number(`${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`)
  return millionths < 0n ? -value : value
}
