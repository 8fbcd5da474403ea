// A plan → the bytes of its answer, given a way to run statements within one snapshot. The same for every engine.
import { permissions, type Permission } from '../catalogue/access.ts'
import { isArray, isDetailOnly, type ArrayField, type Field, type ScalarField } from '../catalogue/field.ts'
import type { Resource } from '../catalogue/resource.ts'
import { findResource } from '../catalogue/resources/index.ts'
import { visibleFields } from '../catalogue/visible.ts'
import { VOID } from '../contract/codes.ts'
import type { DetailPlan, ListPlan, Plan } from '../query/plan.ts'
import { arrayStatement, type Id } from '../sql/arrays.ts'
import { createCompiler, joinConditions, splitConditions } from '../sql/compiled.ts'
import {
  cutOf,
  foundStatement,
  pageStatement,
  recordStatement,
  rowFields,
  rowPart,
  rowStatus,
  totalStatement,
} from '../sql/records.ts'
import type { Dialect } from '../sql/dialect.ts'
import { beginningOf, counted, type Start } from './counted.ts'
import type { ListAnswer } from './engine.ts'
import { goesAcross } from './long-plans.ts'
import { rememberPieces } from './pieces.ts'
import type { Run } from './run.ts'
import { recordWriter, type Arrays, type OnUnknownCode, type Row, type WriteRecord } from './json.ts'

export interface Answerer {
  list(plan: ListPlan, run: Run): Promise<ListAnswer>
  // null: there is no such record for this access.
  detail(plan: DetailPlan, run: Run): Promise<Uint8Array | null>
  // What was counted, because the database may not be the one that it was counted in.
  forget(): void
}

const encoder = new TextEncoder()

