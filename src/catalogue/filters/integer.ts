// Integer filters: equal to a whole number.
import type { FilterKind, IntegerFilter, Parsed } from './filter.ts'
import { shown } from './words.ts'

// `0` or `-?[1-9][0-9]*` within ±(2^53−1): the one way to write each integer, and none that JSON would round.
export function readInteger(text: string): Parsed<number> {
  const value = /^(0|-?[1-9][0-9]{0,15})$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(value) ? { value } : { message: `${shown(text)} is not a whole number.` }
}

export const integer: FilterKind<IntegerFilter> = {
  read(text, { column, emptyIsZero }) {
    const read = readInteger(text)
    if ('message' in read) return read
    if (read.value === 0 && emptyIsZero) return { value: [{ is: 'zero-or-empty', column }] }
    return { value: [{ is: 'equal', column, value: read.value }] }
  },
  omitted: () => [],
  describe: () => ({ type: 'integer' }),
}
