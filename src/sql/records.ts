// Plans → statements: the total and one page of a list, or records by their ids. Both read the recent and the archived relation
// as one collection, in which an archived record whose id is also among the recent ones does not exist.
import type { Condition } from '../catalogue/condition.ts'
import { isArray, type ScalarField } from '../catalogue/field.ts'
import { canBeVoid, findField, relationsOf, type Resource } from '../catalogue/resource.ts'
import type { Relation } from '../contract/relation.ts'
import type { DetailPlan, ListPlan, Order } from '../query/plan.ts'
import { conditionSql, whereSql } from './conditions.ts'
import { quote, type Bind, type Dialect } from './dialect.ts'
import { valueSql, type RecordSource } from './fields.ts'
import { statement, type Statement } from './statement.ts'

// A row starts with the part it comes from (0 recent, 1 archived) and the stored status, then the fields in order.
export const rowPart = 0
export const rowStatus = 1
export const rowFields = 2

// `along`: the column whose index is to be followed, whatever else is asked for.
export function totalStatement(
  dialect: Dialect,
  resource: Resource,
  { conditions, along }: Pick<ListPlan, 'conditions'> & { readonly along?: string },
): Statement {
  return statement(dialect, (bind) => {
    const counts = partsOf(dialect, resource).map(
      (part) => `(SELECT count(*) FROM ${matching(part, conditionsSql(part, conditions, bind, { along }))})`,
    )
    return `SELECT ${counts.join(' + ')}`
  })
}

// Which records of a list are its page.
interface Cut {
  // They are found by what they are asked for, and sorted: to walk along the order would meet all the others.
  readonly isSorted?: boolean
  // It is known where the page begins on this column: its index is to be followed from there.
  readonly along?: string | undefined
  // How many match ends each row: where all of them are found for a page, they are counted on the way.
  readonly isCounted?: boolean
  readonly before: number
  readonly limit: number
  readonly end: number
}

export const cutOf = ({ perPage, page }: ListPlan, before = (page - 1) * perPage): Cut => ({
  before,
  limit: perPage,
  end: before + perPage,
})

// The page is found first, after so many records, by its keys alone, from an index; only its own records are then read whole. CROSS
// JOIN: an inner join whose order SQLite keeps; left to itself it reads the whole archive for a page.
export function pageStatement(
  dialect: Dialect,
  resource: Resource,
  fields: readonly ScalarField[],
  plan: ListPlan,
  { before, limit, end, along, isSorted = false, isCounted = false }: Cut = cutOf(plan),
): Statement {
  const keys = plan.order.map((_, at) => `s${at}`)
  const order = orderSql(dialect, plan.order, keys)
  const isMerged = relationsOf(resource).length > 1 && !isCounted
  return statement(dialect, (bind) => {
    const parts = partsOf(dialect, resource).map((part) => {
      const { relation } = part
      const sorts = plan.order.map(({ field }, at) => {
        const term = sortSql(dialect, resource, relation, field, bind)
        return `${isSorted ? dialect.unindexed(term) : term} AS s${at}`
      })
      const select =
        `SELECT ${part.number} AS part, t."id" AS id, ${sorts.join(', ')}` +
        ` FROM ${matching(part, conditionsSql(part, plan.conditions, bind, { along, end: dialect.askEach }))}`
      return isMerged ? dialect.mergeable(select, order, () => bind(end)) : select
    })
    const [most, offset] = [bind(limit), bind(before)]
    const total = isCounted ? ['(SELECT count(*) FROM m)'] : []
    const selects = relationsOf(resource).map((relation, part) => {
      const source = recordSource(dialect, resource, relation, plan)
      const sorts = plan.order.map(({ field }, at) => sortKey(dialect, resource, relation, field, `k.s${at}`))
      return (
        `SELECT ${[...recordColumns(resource, fields, source, part, bind), ...sorts, ...total].join(', ')}` +
        ` FROM k CROSS JOIN ${quote(relation.name)} t` +
        ` WHERE t."id" = k.id AND k.part = ${part}`
      )
    })
    const first = rowFields + fields.length + 1
    const all = parts.join(' UNION ALL ')
    return (
      `WITH ${isCounted ? `m AS MATERIALIZED (${all}), ` : ''}` +
      `k AS MATERIALIZED (${isCounted ? 'SELECT * FROM m' : all} ORDER BY ${order} ${dialect.limit(most, offset)}) ` +
      `${selects.join(' UNION ALL ')} ORDER BY ${orderSql(
        dialect,
        plan.order,
        plan.order.map((_, at) => `${first + at}`),
      )}`
    )
  })
}

