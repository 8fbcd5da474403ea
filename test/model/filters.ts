// Whether a record matches the parameters of a list. Filters look at what is shown, search at the stored texts.
import { foldCase } from './fold.ts'
import type { Row } from './relations.ts'
import type { Resource } from './resources.ts'
import type { Shape } from './values.ts'

export type Parameters = Readonly<Record<string, string>>

// Without a `status`, drafts are hidden where there are drafts, and a product must be active.
function matchesStatus(resource: Resource, status: unknown, wanted: string | undefined): boolean {
  if (wanted === 'all') return true
  if (wanted !== undefined) return status === wanted
  return resource.name === 'products' ? status === 'active' : status !== 'hold'
}

const dayOf = (time: unknown) => (typeof time === 'string' ? time.slice(0, 10) : null)

function matchesFilter(name: string, value: string, record: Shape): boolean {
  if (name === 'date_from' || name === 'date_to') {
    const day = dayOf(record['date'])
    return day !== null && (name === 'date_from' ? day >= value : day <= value)
  }
  if (name === 'updated_since') {
    const updated = record['updated_at']
    return typeof updated === 'string' && updated >= (value.length === 10 ? `${value}T00:00:00` : value)
  }
  const shown = record[name]
  if (shown === null || shown === undefined || typeof shown === 'object') return false
  return name.endsWith('_id') || name === 'currency' ? `${shown}` === value : value.split(',').includes(`${shown}`)
}

function matchesSearch(resource: Resource, row: Row, search: string): boolean {
  const wanted = foldCase(search)
  return resource.search.some((column) => {
    const text = row[column]
    return typeof text === 'string' && foldCase(text).includes(wanted)
  })
}

export function matches(resource: Resource, row: Row, record: Shape, parameters: Parameters): boolean {
  const { page: _page, per_page: _perPage, sort: _sort, status, search, ...filters } = parameters
  return (
    matchesStatus(resource, record['status'] ?? null, status) &&
    (search === undefined || matchesSearch(resource, row, search)) &&
    Object.entries(filters).every(([name, value]) => matchesFilter(name, value, record))
  )
}
