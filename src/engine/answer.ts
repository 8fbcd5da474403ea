// A plan → the bytes of its answer, given a way to run statements within one snapshot. The same for every engine.
import { VOID } from '../contract/codes.ts'
import type { DetailPlan, ListPlan, Plan } from '../query/plan.ts'
import { arrayStatement, type Id } from '../sql/arrays.ts'
import { createCompiler, joinConditions, splitConditions } from '../sql/compiled.ts'
import type { Dialect } from '../sql/dialect.ts'
import { recordStatement, rowFields, rowPart, rowStatus } from '../sql/records.ts'
import type { ListAnswer } from './engine.ts'
import type { Arrays, OnUnknownCode, Row } from './json.ts'
import { createPages } from './pages.ts'
import type { Run } from './run.ts'
import { createShapes, type Shape } from './shapes.ts'

export interface Answerer {
  list(plan: ListPlan, run: Run): Promise<ListAnswer>
  // null: there is no such record for this access.
  detail(plan: DetailPlan, run: Run): Promise<Uint8Array | null>
  // What was counted, because the database may not be the one that it was counted in.
  forget(): void
}

const encoder = new TextEncoder()

export function createAnswerer(dialect: Dialect, onUnknownCode: OnUnknownCode, farInto: number): Answerer {
  const shapeOf = createShapes(onUnknownCode)
  const compile = createCompiler()
  const pages = createPages(dialect, shapeOf, compile, farInto)

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

  return {
    async list(plan, run) {
      const shape = shapeOf(plan)
      const { write } = shape
      const { total, rows } = await pages.read(plan, run)
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

    forget: () => pages.forget(),
  }
}

interface Owners {
  readonly ids: readonly Id[]
  readonly archived: boolean
  readonly isVoid: boolean
}
