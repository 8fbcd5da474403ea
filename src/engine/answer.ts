// A plan → the bytes of its answer, in one snapshot. The same for every engine.
import { VOID } from '../contract/codes.ts'
import type { Finder, Held, Page } from '../finder/finder.ts'
import { findPlainly } from '../finder/plain.ts'
import type { DetailPlan, ListPlan, Plan } from '../query/plan.ts'
import { arrayStatement, type Id } from '../sql/arrays.ts'
import { createCompiler } from '../sql/compiled.ts'
import type { Dialect } from '../sql/dialect.ts'
import { recordsStatement, rowFields, rowPart, rowStatus } from '../sql/records.ts'
import type { Row } from '../sql/statement.ts'
import type { Plans } from './alike.ts'
import type { Answer, ListAnswer } from './engine.ts'
import type { Arrays, OnUnknownCode } from './json.ts'
import { createShapes, type Shape } from './shapes.ts'
import type { SourceSnapshot } from './source.ts'

// The columns of a list, and the page that they give if nothing was written since.
interface Prepared {
  readonly held: Held
  readonly expected: Page
}

interface Answerer {
  // What is to be done before the snapshot begins, while no till can be kept waiting.
  prepare(plans: Plans): Prepared | undefined
  // To a list, or to records that are asked for alike.
  answer(plans: Plans, prepared: Prepared | undefined, snapshot: SourceSnapshot): Promise<Answer[]>
}

const encoder = new TextEncoder()

export function createAnswerer(dialect: Dialect, finder: Finder, onUnknownCode: OnUnknownCode): Answerer {
  const shapeOf = createShapes(onUnknownCode)
  const compile = createCompiler()

  const recordsOf = (
    { key, resource, scalars }: Shape,
    { access, conditions }: Pick<Plan, 'access' | 'conditions'>,
    ids: readonly Id[],
  ) => {
    const [only] = ids
    const asked = ids.length === 1 && typeof only === 'number' ? only : dialect.integerList(ids)
    // Restrictions alone, which differ by key: their values are part of the shape.
    const shape = `records ${key} ${access.priceList} ${JSON.stringify(conditions)}`
    return compile(shape, [asked], ([mark]) =>
      recordsStatement(dialect, resource, scalars, { access, conditions, ids: mark as typeof asked }),
    )
  }

  const readArrays = async (
    { key, arrays: fields }: Shape,
    owners: Owners,
    { access }: Plan,
    snapshot: SourceSnapshot,
  ): Promise<Arrays> => {
    if (owners.ids.length === 0) return new Map()
    const { archived, isVoid } = owners
    const found = await Promise.all(
      fields.map(async (field): Promise<[string, Map<Id, Row[]>]> => {
        const shape = `${field.name} ${key} ${archived} ${isVoid} ${access.stores?.join() ?? 'all'}`
        const rows = await snapshot.rows(
          compile(shape, [dialect.integerList(owners.ids)], ([list]) =>
            arrayStatement(dialect, field, { archived, isVoid, list: String(list) }, access),
          ),
        )
        return [field.name, Map.groupBy(rows, (row) => row[0] as Id)]
      }),
    )
    return new Map(found)
  }

  // The records of a page as JSON, those that are there.
  const readPage = async (shape: Shape, plan: ListPlan, { ids }: Page, snapshot: SourceSnapshot) => {
    if (ids.length === 0) return []
    const [rows, arrays] = await Promise.all([
      snapshot.rows(recordsOf(shape, { access: plan.access, conditions: [] }, ids)),
      // Lists show no arrays that depend on the document: neither the archive nor void changes them.
      readArrays(shape, { ids, archived: false, isVoid: false }, plan, snapshot),
    ])
    const byId = rowsById(rows)
    return ids.flatMap((id) => {
      const row = byId.get(id)
      return row ? [shape.write(row, rowFields, arrays)] : []
    })
  }

  const list = async (
    plan: ListPlan,
    prepared: Prepared | undefined,
    snapshot: SourceSnapshot,
  ): Promise<ListAnswer> => {
    const shape = shapeOf(plan)
    // Mostly nothing was written since: the look at the journal and the records that are expected are then one round trip.
    const [current, read] = await Promise.all([
      prepared && finder.catchUp(prepared.held, snapshot),
      prepared && readPage(shape, plan, prepared.expected, snapshot),
    ])
    if (current) {
      const isExpected = current.overlay === prepared?.held.overlay
      const page = isExpected ? prepared.expected : finder.page(current, plan)
      const records = isExpected && read ? read : await readPage(shape, plan, page, snapshot)
      if (records.length === page.ids.length) return answerOf(plan, page.total, records)
      // It would be a mistake of ours: what the columns name must be there.
      finder.distrust(current)
    }
    const page = await findPlainly(dialect, shape.resource, plan, snapshot)
    return answerOf(plan, page.total, await readPage(shape, plan, page, snapshot))
  }

  const details = async (plan: DetailPlan, ids: readonly number[], snapshot: SourceSnapshot) => {
    const shape = shapeOf(plan)
    const { write } = shape
    const records = rowsById(await snapshot.rows(recordsOf(shape, plan, ids)))
    const texts = new Map<Id, string>()
    // Archived records have arrays of their own, and those of void ones show zeros.
    const kinds = Map.groupBy(records, ([, row]) => (row[rowPart] === 1 ? 2 : 0) + (row[rowStatus] === VOID ? 1 : 0))
    const ofKind = async ([kind, some]: [number, readonly [Id, Row][]]) => {
      const owners = { ids: some.map(([id]) => id), archived: kind >= 2, isVoid: kind % 2 === 1 }
      const arrays = await readArrays(shape, owners, plan, snapshot)
      for (const [id, row] of some) texts.set(id, `{"data":${write(row, rowFields, arrays)}}`)
    }
    await Promise.all(Array.from(kinds, ofKind))
    // Each has bytes of its own, also where one is asked for twice: they are given away.
    return ids.map((id) => {
      const text = texts.get(id)
      return text === undefined ? null : encoder.encode(text)
    })
  }

  return {
    prepare([plan]) {
      const held = plan.shows === 'list' ? finder.capture(plan) : undefined
      return held && { held, expected: finder.page(held, plan as ListPlan) }
    },
    async answer(plans, prepared, snapshot) {
      const [plan] = plans
      if (plan.shows === 'list') return [await list(plan, prepared, snapshot)]
      return details(
        plan,
        (plans as readonly DetailPlan[]).map(({ id }) => id),
        snapshot,
      )
    },
  }
}

// Where a relation has an id twice, the first is the record.
const rowsById = (rows: readonly Row[]) => new Map(rows.toReversed().map((row) => [row[rowFields] as Id, row]))

function answerOf({ page, perPage }: ListPlan, total: number, records: readonly string[]): ListAnswer {
  const meta = { page, per_page: perPage, total, total_pages: Math.ceil(total / perPage) }
  return {
    total,
    records: records.length,
    body: encoder.encode(`{"data":[${records.join(',')}],"meta":${JSON.stringify(meta)}}`),
  }
}

interface Owners {
  readonly ids: readonly Id[]
  readonly archived: boolean
  readonly isVoid: boolean
}
