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
import { rowFields } from '../sql/records.ts'
import type { Cell, Id, Row, RowForm, ShownCell, ShownRow } from '../sql/statement.ts'

export interface PlanShape {
  readonly key: string
  readonly resource: Resource
  readonly scalars: readonly ScalarField[]
  readonly arrays: readonly { readonly field: ArrayField; readonly form: RowForm }[]
  readonly form: RowForm
  readonly join: JoinRecord
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
      ...recordShape(relationsOf(resource)[0] as Relation, fields, rowFields, onUnknownCode),
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
export type Arrays = ReadonlyMap<string, ReadonlyMap<Id, readonly ShownRow[]>>
type JoinRecord = (row: ShownRow, arrays: Arrays) => string

const isCell = (field: Field | undefined) => field !== undefined && !isArray(field) && field.kind !== 'stock-sum'

const noArrays: Arrays = new Map()

// The fields begin at a place of the row, with the id if the record has arrays.
function recordShape(relation: Relation, fields: readonly Field[], from: number, onUnknownCode: OnUnknownCode) {
  const rowsOf = (name: string, { kept }: ShownRow, arrays: Arrays) => arrays.get(name)?.get(kept[from] as Id) ?? []
  const keyAt = (at: number) => `${at === 0 ? '{' : ','}"${fields[at]?.name}":`
  const stock = fields.find((field) => field.kind === 'stock')
  const arrays: { field: ArrayField; form: RowForm }[] = []
  const cells: (ShownCell | null)[] = []
  const parts: JoinRecord[] = []
  let count = 0
  for (const [at, field] of fields.entries()) {
    if (isArray(field)) {
      // Rows of an array begin with the id of their record.
      const { form, join } = recordShape(findRelation(itemRelation(field)), field.fields, 1, onUnknownCode)
      // Their quantities are summed.
      const kept = field === stock ? 1 + field.fields.length : 1
      arrays.push({ field, form: { ...form, kept } })
      const key = keyAt(at)
      const joinItem = (item: ShownRow) => join(item, noArrays)
      parts.push((row, all) => `${key}[${rowsOf(field.name, row, all).map(joinItem).join(',')}]`)
    } else if (field.kind === 'stock-sum') {
      cells.push(null)
      const column = stock?.fields.findIndex((item) => 'column' in item && item.column === field.column)
      if (!stock || column === -1) throw new Error(`nothing shows what ${field.name} is the sum of`)
      const key = keyAt(at)
      parts.push((row, all) => key + sum(rowsOf(stock.name, row, all), 1 + (column ?? 0)))
    } else {
      cells.push({ key: keyAt(at), endsRun: !isCell(fields[at + 1]), ...cellWriter(field, relation, onUnknownCode) })
      if (isCell(fields[at - 1])) continue
      const run = (count += 1) - 1
      parts.push(({ runs }) => runs[run] ?? '')
    }
  }
  const form = { kept: from + 1, from, cells }
  const join: JoinRecord = (row, all) => {
    let json = ''
    for (const part of parts) json += part(row, all)
    return `${json}}`
  }
  return { form, join, arrays }
}

function cellWriter(field: ScalarField, relation: Relation, onUnknownCode: OnUnknownCode) {
  const type = field.kind === 'reference' ? 'text' : columnType(relation, field.column)
  if (field.kind !== 'label') return { type, labels: undefined, write: writers[type] }
  const labels = new Map<Cell, string>(field.labels.map(({ code, label }) => [code, JSON.stringify(label)]))
  const write: WriteCell = (cell) => {
    if (cell === null) return 'null'
    const label = labels.get(typeof cell === 'boolean' ? Number(cell) : cell)
    if (label === undefined) onUnknownCode(`${relation.name}.${field.column}`, cell)
    return label ?? 'null'
  }
  return { type, labels, write }
}

// Below this a double holds six decimals exactly.
const mostExact = 1e9
const decimals = 6

// Rounded, so that 0.1 + 0.2 is 0.3 in any order; null if no number can show it.
function sum(shown: readonly ShownRow[], column: number): string {
  const rows = shown.map(({ kept }) => kept)
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
