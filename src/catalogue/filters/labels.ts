// Label filters: `status` takes one label, the others one or several, comma-separated.
import { codeOf } from '../../contract/codes.ts'
import type { FilterKind, LabelsFilter, StatusFilter } from './filter.ts'
import { noneAllowed, notAllowed } from './words.ts'

export function allowedLabels(filter: StatusFilter | LabelsFilter): string[] {
  const labels = filter.labels.map(({ label }) => label)
  return filter.kind === 'status' && filter.all ? [...labels, 'all'] : labels
}

export const status: FilterKind<StatusFilter> = {
  read(text, filter) {
    const allowed = allowedLabels(filter)
    const one = text.includes(',') ? ' Only one can be given.' : ''
    if (!allowed.includes(text)) return { message: notAllowed(text, allowed) + one }
    if (text === 'all' && filter.all) return { value: [] }
    return { value: [{ is: 'one-of', column: filter.column, codes: [codeOf(filter.labels, text)] }] }
  },
  omitted({ omitted, column, labels }) {
    if (!omitted) return []
    if ('hides' in omitted) return [{ is: 'not', column, code: codeOf(labels, omitted.hides) }]
    return [{ is: 'one-of', column, codes: [codeOf(labels, omitted.shows)] }]
  },
  describe(filter) {
    const shows = filter.omitted && 'shows' in filter.omitted ? { default: filter.omitted.shows } : {}
    return { type: 'string', values: allowedLabels(filter), ...shows }
  },
}

export const labels: FilterKind<LabelsFilter> = {
  read(text, filter) {
    const allowed = allowedLabels(filter)
    const wanted = [...new Set(text.split(','))]
    const wrong = wanted.filter((each) => !allowed.includes(each))
    if (wrong.length > 0) return { message: noneAllowed(wrong, allowed) }
    return {
      value: [{ is: 'one-of', column: filter.column, codes: wanted.map((each) => codeOf(filter.labels, each)) }],
    }
  },
  omitted: () => [],
  describe: (filter) => ({ type: 'string', values: allowedLabels(filter), multiple: true }),
}
