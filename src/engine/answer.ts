// A plan → the bytes of its answer, given a way to run statements within one snapshot. The same for every engine.
import { isArray, isDetailOnly, type ArrayField, type Field, type ScalarField } from '../catalogue/field.ts'
import type { Resource } from '../catalogue/resource.ts'
import { findResource } from '../catalogue/resources/index.ts'
import { visibleFields } from '../catalogue/visible.ts'
import { VOID } from '../contract/codes.ts'
import type { DetailPlan, ListPlan, Plan } from '../query/plan.ts'
import { arrayStatement, type Id, type Owners } from '../sql/arrays.ts'
import { pageStatement, recordStatement, rowFields, rowPart, rowStatus, totalStatement } from '../sql/records.ts'
import type { Dialect } from '../sql/dialect.ts'
import { counted, type Counted } from './counted.ts'
import type { ListAnswer } from './engine.ts'
import type { Run } from './run.ts'
import { recordWriter, type Arrays, type OnUnknownCode, type Row, type WriteRecord } from './json.ts'

export interface Answerer {
  list(plan: ListPlan, run: Run): Promise<ListAnswer>
  // null: there is no such record for this access.
  detail(plan: DetailPlan, run: Run): Promise<Uint8Array | null>
}

const encoder = new TextEncoder()

// From `farInto` records on, it is looked up where a page begins, instead of walking over all that come before it.
export function createAnswerer(dialect: Dialect, onUnknownCode: OnUnknownCode, farInto: number): Answerer {
  const shapeOf = createShapes(onUnknownCode)

  const readArrays = async (
    fields: readonly ArrayField[],
    owners: Owners,
    { access }: Plan,
    run: Run,
  ): Promise<Arrays> => {
    const arrays = new Map<string, Map<Id, Row[]>>()
    if (owners.ids.length === 0) return arrays
    for (const field of fields) {
      const rows = await run.rows(arrayStatement(dialect, field, owners, access))
      arrays.set(
        field.name,
        Map.groupBy(rows, (row) => row[0] as Id),
      )
    }
    return arrays
  }

  const count = async (resource: Resource, plan: ListPlan, run: Run) => {
    const [row] = await run.counts(totalStatement(dialect, resource, plan))
    return Number(row?.[0] ?? 0)
  }

  const readPage = async (plan: ListPlan, total: number, tallied: Counted | undefined, run: Run) => {
    const { resource, scalars } = shapeOf(plan)
    const before = (plan.page - 1) * plan.perPage
    if (before >= total) return []
    const start = before < farInto ? undefined : await tallied?.start()
    const conditions = start?.bound ? [...plan.conditions, start.bound] : plan.conditions
    return run.rows(pageStatement(dialect, resource, scalars, { ...plan, conditions }, start?.skip ?? before))
  }

  return {
    async list(plan, run) {
      const { resource, arrays, write } = shapeOf(plan)
      const tallied = await counted(dialect, resource, plan, run)
      const total = tallied?.total ?? (await count(resource, plan, run))
      const rows = await readPage(plan, total, tallied, run)
      const owners = { ids: rows.map((row) => row[rowFields] as Id), archived: false, isVoid: false }
      const items = await readArrays(arrays, owners, plan, run)
      const records = rows.map((row) => write(row, rowFields, items))
      const meta = {
        page: plan.page,
        per_page: plan.perPage,
        total,
        total_pages: Math.ceil(total / plan.perPage),
      }
      return { total, body: encoder.encode(`{"data":[${records.join(',')}],"meta":${JSON.stringify(meta)}}`) }
    },

    async detail(plan, run) {
      const { resource, scalars, arrays, write } = shapeOf(plan)
      const [row] = await run.rows(recordStatement(dialect, resource, scalars, plan))
      if (!row) return null
      const owners = { ids: [plan.id], archived: row[rowPart] === 1, isVoid: row[rowStatus] === VOID }
      const items = await readArrays(arrays, owners, plan, run)
      return encoder.encode(`{"data":${write(row, rowFields, items)}}`)
    },
  }
}

interface Shape {
  readonly resource: Resource
  readonly scalars: readonly ScalarField[]
  readonly arrays: readonly ArrayField[]
  readonly write: WriteRecord
}

// What a plan shows depends on the resource, on the gates and the price list of the access, and on nothing else of the
// request: each combination is worked out once.
function createShapes(onUnknownCode: OnUnknownCode): (plan: Plan) => Shape {
  const shapes = new Map<string, Shape>()
  return ({ resource: name, shows, access }) => {
    const resource = findResource(name)
    if (!resource) throw new Error(`no resource ${name}`)
    const gates = access.permissions.filter((permission) =>
      resource.fields.some((field) => usesGate(field, permission)),
    )
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
}

const usesGate = (field: Field, permission: string): boolean =>
  field.gate === permission || (isArray(field) && field.fields.some((item) => usesGate(item, permission)))
