// Plans → the bytes of their answers, in one snapshot. The same for every engine.
import { VOID } from '../contract/codes.ts'
import { findPlainly, type Finder, type FoundPage, type HeldBase } from '../finder/finder.ts'
import type { Snapshot } from '../finder/snapshot.ts'
import { restrictions, type ChangesPlan, type DetailPlan, type ListPlan, type Plan } from '../query/plan.ts'
import { arrayStatement, type Owners } from '../sql/arrays.ts'
import type { Dialect } from '../sql/dialect.ts'
import { recordsStatement, rowFields, rowIsArchived, rowStatus } from '../sql/records.ts'
import { createCompiler, type Id, type ShownRow } from '../sql/statement.ts'
import type { Batch } from './batches.ts'
import type { PlanAnswer, ListAnswer } from './engine.ts'
import { readFeed, type Patience, type VisibleRecord } from './feed.ts'
import { createShapes, type Arrays, type OnUnknownCode, type PlanShape } from './json.ts'

// The base of a list, and the page that it gives if nothing was written since.
interface Prepared {
  readonly held: HeldBase
  readonly expected: FoundPage
}

const encoder = new TextEncoder()

const usualPatience: Patience = { nowMs: () => performance.now(), longestMs: 1000 }

export function createAnswerer(
  dialect: Dialect,
  finder: Finder,
  onUnknownCode: OnUnknownCode,
  patience: Patience = usualPatience,
) {
  const shapeOf = createShapes(onUnknownCode)
  const compile = createCompiler()

  const recordsOf = (
    { key, resource, scalars }: PlanShape,
    { access, conditions }: Pick<DetailPlan, 'access' | 'conditions'>,
    ids: readonly Id[],
  ) => {
    const [only] = ids
    const asked = ids.length === 1 && typeof only === 'number' ? only : dialect.integerList(ids)
    // The conditions are the restrictions of the access key, so their values are part of the shape.
    const shape = `records ${key} ${access.priceList} ${JSON.stringify(conditions)}`
    return compile(shape, asked, (value) =>
      recordsStatement(dialect, resource, scalars, { access, conditions, ids: value }),
    )
  }

  const readArrays = async (
    { key, arrays: fields }: PlanShape,
    owners: Omit<Owners, 'list'> & { readonly ids: readonly Id[] },
    { access }: Pick<DetailPlan, 'access'>,
    snapshot: Snapshot,
  ): Promise<Arrays> => {
    if (owners.ids.length === 0) return new Map()
    const { archived, isVoid } = owners
    const found = await Promise.all(
      fields.map(async ({ field, form }): Promise<[string, Map<Id, ShownRow[]>]> => {
        const shape = `${field.name} ${key} ${archived} ${isVoid} ${access.stores?.join() ?? 'all'}`
        const statement = compile(shape, dialect.integerList(owners.ids), (list) =>
          arrayStatement(dialect, field, { archived, isVoid, list }, access),
        )
        return [field.name, Map.groupBy(await snapshot.shown(statement, form), ({ kept }) => kept[0] as Id)]
      }),
    )
    return new Map(found)
  }

  // The records of a page that exist, as JSON.
  const readPage = async (shape: PlanShape, plan: ListPlan, { ids }: FoundPage, snapshot: Snapshot) => {
    if (ids.length === 0) return []
    const [rows, arrays] = await Promise.all([
      snapshot.shown(recordsOf(shape, { access: plan.access, conditions: [] }, ids), shape.form),
      // Lists show no arrays of documents, so neither the archive nor void matters.
      readArrays(shape, { ids, archived: false, isVoid: false }, plan, snapshot),
    ])
    const byId = rowsById(rows)
    return ids.flatMap((id) => {
      const row = byId.get(id)
      return row ? [shape.join(row, arrays)] : []
    })
  }

  const list = async (plan: ListPlan, prepared: Prepared | undefined, snapshot: Snapshot): Promise<ListAnswer> => {
    const shape = shapeOf(plan)
    // Usually nothing was written since. The journal and the expected records are then read in one round trip.
    const [current, expected] = await Promise.all([
      prepared && finder.catchUp(prepared.held, snapshot),
      prepared && readPage(shape, plan, prepared.expected, snapshot),
    ])
    if (current) {
      const isExpected = current.overlay === prepared?.held.overlay
      const page = isExpected ? prepared.expected : finder.page(current, plan)
      const records = isExpected && expected ? expected : await readPage(shape, plan, page, snapshot)
      if (records.length === page.ids.length) return answerOf(plan, page.total, records)
      // A defect of ours: every id that the columns name must exist.
      finder.distrust(current)
    }
    const page = await findPlainly(dialect, shape.resource, plan, snapshot)
    return answerOf(plan, page.total, await readPage(shape, plan, page, snapshot))
  }

  // By id: those that exist for the access.
  const readRecords = async (
    plan: Pick<DetailPlan, 'shows' | 'resource' | 'access' | 'conditions'>,
    ids: readonly Id[],
    snapshot: Snapshot,
  ): Promise<Map<Id, VisibleRecord>> => {
    if (ids.length === 0) return new Map()
    const shape = shapeOf(plan)
    const { form, join } = shape
    const records = rowsById(await snapshot.shown(recordsOf(shape, plan, ids), form))
    const texts = new Map<Id, VisibleRecord>()
    // Arrays of archived records are in other relations, and those of void records show zeros.
    const kinds = Map.groupBy(
      records,
      ([, { kept }]) => (kept[rowIsArchived] === 1 ? 2 : 0) + (kept[rowStatus] === VOID ? 1 : 0),
    )
    const writeKind = async ([kind, some]: [number, readonly [Id, ShownRow][]]) => {
      const owners = { ids: some.map(([id]) => id), archived: kind >= 2, isVoid: kind % 2 === 1 }
      const arrays = await readArrays(shape, owners, plan, snapshot)
      for (const [id, row] of some) texts.set(id, { text: join(row, arrays), isArchived: owners.archived })
    }
    await Promise.all(Array.from(kinds, writeKind))
    return texts
  }

  const details = async (plans: Batch<DetailPlan>, snapshot: Snapshot) => {
    const ids = plans.map(({ id }) => id)
    const records = await readRecords(plans[0], ids, snapshot)
    return ids.map((id) => {
      const record = records.get(id)
      return record ? encoder.encode(`{"data":${record.text}}`) : null
    })
  }

  const changes = (plan: ChangesPlan, snapshot: Snapshot) =>
    readFeed(plan, {
      dialect,
      snapshot,
      access: plan.access,
      patience,
      readRecords(resource, ids) {
        const { access } = plan
        const conditions = restrictions(resource, access)
        return readRecords({ shows: 'detail', resource: resource.name, access, conditions }, ids, snapshot)
      },
    })

  return {
    // To be called before the snapshot begins.
    prepare([plan]: Batch<Plan>): Prepared | undefined {
      const held = plan.shows === 'list' ? finder.capture(plan) : undefined
      return held && { held, expected: finder.page(held, plan as ListPlan) }
    },
    async answer(plans: Batch<Plan>, prepared: Prepared | undefined, snapshot: Snapshot): Promise<PlanAnswer[]> {
      const [plan] = plans
      if (plan.shows === 'list') return [await list(plan, prepared, snapshot)]
      if (plan.shows === 'changes') return [await changes(plan, snapshot)]
      return details(plans as Batch<DetailPlan>, snapshot)
    },
  }
}

// If a relation has an id twice, the first row is the record.
const rowsById = (rows: readonly ShownRow[]) =>
  new Map(rows.toReversed().map((row) => [row.kept[rowFields] as Id, row]))

function answerOf({ page, perPage }: ListPlan, total: number, records: readonly string[]): ListAnswer {
  const meta = { page, per_page: perPage, total, total_pages: Math.ceil(total / perPage) }
  return {
    total,
    records: records.length,
    body: encoder.encode(`{"data":[${records.join(',')}],"meta":${JSON.stringify(meta)}}`),
  }
}
