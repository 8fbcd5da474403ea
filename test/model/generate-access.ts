// Random callers: what their key holds, and the scope their token asked for.
import * as fc from 'fast-check'
import { allPermissions as all } from '../support/routes.ts'
import { addOns } from '../support/gates.ts'
import type { Access } from './access.ts'

export interface Caller {
  readonly key: Access
  // The permissions the token asked for; null: all that the key holds.
  readonly scope: readonly string[] | null
}

const permissions = fc.oneof(
  { weight: 3, arbitrary: fc.constant(all) },
  // Without one or both add-ons, everything else open: the fields must go, the records stay.
  { weight: 3, arbitrary: fc.subarray([...addOns]).map((without) => all.filter((each) => !without.includes(each))) },
  { weight: 1, arbitrary: fc.subarray([...all], { minLength: 1 }) },
)
const stores = fc.oneof(
  { weight: 3, arbitrary: fc.constant(null) },
  { weight: 4, arbitrary: fc.subarray([1, 2, 3, 4, 99], { minLength: 1, maxLength: 3 }) },
  { weight: 1, arbitrary: fc.constant([]) },
)
const priceList = fc.oneof(
  { weight: 2, arbitrary: fc.constant(null) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 7 }) },
  { weight: 1, arbitrary: fc.constant(555) },
)

export const caller: fc.Arbitrary<Caller> = fc.record({ permissions, stores, priceList }).chain((key) =>
  fc.record({
    key: fc.constant(key),
    scope: fc.oneof(
      { weight: 3, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.subarray(key.permissions, { minLength: Math.min(key.permissions.length, 12) }) },
    ),
  }),
)

// What a request of this caller may see.
export const accessOf = ({ key, scope }: Caller): Access => ({ ...key, permissions: scope ?? key.permissions })
