// The resource chapters of the specification as a table, written down by hand from its text and from the source contract.
// Nothing here imports src: tests hold the service to it.
import { goods } from './goods.ts'
import type { ResourceRule } from './rules.ts'
import { sales } from './sales.ts'
import { referenceData, thingsAndPeople } from './things.ts'

export type { ArrayRule, FieldRule, FieldType, LabelRule, ResourceRule } from './rules.ts'
export { lineType } from './rules.ts'

// In the order of the specification's table; the three that it names without describing come last.
export const specification: readonly ResourceRule[] = [...thingsAndPeople, ...sales, ...goods, ...referenceData]

export function specified(name: string): ResourceRule {
  const found = specification.find((each) => each.name === name)
  if (!found) throw new Error(`no resource ${name}`)
  return found
}

// Of its list, as parameters.
export const filterNames = ({ status, filters }: ResourceRule): string[] => [
  ...(status.length > 0 ? ['status'] : []),
  ...Object.keys(filters),
]

export const labelsOf = ({ labels }: ResourceRule, name: string): string[] => Object.keys(labels[name]?.codes ?? {})

// Names that another relation gives to a record: field → the column that refers, and the relation referred to.
export const namesByReference: Readonly<Record<string, readonly [string, string]>> = {
  department: ['department_id', 'departments'],
  sub_department: ['sub_department_id', 'sub_departments'],
  customer_type: ['customer_type_id', 'customer_types'],
  from_store: ['from_store_id', 'stores'],
  to_store: ['to_store_id', 'stores'],
}

// Everything that is zero in a void document, its lines and its payments.
export const zeroedWhenVoid: ReadonlySet<string> = new Set(
  `items_total tax discount_amount shipping freight fee total amount_paid amount_received deposit cash card cheque account
   cost_total unit_price base_unit_price new_price cost average_cost previous_cost previous_average_cost amount`.split(
    /\s+/,
  ),
)
