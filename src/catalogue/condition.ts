// The conditions that a filter, a default or a restriction sets, as data. src/sql turns each into SQL, src/finder into a test of codes.

export type Condition =
  | { readonly is: 'equal'; readonly column: string; readonly value: number | string }
  // Stored as 0 or null: both mean "no reference", which the specification shows as 0.
  | { readonly is: 'zero-or-empty'; readonly column: string }
  | { readonly is: 'one-of'; readonly column: string; readonly codes: readonly number[] }
  // Any other code, or null.
  | { readonly is: 'not'; readonly column: string; readonly code: number }
  // Times compare as they are shown, to the second. Both ends are included.
  | { readonly is: 'from' | 'to'; readonly column: string; readonly time: string }
  // The literal text is a part of one of the columns, ignoring case.
  | { readonly is: 'contains'; readonly columns: readonly string[]; readonly text: string }
  // At least one of the columns names one of the stores.
  | { readonly is: 'in-stores'; readonly columns: readonly string[]; readonly stores: readonly number[] }