// From `farInto` records on, it is looked up where a page begins, instead of walking over all that come before it.
export function createAnswerer(dialect: Dialect, onUnknownCode: OnUnknownCode, farInto: number): Answerer {
  const shapeOf = createShapes(onUnknownCode)
  const compile = createCompiler()
  const pieces = rememberPieces()

  const compileRecord = ({ key, resource, scalars }: Shape, plan: DetailPlan) => {
    // Restrictions alone: never a search.
    const { shape = '', values = [] } = splitConditions(plan.conditions) ?? {}
    return compile(`record ${key} ${plan.access.priceList} ${shape}`, [plan.id, ...values], ([id, ...marks]) =>
      recordStatement(dialect, resource, scalars, {
        ...plan,
        id: Number(id),
        conditions: joinConditions(plan.conditions, marks),
      }),
    )
  }

  const readArrays = async (
    { key, arrays: fields }: Shape,
    owners: Owners,
    { access }: Plan,
    run: Run,
  ): Promise<Arrays> => {
    if (owners.ids.length === 0) return new Map()
    const { archived, isVoid } = owners
    const found = await Promise.all(
      fields.map(async (field): Promise<[string, Map<Id, Row[]>]> => {
        const shape = `${field.name} ${key} ${archived} ${isVoid} ${access.stores?.join() ?? 'all'}`
        const rows = await run.rows(
          compile(shape, [dialect.integerList(owners.ids)], ([list]) =>
            arrayStatement(dialect, field, { archived, isVoid, list: String(list) }, access),
          ),
        )
        return [field.name, Map.groupBy(rows, (row) => row[0] as Id)]
      }),
    )
    return new Map(found)
  }

  const count = async (resource: Resource, plan: ListPlan, run: Run) => {
    const [row] = await run.counts(totalStatement(dialect, resource, plan))
    return Number(row?.[0] ?? 0)
  }

  // Async, although it awaits nothing: what fails at once must not keep the caller from hearing of what goes on beside it.
  const readPage = async (plan: ListPlan, run: Run, { start, isSorted = false, isCounted = false }: How = {}) => {
    const { key, resource, scalars } = shapeOf(plan)
    const conditions = start?.bound ? [...plan.conditions, start.bound] : plan.conditions
    const cut = { ...cutOf(plan, start?.skip), isSorted, isCounted, along: start?.along }
    const split = splitConditions(conditions)
    if (!split) return run.rows(pageStatement(dialect, resource, scalars, plan, cut))
    const order = plan.order.map(({ field, descending }) => `${field} ${descending}`)
    // The price list is the only value that stands in the fields.
    const shape = `page ${key} ${plan.access.priceList} ${order.join()} ${isSorted} ${cut.along} ${split.shape}`
    return run.rows(
      compile(shape, [cut.before, cut.limit, cut.end, ...split.values], ([before = 0, limit = 0, end = 0, ...marks]) =>
        pageStatement(
          dialect,
          resource,
          scalars,
          { ...plan, conditions: joinConditions(conditions, marks) },
          { ...cut, before: Number(before), limit: Number(limit), end: Number(end) },
        ),
      ),
    )
  }

  // The page of a search among the records that the list begins with: where many match, it is not far.
  const meetPage = async (resource: Resource, plan: ListPlan, total: number, run: Run) => {
    const asked = { dialect, resource, run, pieces }
    const all = { ...plan, conditions: plan.conditions.filter(({ is }) => is !== 'contains') }
    const records = (await counted(asked, all))?.total ?? 0
    const met = plan.conditions.map((each) => (each.is === 'contains' ? { ...each, isMet: true as const } : each))
    const wanted = Math.min(plan.perPage, total - (plan.page - 1) * plan.perPage)
    // As far as it would be if they were spread evenly, and then further.
    let far = Math.ceil((2 * plan.page * plan.perPage * records) / total)
    for (; far <= metPerSorted * total; far *= 8) {
      const beginning = await beginningOf(asked, all, far)
      if (!beginning) return undefined
      const rows = await readPage({ ...plan, conditions: [...met, beginning] }, run)
      if (rows.length === wanted) return rows
    }
    return undefined
  }

  const readList = async (resource: Resource, plan: ListPlan, run: Run) => {
    const before = (plan.page - 1) * plan.perPage
    // Not one after the other: where the database is another process, they are asked together.
    const isAcross = goesAcross(plan)
    const [tallied, near] = await Promise.all([
      counted({ dialect, resource, run, pieces }, plan),
      before < farInto && !isAcross ? readPage(plan, run) : undefined,
    ])
    const total = tallied?.total ?? (await count(resource, plan, run))
    if (near || before >= total) return { total, rows: near ?? [] }
    const isSorted = isAcross && total <= sortedPerLookUp * farInto
    const start = isSorted ? undefined : await tallied?.start()
    return { total, rows: await readPage(plan, run, { start, isSorted }) }
  }

  // Whatever a text is part of has to be found to be counted. Where the index does not count it by itself, the page is cut from it.
  const readSearch = async (resource: Resource, plan: ListPlan, run: Run) => {
    const found = foundStatement(dialect, resource, plan)
    if (found) {
      const [row] = await run.counts(found)
      const total = Number(row?.[0])
      if ((plan.page - 1) * plan.perPage >= total) return { total, rows: [] }
      return {
        total,
        rows: (await meetPage(resource, plan, total, run)) ?? (await readPage(plan, run, { isSorted: true })),
      }
    }
    const rows = await readPage(plan, run, { isSorted: true, isCounted: true })
    const [first] = rows
    const total = first ? Number(first.at(-1)) : plan.page === 1 ? 0 : await count(resource, plan, run)
    return { total, rows }
  }

  return {
    async list(plan, run) {
      const shape = shapeOf(plan)
      const { resource, write } = shape
      const read = plan.conditions.some(({ is }) => is === 'contains') ? readSearch : readList
      const { total, rows } = await read(resource, plan, run)
      const owners = { ids: rows.map((row) => row[rowFields] as Id), archived: false, isVoid: false }
      const items = await readArrays(shape, owners, plan, run)
      const records = rows.map((row) => write(row, rowFields, items))
      const meta = {
        page: plan.page,
        per_page: plan.perPage,
        total,
        total_pages: Math.ceil(total / plan.perPage),
      }
      return {
        total,
        records: records.length,
        body: encoder.encode(`{"data":[${records.join(',')}],"meta":${JSON.stringify(meta)}}`),
      }
    },

    async detail(plan, run) {
      const shape = shapeOf(plan)
      const { write } = shape
      const [row] = await run.rows(compileRecord(shape, plan))
      if (!row) return null
      const owners = { ids: [plan.id], archived: row[rowPart] === 1, isVoid: row[rowStatus] === VOID }
      const items = await readArrays(shape, owners, plan, run)
      return encoder.encode(`{"data":${write(row, rowFields, items)}}`)
    },

    forget: () => pieces.forget(),
  }
}

interface How {
  readonly start?: Start | undefined
  readonly isSorted?: boolean
  readonly isCounted?: boolean
}

// To look at so many along a list takes as long as to find and sort one.
const metPerSorted = 3
// To sort so many takes about as long as to look up where a page begins.
const sortedPerLookUp = 3

interface Owners {
  readonly ids: readonly Id[]
  readonly archived: boolean
  readonly isVoid: boolean
}

interface Shape {
  readonly key: string
  readonly resource: Resource
  readonly scalars: readonly ScalarField[]
  readonly arrays: readonly ArrayField[]
  readonly write: WriteRecord
}

// What a plan shows depends on the resource, on the gates and the price list of the access, and on nothing else of the
// request: each combination is worked out once.
function createShapes(onUnknownCode: OnUnknownCode): (plan: Plan) => Shape {
  const shapes = new Map<string, Shape>()
  const gatesOf = new Map<Resource, readonly Permission[]>()
  return ({ resource: name, shows, access }) => {
    const resource = findResource(name)
    if (!resource) throw new Error(`no resource ${name}`)
    let gates = gatesOf.get(resource)
    if (!gates)
      gatesOf.set(
        resource,
        (gates = permissions.filter((gate) => resource.fields.some((each) => usesGate(each, gate)))),
      )
    const held = gates.filter((gate) => access.permissions.includes(gate))
    const key = `${name} ${shows} ${access.priceList === null} ${held.join(' ')}`
    const known = shapes.get(key)
    if (known) return known
    const fields = visibleFields(resource, access).filter((field) => shows === 'detail' || !isDetailOnly(field))
    const shape = {
      key,
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