// `ids`: one, or a list of several as one value. CROSS JOIN: as above; left to itself SQLite reads the whole of a relation that was
// small once.
export function recordsStatement(
  dialect: Dialect,
  resource: Resource,
  fields: readonly ScalarField[],
  plan: Pick<DetailPlan, 'access' | 'conditions'> & { readonly ids: number | string },
): Statement {
  return statement(dialect, (bind) =>
    partsOf(dialect, resource)
      .map((part) => {
        const source = recordSource(dialect, resource, part.relation, plan)
        const ids = bind(plan.ids)
        const isOne = typeof plan.ids === 'number'
        const from = isOne ? '' : `${dialect.listAsTable(ids, 'o')} CROSS JOIN `
        const conditions = [`t."id" = ${isOne ? ids : 'o.id'}`, ...conditionsSql(part, plan.conditions, bind)]
        const columns = recordColumns(resource, fields, source, part.number, bind)
        return `SELECT ${columns.join(', ')} FROM ${from}${matching(part, conditions)}`
      })
      .join(' UNION ALL '),
  )
}

function recordColumns(
  resource: Resource,
  fields: readonly ScalarField[],
  source: RecordSource,
  part: number,
  bind: Bind,
): string[] {
  const status = canBeVoid(resource) ? 't."status"' : 'NULL'
  return [`${part}`, status, ...fields.map((field) => valueSql(field, source, bind))]
}

const recordSource = (
  dialect: Dialect,
  resource: Resource,
  relation: Relation,
  { access }: Pick<ListPlan, 'access'>,
): RecordSource => ({
  dialect,
  relation,
  alias: 't',
  zero: canBeVoid(resource) ? 'by status' : 'never',
  priceList: access.priceList,
})

// One of the relations a resource is read from: the recent one, or its archive.
interface Part {
  readonly dialect: Dialect
  readonly resource: Resource
  readonly relation: Relation
  readonly number: number
}

const partsOf = (dialect: Dialect, resource: Resource): Part[] =>
  relationsOf(resource).map((relation, number) => ({ dialect, resource, relation, number }))

const matching = ({ dialect, relation }: Part, conditions: readonly string[]) =>
  `${quote(relation.name)} t${whereSql(dialect, 't."id"', conditions)}`

interface Conditions {
  readonly along?: string | undefined
  readonly end?: string
}

function conditionsSql(
  part: Part,
  conditions: readonly Condition[],
  bind: Bind,
  { along, end = '' }: Conditions = {},
): string[] {
  const { dialect, resource, relation, number } = part
  // The kind of a document stands in front of every index but that of the ids.
  const followed = along === undefined || along === 'id' ? [along] : [along, resource.only?.column]
  const isFollowed = (condition: Condition) =>
    along === undefined || ('column' in condition && followed.includes(condition.column))
  const where = conditions.map((condition) => {
    // Before the name of a column, as before any term. (On SQLite it has no type of its own then; what is compared here has one.)
    const alias = isFollowed(condition) ? 't' : dialect.unindexed('t')
    return conditionSql(condition, { dialect, relation, alias }, bind)
  })
  if (number > 0) where.push(`NOT ${isRecent(resource, 't."id"', end)}`)
  return where
}

// Whether there is a recent record of this id: an archived one then does not exist.
export const isRecent = (resource: Resource, id: string, end = '') =>
  `EXISTS (SELECT 1 FROM ${quote(resource.relation)} r WHERE r."id" = ${id}${end})`

function sortSql(dialect: Dialect, resource: Resource, relation: Relation, name: string, bind: Bind): string {
  const field = findField(resource, name)
  if (!field || isArray(field)) throw new Error(`${resource.name} cannot be sorted by ${name}`)
  const zero = canBeVoid(resource) ? 'by status' : 'never'
  const value = valueSql(field, { dialect, relation, alias: 't', zero, priceList: null }, bind)
  return sortKey(dialect, resource, relation, name, value)
}

function sortKey(dialect: Dialect, resource: Resource, relation: Relation, name: string, value: string): string {
  const field = findField(resource, name)
  const isText = field?.kind === 'column' && relation.columns[field.column] === 'text'
  return isText ? dialect.textOrder(value) : value
}

const orderSql = (dialect: Dialect, order: readonly Order[], terms: readonly string[]) =>
  order.map(({ field, descending }, at) => `${terms[at]} ${dialect.direction(descending, field === 'id')}`).join(', ')
