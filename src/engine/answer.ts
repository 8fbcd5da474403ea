// A plan → the bytes of its answer, given a way to run statements within one snapshot. The same for every engine.
import { isArray, isDetailOnly, type ArrayField, type Field, type ScalarField } from '../catalogue/field.ts'
import type { Resource } from '../catalogue/resource.ts'
import { findResource } from '../catalogue/resources/index.ts'
import { visibleFields } from '../catalogue/visible.ts'
import { VOID } from '../contract/codes.ts'
import type { DetailPlan, ListPlan, Plan } from '../query/plan.ts'
import { arrayStatement, type Id, type Owners } from '../sql/arrays.ts'
import {
  pageStatement,
  recordStatement,
  rowFields,
  rowPart,
  rowStatus,
  totalStatement,
  type Database,
} from '../sql/records.ts'
import type { Statement } from '../sql/statement.ts'
import type { ListAnswer } from './engine.ts'
import { recordWriter, type Arrays, type OnUnknownCode, type Row } from './json.ts'

export interface Snapshot {
  readonly database: Database
  readonly run: (statement: Statement) => readonly Row[] | Promise<readonly Row[]>
  readonly onUnknownCode: OnUnknownCode
}

const encoder = new TextEncoder()

export async function answerList(plan: ListPlan, snapshot: Snapshot): Promise<ListAnswer> {
  const { resource, scalars, arrays, write } = shapeOf(plan, snapshot.onUnknownCode)
  const [counted] = await snapshot.run(totalStatement(snapshot.database, resource, plan))
  const total = Number(counted?.[0] ?? 0)
  const first = (plan.page - 1) * plan.perPage
  const rows = first < total ? await snapshot.run(pageStatement(snapshot.database, resource, scalars, plan)) : []
  const owners = { ids: rows.map((row) => row[rowFields] as Id), archived: false, isVoid: false }
  const items = await readArrays(arrays, owners, plan, snapshot)
  const meta = {
    page: plan.page,
    per_page: plan.perPage,
    total,
    total_pages: Math.ceil(total / plan.perPage),
  }
  const records = rows.map((row) => write(row, rowFields, items))
  return { total, body: encoder.encode(`{"data":[${records.join(',')}],"meta":${JSON.stringify(meta)}}`) }
}

export async function answerDetail(plan: DetailPlan, snapshot: Snapshot): Promise<Uint8Array | null> {
  const { resource, scalars, arrays, write } = shapeOf(plan, snapshot.onUnknownCode)
  const [row] = await snapshot.run(recordStatement(snapshot.database, resource, scalars, plan))
  if (!row) return null
  const owners = { ids: [plan.id], archived: row[rowPart] === 1, isVoid: row[rowStatus] === VOID }
  const items = await readArrays(arrays, owners, plan, snapshot)
  return encoder.encode(`{"data":${write(row, rowFields, items)}}`)
}

async function readArrays(
  fields: readonly ArrayField[],
  owners: Owners,
  { access }: Plan,
  { database, run }: Snapshot,
): Promise<Arrays> {
  const arrays = new Map<string, Map<Id, Row[]>>()
  if (owners.ids.length === 0) return arrays
  for (const field of fields) {
    const rows = await run(arrayStatement(database.dialect, field, owners, access))
    arrays.set(
      field.name,
      Map.groupBy(rows, (row) => row[0] as Id),
    )
  }
  return arrays
}

interface Shape {
  readonly resource: Resource
  readonly scalars: readonly ScalarField[]
  readonly arrays: readonly ArrayField[]
  readonly write: (row: Row, at: number, arrays: Arrays) => string
}

// What a plan shows depends on the resource, on the gates and the price list of the access, and on nothing else of the
// request: each combination is worked out once.
const shapes = new Map<string, Shape>()

function shapeOf({ resource: name, shows, access }: Plan, onUnknownCode: OnUnknownCode): Shape {
  const resource = findResource(name)
  if (!resource) throw new Error(`no resource ${name}`)
  const gates = access.permissions.filter((permission) => resource.fields.some((field) => usesGate(field, permission)))
  const key = [name, shows, access.priceList === null, ...gates].join(' ')
  const known = shapes.get(key)
  if (known) return known
  const fields = visibleFields(resource, access).filter((field) => shows === 'detail' || !isDetailOnly(field))
  const shape = {
    resource,
    scalars: fields.filter((field) => !isArray(field)),
    arrays: fields.filter(isArray),
    write: recordWriter(resource, fields, onUnknownCode),
  }
  shapes.set(key, shape)
  return shape
}

const usesGate = (field: Field, permission: string): boolean =>
  field.gate === permission || (isArray(field) && field.fields.some((item) => usesGate(item, permission)))
