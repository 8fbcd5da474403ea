// A plan → the bytes of its answer, given a way to run statements within one snapshot. The same for every engine.
import { VOID } from '../contract/codes.ts'
import type { DetailPlan, ListPlan, Plan } from '../query/plan.ts'
import { arrayStatement, type Id } from '../sql/arrays.ts'
import { createCompiler, joinConditions, splitConditions } from '../sql/compiled.ts'
import type { Dialect } from '../sql/dialect.ts'
import { recordsStatement, rowFields, rowPart, rowStatus } from '../sql/records.ts'
import type { Plans } from './alike.ts'
import type { Answer, ListAnswer } from './engine.ts'
import type { Arrays, OnUnknownCode, Row } from './json.ts'
import { createPages } from './pages.ts'
import type { PieceMemory } from './pieces.ts'
import type { Run } from './run.ts'
import { createShapes, type Shape } from './shapes.ts'

export interface Answerer {
  // To a list, or to records that are asked for alike.
  answer(plans: Plans, run: Run): Promise<Answer[]>
}

const encoder = new TextEncoder()

export function createAnswerer(
  dialect: Dialect,
  onUnknownCode: OnUnknownCode,
  farInto: number,
  pieces: PieceMemory,
): Answerer {
  const shapeOf = createShapes(onUnknownCode)
  const compile = createCompiler()
  const pages = createPages(dialect, shapeOf, compile, farInto, pieces)

  const compileRecords = (
    { key, resource, scalars }: Shape,
    { access, conditions }: DetailPlan,
    ids: readonly number[],
  ) => {
    // Restrictions alone: never a search.
    const { shape = '', values = [] } = splitConditions(conditions) ?? {}
    const asked = ids.length === 1 ? Number(ids[0]) : dialect.integerList(ids)
    return compile(`records ${key} ${access.priceList} ${shape}`, [asked, ...values], ([mark, ...marks]) =>
      recordsStatement(dialect, resource, scalars, {
        access,
        ids: mark as typeof asked,
        conditions: joinConditions(conditions, marks),
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

  const list = async (plan: ListPlan, run: Run): Promise<ListAnswer> => {
    const shape = shapeOf(plan)
    const { write } = shape
    const { total, rows } = await pages.read(plan, run)
    const items = await readArrays(shape, { ids: rows.map(idOf), archived: false, isVoid: false }, plan, run)
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
  }

  const details = async (plan: DetailPlan, ids: readonly number[], run: Run): Promise<(Uint8Array | null)[]> => {
    const shape = shapeOf(plan)
    const { write } = shape
    const rows = await run.rows(compileRecords(shape, plan, ids))
    // Each once, also where it is asked for twice; where a relation has an id twice, the first is the record.
    const records = new Map(rows.toReversed().map((row) => [Number(idOf(row)), row]))
    const texts = new Map<number, string>()
    // Archived records have arrays of their own, and those of void ones show zeros.
    const kinds = Map.groupBy(records, ([, row]) => (row[rowPart] === 1 ? 2 : 0) + (row[rowStatus] === VOID ? 1 : 0))
    const ofKind = async ([kind, some]: [number, readonly [number, Row][]]) => {
      const owners = { ids: some.map(([id]) => id), archived: kind >= 2, isVoid: kind % 2 === 1 }
      const items = await readArrays(shape, owners, plan, run)
      for (const [id, row] of some) texts.set(id, `{"data":${write(row, rowFields, items)}}`)
    }
    await Promise.all(Array.from(kinds, ofKind))
    // Each has bytes of its own, also where one is asked for twice: they are given away.
    return ids.map((id) => {
      const text = texts.get(id)
      return text === undefined ? null : encoder.encode(text)
    })
  }

  return {
    async answer(plans, run) {
      const [plan] = plans
      if (plan.shows === 'list') return [await list(plan, run)]
      return details(
        plan,
        (plans as readonly DetailPlan[]).map(({ id }) => id),
        run,
      )
    },
  }
}

const idOf = (row: Row) => row[rowFields] as Id

interface Owners {
  readonly ids: readonly Id[]
  readonly archived: boolean
  readonly isVoid: boolean
}
