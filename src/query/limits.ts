// The limits of list parameters, as the specification states them.

export const limits = {
  page: 10_000,
  perPage: 100,
  perPageDefault: 25,
  sortFields: 3,
  search: { least: 2, most: 100 },
} as const
