// The fields that need an add-on permission, as the specification marks them, and a look for them in whatever the service says.
import { specification, type FieldRule } from './specification/index.ts'

export const addOns: readonly string[] = ['costs:read', 'customers:financial']

const fields = specification
  .flatMap((rule) => [rule.fields, ...Object.values(rule.arrays).map((array) => array.fields)])
  .flat()
const needs = (gate: string) => (field: FieldRule) => field.permission === gate

/** By gate. Only names that are nowhere without it: `total` is a cost in adjustments alone, and their records tell. */
export const gatedFields: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  addOns.map((gate) => {
    const open = new Set(fields.filter((field) => !needs(gate)(field)).map(({ name }) => name))
    return [gate, [...new Set(fields.filter(needs(gate)).map(({ name }) => name))].filter((name) => !open.has(name))]
  }),
)

/** The names that this access may read nowhere. */
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
