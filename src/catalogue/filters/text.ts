// Text filters: equal to one of a fixed set of values, such as a currency.
import type { FilterKind, TextFilter } from './filter.ts'
import { notAllowed } from './words.ts'

export const text: FilterKind<TextFilter> = {
  read(value, { column, values }) {
    if (!values.includes(value)) return { message: notAllowed(value, values) }
    return { value: [{ is: 'equal', column, value }] }
  },
  omitted: () => [],
  describe: ({ values }) => ({ type: 'string', values }),
}
