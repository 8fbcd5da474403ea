// Every filter kind by its name. A new kind is a file in this folder and a line here.
import { currency } from './currency.ts'
import type { Filter, FilterKind } from './filter.ts'
import { integer } from './integer.ts'
import { labels, status } from './labels.ts'
import { dayFrom, dayTo, since } from './time.ts'

const kinds: { [Kind in Filter['kind']]: FilterKind<Extract<Filter, { kind: Kind }>> } = {
  status,
  labels,
  integer,
  currency,
  'day-from': dayFrom,
  'day-to': dayTo,
  since,
}

// The kind always fits its filter, but the compiler cannot infer that.
export const kindOf = (filter: Filter) => kinds[filter.kind] as FilterKind<Filter>
