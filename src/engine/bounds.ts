// A place on an axis as conditions of a list.
import type { Condition } from '../catalogue/condition.ts'
import { idDigits, type Axis } from '../catalogue/tallies.ts'

export const dayStart = 'T00:00:00'
export const dayEnd = 'T23:59:59'

// From a day, or from a thousand of ids, on in the direction of a list.
export function boundOf({ column, type }: Axis, bucket: string, descending: boolean): Condition {
  if (type === 'time')
    return { is: descending ? 'to' : 'from', column, time: bucket + (descending ? dayEnd : dayStart) }
  return {
    is: descending ? 'at-most' : 'at-least',
    column,
    value: Number(bucket.padEnd(idDigits, descending ? '9' : '0')),
  }
}
