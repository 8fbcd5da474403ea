// The vocabulary of filters. A declaration names a kind; the kind (one file each in this folder) knows how to read a
// value, which condition it stands for and how it is described to people.
import type { Codes } from '../../contract/codes.ts'
import type { Condition } from '../condition.ts'

export type Filter = StatusFilter | LabelsFilter | IntegerFilter | TextFilter | TimeFilter

export interface StatusFilter {
  readonly kind: 'status'
  readonly name: string
  readonly column: string
  readonly labels: Codes
  // `all` is allowed and filters nothing.
  readonly all: boolean
  // What applies when the parameter is omitted: records of one label hidden, or of one label alone shown.
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

export interface TextFilter {
  readonly kind: 'text'
  readonly name: string
  readonly column: string
  readonly values: readonly string[]
}

export interface TimeFilter {
  readonly kind: 'day-from' | 'day-to' | 'since'
  readonly name: string
  readonly column: string
}

export type Parsed<Value> = { readonly value: Value } | { readonly message: string }

export interface FilterDescription {
  readonly type: 'string' | 'integer' | 'date' | 'date-time'
  readonly values?: readonly string[]
  readonly multiple?: true
  readonly default?: string
}

export interface FilterKind<Kind extends Filter> {
  // The conditions a value stands for, or a sentence that says what is allowed.
  read(text: string, filter: Kind): Parsed<readonly Condition[]>
  // What applies when the parameter is not sent.
  omitted(filter: Kind): readonly Condition[]
  describe(filter: Kind): FilterDescription
}
