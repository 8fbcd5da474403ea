// Whether a record matches the parameters of a list. Filters look at what is shown, search at the stored texts.
import type { ResourceRule } from '../support/specification/index.ts'
import { foldCase } from './fold.ts'
import type { Row } from './relations.ts'
import type { Shape } from './values.ts'

export type Parameters = Readonly<Record<string, string>>

function matchesStatus({ omittedStatus }: ResourceRule, status: unknown, wanted: string | undefined): boolean {
  if (wanted === 'all') return true
  if (wanted !== undefined) return status === wanted
  return omittedStatus === 'all' || (omittedStatus === 'active' ? status === 'active' : status !== 'hold')
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

function matchesSearch(rule: ResourceRule, row: Row, search: string): boolean {
  const wanted = foldCase(search)
  return rule.search.some((column) => {
    const text = row[column]
    return typeof text === 'string' && foldCase(text).includes(wanted)
  })
}

export function matches(rule: ResourceRule, row: Row, record: Shape, parameters: Parameters): boolean {
  const { page: _page, per_page: _perPage, sort: _sort, status, search, ...filters } = parameters
  return (
    matchesStatus(rule, record['status'] ?? null, status) &&
    (search === undefined || matchesSearch(rule, row, search)) &&
    Object.entries(filters).every(([name, value]) => matchesFilter(name, value, record))
  )
}
