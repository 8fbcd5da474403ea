// The data routes as a plain function: rows, a valid request and an access in; the expected answer out, to the byte.
import { specified, type ResourceRule } from '../support/specification/index.ts'
import { mayRead, visibleRecords, type Access } from './access.ts'
import { matches, type Parameters } from './filters.ts'
import { orderRecords } from './order.ts'
import { showDetail, showRecord } from './records.ts'
import type { Database, Row } from './relations.ts'
import type { Shape, Shown } from './values.ts'

export interface Request {
  readonly resource: string
  // A detail, or a list when null.
  readonly id: number | null
  readonly parameters: Parameters
}

/** A list of all that the access sees, on one page where there are not too many. */
export const listOfAll = ({ name, status }: ResourceRule): Request => ({
  resource: name,
  id: null,
  parameters: { sort: 'id', per_page: '100', ...(status.includes('all') ? { status: 'all' } : {}) },
})

export type Expected =
  | { readonly status: 200; readonly total: number | null; readonly text: string }
  | { readonly status: 403 | 404; readonly code: string }

type Json = Shown | Shape | { readonly [name: string]: Json } | readonly Shape[]

// Integers beyond 2^53 are written digit by digit; everything else as JSON.stringify does.
function write(value: Json): string {
  if (typeof value === 'bigint') return String(value)
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`
  const entries = Object.entries(value as { readonly [name: string]: Json })
  return `{${entries.map(([name, each]) => `${JSON.stringify(name)}:${write(each)}`).join(',')}}`
}

interface ListItem {
  readonly row: Row
  readonly record: Shape
}

// Thousands of requests are about the same rows and the same access.
const kept = new WeakMap<Database, Map<string, readonly ListItem[]>>()

function itemsOf(rule: ResourceRule, database: Database, access: Access): readonly ListItem[] {
  const lists = kept.get(database) ?? new Map<string, readonly ListItem[]>()
  kept.set(database, lists)
  const name = JSON.stringify([rule.name, access])
  const items =
    lists.get(name) ??
    visibleRecords(rule, database, access).map((stored) => ({
      row: stored.row,
      record: showRecord(rule, stored, database, access),
    }))
  lists.set(name, items)
  return items
}

export function expectedAnswer(database: Database, request: Request, access: Access): Expected {
  const rule = specified(request.resource)
  if (!mayRead(rule, access)) return { status: 403, code: 'insufficient_scope' }
  if (request.id !== null) {
    const found = visibleRecords(rule, database, access).find(({ row }) => row['id'] === request.id)
    if (!found) return { status: 404, code: 'not_found' }
    return { status: 200, total: null, text: write({ data: showDetail(rule, found, database, access) }) }
  }
  const { parameters } = request
  const matching = itemsOf(rule, database, access).filter(({ row, record }) => matches(rule, row, record, parameters))
  const page = Number(parameters['page'] ?? 1)
  const perPage = Number(parameters['per_page'] ?? 25)
  const total = matching.length
  const data = orderRecords(rule, matching, parameters['sort'])
    .slice((page - 1) * perPage, page * perPage)
    .map(({ record }) => record)
  const meta = { page, per_page: perPage, total, total_pages: Math.ceil(total / perPage) }
  return { status: 200, total, text: write({ data, meta }) }
}
