// The fields that need an add-on permission, written down by hand from the marks (costs) and (financial) in the
// specification, and a look for them in whatever the service says.

export const gatedFields: Readonly<Record<string, readonly string[]>> = {
  'costs:read': [
    'cost',
    'average_cost',
    'order_cost',
    'cost_total',
    'previous_cost',
    'previous_average_cost',
    'new_cost',
    'cost_difference',
  ],
  'customers:financial': ['credit_limit', 'balance'],
}
export const addOns = Object.keys(gatedFields)

/** The names that this access may read nowhere. (`total` is a cost in adjustments alone; their records tell.) */
export const hiddenNames = (permissions: readonly string[], priceList: number | null): string[] => [
  ...addOns.flatMap((gate) => (permissions.includes(gate) ? [] : [gate, ...(gatedFields[gate] ?? [])])),
  ...(priceList === null ? [] : ['price_lists']),
]

/** The hidden names that stand in an answer of the service at any depth, as a name, or as a text that is one. */
export function namesIn(value: unknown, hidden: readonly string[]): string[] {
  if (typeof value === 'string') return hidden.includes(value) ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap((each) => namesIn(each, hidden))
  return Object.entries(value).flatMap(([name, each]) => [
    ...(hidden.includes(name) ? [name] : []),
    // A label that is allowed is no field: adjustments of the type `cost`.
    ...(name === 'values' || name === 'type' ? [] : namesIn(each, hidden)),
  ])
}
