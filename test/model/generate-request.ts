// Random valid requests over a database, biased towards values that occur: most filters are taken from one record.
import * as fc from 'fast-check'
import { filterNames, labelsOf, specification, type ResourceRule } from '../support/specification/index.ts'
import { visibleRecords, type Access, type Stored } from './access.ts'
import type { Parameters } from './filters.ts'
import { search } from './generate-search.ts'
import { clockTimes, someDay } from './generate-values.ts'
import type { Request } from './model.ts'
import { showRecord } from './records.ts'
import { rowsOf, type Database, type Row } from './relations.ts'
import type { Shape } from './values.ts'

// Optional with a chance, so that most requests carry few parameters and some carry many.
const sometimes = <Value>(oneIn: number, value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.oneof({ weight: oneIn - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value })

const time = fc.tuple(someDay, fc.constantFrom(...clockTimes)).map(([day, clock]) => `${day}T${clock}`)

const labelList = (labels: readonly string[], like: unknown) =>
  fc.oneof(
    fc.constant(typeof like === 'string' ? like : (labels[0] ?? '')),
    fc.shuffledSubarray([...labels], { minLength: 1 }).map((some) => some.join(',')),
  )

function valueOf(rule: ResourceRule, filter: string, like: Shape): fc.Arbitrary<string> {
  const shown = like[filter]
  const own = typeof shown === 'number' || typeof shown === 'string' ? String(shown) : null
  const updated = like['updated_at']
  const date = like['date']
  switch (filter) {
    case 'status': {
      const all = rule.status.filter((label) => label === 'all')
      return fc.oneof(fc.constant(own ?? rule.status[0] ?? ''), fc.constantFrom(...rule.status, ...all))
    }
    case 'type':
    case 'payment_status':
      return labelList(labelsOf(rule, filter), own)
    case 'currency':
      return fc.constantFrom('USD', 'HTG')
    case 'date_from':
    case 'date_to':
      return typeof date === 'string' ? fc.oneof(fc.constant(date.slice(0, 10)), someDay) : someDay
    case 'updated_since':
      return typeof updated === 'string' ? fc.oneof(fc.constant(updated), someDay, time) : fc.oneof(someDay, time)
    default: {
      const any = fc.oneof(
        fc.integer({ min: 0, max: 12 }),
        fc.constantFrom(-1, 99, 999, 2 ** 31, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER),
      )
      return fc.oneof(
        { weight: own === null ? 0 : 4, arbitrary: fc.constant(own ?? '') },
        { weight: 1, arbitrary: any.map(String) },
      )
    }
  }
}

const sortOf = (rule: ResourceRule) =>
  fc
    .shuffledSubarray([...rule.sorts], { minLength: 1, maxLength: Math.min(3, rule.sorts.length) })
    .chain((names) =>
      fc.tuple(...names.map((name) => fc.constantFrom(name, `-${name}`))).map((terms) => terms.join(',')),
    )

const perPage = fc.oneof(fc.integer({ min: 1, max: 7 }), fc.constantFrom(1, 10, 25, 99, 100))
const page = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 5 }) },
  { weight: 1, arbitrary: fc.constantFrom(50, 9999, 10000) },
)

// One or two parameters are the rule; each filter of the resource may come.
function listOf(rule: ResourceRule, database: Database, { row, record }: Like): fc.Arbitrary<Parameters> {
  const filters = Object.fromEntries(
    filterNames(rule).map((filter) => [filter, sometimes(filter === 'status' ? 3 : 9, valueOf(rule, filter, record))]),
  )
  return fc
    .record({
      ...filters,
      search: sometimes(3, search(rule, database, row)),
      sort: sometimes(2, sortOf(rule)),
      per_page: sometimes(3, perPage.map(String)),
      page: sometimes(6, page.map(String)),
    })
    .map((drawn: Record<string, string | undefined>) =>
      Object.fromEntries(Object.entries(drawn).filter((entry): entry is [string, string] => entry[1] !== undefined)),
    )
}

// Ids that are there, in the archive, of another resource in the same relation, or nowhere.
function idOf(rule: ResourceRule, database: Database): fc.Arbitrary<number> {
  const rows = [...rowsOf(database, rule.relation), ...rowsOf(database, `${rule.relation}_archive`)]
  const ids = rows.map((row) => Number(row['id']))
  const any = fc.oneof(fc.integer({ min: 1, max: 30 }), fc.constantFrom(0, -1, 999, 2 ** 40, Number.MAX_SAFE_INTEGER))
  return ids.length === 0
    ? any
    : fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...ids) }, { weight: 1, arbitrary: any })
}

// The record that a request is made to find: one that the caller sees, or one of all.
interface Like {
  readonly row: Row
  readonly record: Shape
}

const anyOf = (list: readonly Stored[]) => (list.length > 0 ? fc.constantFrom(...list) : fc.constant(null))

function likeOf(rule: ResourceRule, database: Database, access: Access): fc.Arbitrary<Like> {
  const all = visibleRecords(rule, database, { ...access, stores: null, priceList: null })
  const seen = visibleRecords(rule, database, access)
  return fc
    .oneof({ weight: seen.length > 0 ? 5 : 0, arbitrary: anyOf(seen) }, { weight: 1, arbitrary: anyOf(all) })
    .map((stored) =>
      stored ? { row: stored.row, record: showRecord(rule, stored, database, access) } : { row: {}, record: {} },
    )
}

function requestOf(rule: ResourceRule, database: Database, access: Access): fc.Arbitrary<Request> {
  const detail = idOf(rule, database).map((id) => ({ resource: rule.name, id, parameters: {} }))
  const list = likeOf(rule, database, access)
    .chain((like) => listOf(rule, database, like))
    .map((parameters) => ({ resource: rule.name, id: null, parameters }))
  return fc.oneof(
    { weight: 7, arbitrary: list },
    { weight: Object.keys(rule.arrays).length > 0 ? 4 : 2, arbitrary: detail },
  )
}

const isReference = ({ permission }: ResourceRule) => permission === 'reference:read'

export const request = (database: Database, access: Access): fc.Arbitrary<Request> =>
  fc.oneof(
    ...specification.map((rule) => ({
      weight: isReference(rule) ? 1 : 3,
      arbitrary: requestOf(rule, database, access),
    })),
  )
