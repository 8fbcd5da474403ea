// Integer filters: equal to a whole number.
import type { FilterKind, IntegerFilter, ParsedValue } from './filter.ts'
import { shown } from './words.ts'

// `0` or `-?[1-9][0-9]*` within ±(2^53−1): one way to write each integer, and none that JSON would round.
const most = Number.MAX_SAFE_INTEGER

export function readInteger(text: string): ParsedValue<number> {
  const value = /^(0|-?[1-9][0-9]{0,15})$/.test(text) ? Number(text) : Number.NaN
  if (Number.isSafeInteger(value)) return { value }
  const why = /^-?\d+$/.test(text) ? ` from -${most} to ${most}, without leading zeros` : ''
  return { message: `${shown(text)} is not a whole number${why}.` }
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
