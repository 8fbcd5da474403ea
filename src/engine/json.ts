// The shape of a plan: the fields that its access may see, and how their rows become JSON. Values that the contract does not allow (a
// text in place of a number, a malformed time, an unknown code) are shown as null; an unknown code is reported once.
import { gates } from '../catalogue/access.ts'
import { isArray, isDetailOnly, itemRelation } from '../catalogue/field.ts'
import type { ArrayField, Field, ScalarField } from '../catalogue/field.ts'
import { relationsOf, type Resource } from '../catalogue/resource.ts'
import { findResource } from '../catalogue/resources/index.ts'
import { visibleFields } from '../catalogue/visible.ts'
import { columnType, findRelation } from '../contract/relations.ts'
import type { ColumnType, Relation } from '../contract/relation.ts'
import type { DetailPlan, ListPlan } from '../query/plan.ts'
import type { Cell, Id, Row } from '../sql/statement.ts'

export interface PlanShape {
  readonly key: string
  readonly resource: Resource
  readonly scalars: readonly ScalarField[]
  readonly arrays: readonly ArrayField[]
  readonly write: WriteRecord
}

type ShapedPlan = Pick<ListPlan | DetailPlan, 'resource' | 'shows' | 'access'>

// A shape depends on the resource, and on the gates and the price list of the access. Each combination is made once.
export function createShapes(onUnknownCode: OnUnknownCode): (plan: ShapedPlan) => PlanShape {
  const shapes = new Map<string, PlanShape>()
  return ({ resource: name, shows, access }) => {
    const open = gates.filter((gate) => access.permissions.includes(gate))
    const key = `${name} ${shows} ${access.priceList === null} ${open.join(' ')}`
    const known = shapes.get(key)
    if (known) return known
    const resource = findResource(name)
    if (!resource) throw new Error(`no resource ${name}`)
    const fields = visibleFields(resource, access).filter((field) => shows === 'detail' || !isDetailOnly(field))
    const shape = {
      key,
      resource,
      scalars: fields.filter((field) => !isArray(field)),
      arrays: fields.filter(isArray),
      write: recordWriter(relationsOf(resource)[0] as Relation, fields, onUnknownCode),
    }
    shapes.set(key, shape)
    return shape
  }
}

export type OnUnknownCode = (column: string, code: Cell) => void

const mostReports = 1000

// Each code of a column once, and not every value of a column full of nonsense.
export function reportOnce(report: (column: string, code: string) => void): OnUnknownCode {
  const reported = new Set<string>()
  return (column, code) => {
    const key = `${column} ${String(code)}`
    if (reported.has(key) || reported.size >= mostReports) return
    reported.add(key)
    report(column, String(code))
  }
}

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
// The fields begin at a place of the row, with the id if the record has arrays.
type WriteRecord = (row: Row, from: number, arrays: Arrays) => string

const noArrays: Arrays = new Map()
const rowsOf = (name: string, id: Cell | undefined, arrays: Arrays) => arrays.get(name)?.get(id as Id) ?? []

function recordWriter(relation: Relation, fields: readonly Field[], onUnknownCode: OnUnknownCode): WriteRecord {
  const stock = fields.find((field) => field.kind === 'stock')
  let cell = 0
  const parts = fields.map((field, at): { key: string; write: WriteRecord } => {
    const key = `${at === 0 ? '{' : ','}"${field.name}":`
    if (isArray(field)) {
      const writeItem = recordWriter(findRelation(itemRelation(field)), field.fields, onUnknownCode)
      // Rows of an array begin with the id of their record.
      const write = (item: Row) => writeItem(item, 1, noArrays)
      return { key, write: (row, from, arrays) => `[${rowsOf(field.name, row[from], arrays).map(write).join(',')}]` }
    }
    const index = cell
    cell += 1
    if (field.kind === 'stock-sum' && stock) {
      const column = 1 + stock.fields.findIndex((item) => 'column' in item && item.column === field.column)
      return { key, write: (row, from, arrays) => sum(rowsOf(stock.name, row[from], arrays), column) }
    }
    const write = cellWriter(field, relation, onUnknownCode)
    return { key, write: (row, from) => write(row[from + index] ?? null) }
  })
  return (row, from, arrays) => {
    let json = ''
    for (const { key, write } of parts) json += key + write(row, from, arrays)
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

// Below this a double holds six decimals exactly.
const mostExact = 1e9
const decimals = 6

// Rounded, so that 0.1 + 0.2 is 0.3 in any order; null if no number can show it.
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

// In whole millionths, because the sum is too large for a double to keep all decimals.
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
