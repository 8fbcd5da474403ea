// Currency filters: equal to one of the company's currencies.
import type { FilterKind, CurrencyFilter } from './filter.ts'
import { notAllowed } from './words.ts'

export const currency: FilterKind<CurrencyFilter> = {
  read(value, { column, values }) {
    if (!values.includes(value)) return { message: notAllowed(value, values) }
    return { value: [{ is: 'equal', column, value }] }
  },
  omitted: () => [],
  describe: ({ values }) => ({ type: 'string', values }),
}
