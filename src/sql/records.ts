// Plans → statements: the plain count and page of a list, records by their ids, and the rows that the finder keeps. Each reads the
// recent and the archived relation as one collection, without archived records whose id a recent record has.
import type { Collection } from '../catalogue/collections.ts'
import type { Condition } from '../catalogue/condition.ts'
import { isArray, type ScalarField } from '../catalogue/field.ts'
import { canBeVoid, findField, relationsOf, type Resource } from '../catalogue/resource.ts'
import type { Relation } from '../contract/relation.ts'
import type { DetailPlan, ListPlan, Order } from '../query/plan.ts'
import { conditionSql, whereSql } from './conditions.ts'
import { column, quote, type Bind, type Dialect } from './dialect.ts'
import { valueSql, zeroWhenVoid, type RecordRelation } from './fields.ts'
import { statement, type Id, type Statement } from './statement.ts'

// The row of a record begins with 1 if it is archived, else 0, and the stored status. The fields follow in order.
export const rowIsArchived = 0
export const rowStatus = 1
export const rowFields = 2

export function totalStatement(dialect: Dialect, resource: Resource, plan: Pick<ListPlan, 'conditions'>): Statement {
  return statement(dialect, (bind) => {
    const counts = partsOf(dialect, resource).map(
      (part) => `(SELECT count(*) FROM ${matching(part, conditionsSql(part, plan.conditions, bind))})`,
    )
    return `SELECT ${counts.join(' + ')}`
  })
}

// The ids of a page, in order.
export function pageStatement(dialect: Dialect, resource: Resource, plan: ListPlan): Statement {
  return statement(dialect, (bind) => {
    const parts = partsOf(dialect, resource).map((part) => {
      const sorts = plan.order.map(({ field }, at) => `${sortSql(part, field, bind)} AS s${at}`)
      const where = conditionsSql(part, plan.conditions, bind)
      return `SELECT t."id" AS id, ${sorts.join(', ')} FROM ${matching(part, where)}`
    })
    const [limit, offset] = [bind(plan.perPage), bind((plan.page - 1) * plan.perPage)]
    const order = orderSql(dialect, plan.order)
    return `SELECT k.id FROM (${parts.join(' UNION ALL ')}) k ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}`
  })
}

// `ids` is one id, or several as one list value.
export function recordsStatement(
  dialect: Dialect,
  resource: Resource,
  fields: readonly ScalarField[],
  plan: Pick<DetailPlan, 'access' | 'conditions'> & { readonly ids: number | string },
): Statement {
  return statement(dialect, (bind) =>
    partsOf(dialect, resource, plan.access.priceList)
      .map((part) => {
        const table = quote(part.relation.name)
        const ids = bind(plan.ids)
        const isOne = typeof plan.ids === 'number'
        const rows = isOne ? { from: `${table} t`, condition: `t."id" = ${ids}` } : dialect.rowsInList(table, ids)
        const conditions = [rows.condition, ...conditionsSql(part, plan.conditions, bind, isOne ? undefined : ids)]
        const status = canBeVoid(resource) ? 't."status"' : 'NULL'
        const columns = [`${part.number}`, status, ...fields.map((field) => valueSql(field, part, bind))]
        return `SELECT ${columns.join(', ')} FROM ${rows.from}${whereSql(dialect, 't."id"', conditions)}`
      })
      .join(' UNION ALL '),
  )
}

// The ids of the next records after one, in order.
export function walkStatement(
  dialect: Dialect,
  resource: Resource,
  conditions: readonly Condition[],
  after: string | null,
  limit: number,
): Statement {
  return statement(dialect, (bind) => {
    const parts = partsOf(dialect, resource).map((part) => {
      const where = conditionsSql(part, conditions, bind)
      if (after !== null) where.unshift(isAfter(after, bind))
      return `SELECT * FROM (SELECT t."id" AS id FROM ${matching(part, where)} ORDER BY t."id" LIMIT ${bind(limit)}) p${part.number}`
    })
    return `SELECT k.id FROM (${parts.join(' UNION ALL ')}) k ORDER BY k.id LIMIT ${bind(limit)}`
  })
}

