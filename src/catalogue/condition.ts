// What a filter, a default or a restriction asks of a record, as data. src/sql turns each into SQL.

export type Condition =
  | { readonly is: 'equal'; readonly column: string; readonly value: number | string }
  // Stored as 0 or not at all: how "no reference" is shown where the specification shows 0.
  | { readonly is: 'zero-or-empty'; readonly column: string }
  | { readonly is: 'one-of'; readonly column: string; readonly codes: readonly number[] }
  // Any other code, and no code at all.
  | { readonly is: 'not'; readonly column: string; readonly code: number }
  // Times compare as they are shown, to the second, both ends included.
  | { readonly is: 'from' | 'to'; readonly column: string; readonly time: string }
  // A literal part of one of the columns, without regard to case.
  | { readonly is: 'contains'; readonly columns: readonly string[]; readonly text: string }
  // At least one of the columns names one of the stores.
  | { readonly is: 'in-stores'; readonly columns: readonly string[]; readonly stores: readonly number[] }
