// The types of filters. A declaration names a kind. The kind (one file each in this folder) turns a value into conditions and describes
// the filter to people.
import type { Codes } from '../../contract/codes.ts'
import type { Condition } from '../condition.ts'

export type Filter = StatusFilter | LabelsFilter | IntegerFilter | CurrencyFilter | TimeFilter

export interface StatusFilter {
  readonly kind: 'status'
  readonly name: string
  readonly column: string
  readonly labels: Codes
  // `all` is allowed and filters nothing.
  readonly all: boolean
  // If the parameter is omitted: records with this label are hidden, or only these are shown.
  readonly omitted?: { readonly hides: string } | { readonly shows: string }
}

export interface LabelsFilter {
  readonly kind: 'labels'
  readonly name: string
  readonly column: string
  readonly labels: Codes
}

export interface IntegerFilter {
  readonly kind: 'integer'
  readonly name: string
  readonly column: string
  // 0 finds the records without a reference: they are shown with 0.
  readonly emptyIsZero?: true
}

export interface CurrencyFilter {
  readonly kind: 'currency'
  readonly name: string
  readonly column: string
  // Declared with the usual ones; `resourcesWith` puts the company's in their place.
  readonly values: readonly string[]
}

export interface TimeFilter {
  readonly kind: 'day-from' | 'day-to' | 'since'
  readonly name: string
  readonly column: string
}

export type ParsedValue<Value> = { readonly value: Value } | { readonly message: string }

export interface FilterDescription {
  readonly type: 'string' | 'integer' | 'date' | 'date-time'
  readonly values?: readonly string[]
  readonly multiple?: true
  readonly default?: string
}

export interface FilterKind<Kind extends Filter> {
  // The conditions for a value, or a sentence that says which values are allowed.
  read(text: string, filter: Kind): ParsedValue<readonly Condition[]>
  // The conditions if the parameter is omitted.
  omitted(filter: Kind): readonly Condition[]
  describe(filter: Kind): FilterDescription
}