// Which of these ids are in a relation and meet the conditions.
export function existingStatement(
  dialect: Dialect,
  relation: Relation,
  conditions: readonly Condition[],
  ids: string,
): Statement {
  return statement(dialect, (bind) => {
    const queried = { dialect, relation, alias: 't' }
    const { from, condition } = dialect.rowsInList(quote(relation.name), bind(ids))
    const where = [condition, ...conditions.map((each) => conditionSql(each, queried, bind))]
    return `SELECT t."id" FROM ${from} WHERE ${where.join(' AND ')}`
  })
}

// With a cast: the id may be beyond the integers of JavaScript.
const isAfter = (id: string, bind: Bind) => `t."id" > CAST(${bind(id)} AS bigint)`

// Rows of a relation: the next ones after an id, or those of a list of ids.
type RowRange = { readonly after: Id | null; readonly limit: number } | { readonly ids: string }

// The id, the values and the searched texts of a collection, as the finder keeps them.
export function columnsStatement(
  dialect: Dialect,
  { values, texts }: Collection,
  relation: Relation,
  range: RowRange,
): Statement {
  return statement(dialect, (bind) => {
    const kept = values.map(({ column: name, type, isZeroWhenVoid }) => {
      const value = dialect.read(type, column('t', name))
      return dialect.exact(type, isZeroWhenVoid ? zeroWhenVoid('t."status"', value) : value)
    })
    const select = `SELECT ${['t."id"', ...kept, ...texts.map((name) => column('t', name))].join(', ')} FROM`
    if ('ids' in range) {
      const { from, condition } = dialect.rowsInList(quote(relation.name), bind(range.ids))
      return `${select} ${from} WHERE ${condition}`
    }
    const after = range.after === null ? '' : ` WHERE ${isAfter(String(range.after), bind)}`
    return `${select} ${quote(relation.name)} t${after} ORDER BY t."id" LIMIT ${bind(range.limit)}`
  })
}

// The recent relation of a resource (0), or its archive (1).
interface ResourcePart extends RecordRelation {
  readonly resource: Resource
  readonly number: number
}

function partsOf(dialect: Dialect, resource: Resource, priceList: number | null = null): ResourcePart[] {
  const zero = canBeVoid(resource) ? 'by status' : 'never'
  const shared = { dialect, resource, alias: 't', zero, priceList } as const
  return relationsOf(resource).map((relation, number) => ({ ...shared, relation, number }))
}

const matching = ({ dialect, relation }: ResourcePart, conditions: readonly string[]) =>
  `${quote(relation.name)} t${whereSql(dialect, 't."id"', conditions)}`

// `list`: the ids that are asked for, if several are.
function conditionsSql(part: ResourcePart, conditions: readonly Condition[], bind: Bind, list?: string): string[] {
  const where = conditions.map((condition) => conditionSql(condition, part, bind))
  const isAsked = list === undefined ? '' : ` AND ${part.dialect.isInList('r."id"', list)}`
  if (part.number > 0)
    where.push(`NOT EXISTS (SELECT 1 FROM ${quote(part.resource.relation)} r WHERE r."id" = t."id"${isAsked})`)
  return where
}

function sortSql(part: ResourcePart, name: string, bind: Bind): string {
  const { dialect, resource, relation } = part
  const field = findField(resource, name)
  if (!field || isArray(field)) throw new Error(`${resource.name} cannot be sorted by ${name}`)
  const value = valueSql(field, part, bind)
  const isText = field.kind === 'column' && relation.columns[field.column] === 'text'
  return isText ? dialect.textOrder(value) : value
}

const orderSql = (dialect: Dialect, order: readonly Order[]) =>
  order.map(({ field, descending }, at) => `k.s${at} ${dialect.direction(descending, field === 'id')}`).join(', ')
