// The limits of list parameters, as the specification states them, and how much an answer says about faults.

export const limits = {
  page: 10_000,
  perPage: 100,
  perPageDefault: 25,
  sortFields: 3,
  search: { least: 2, most: 100 },
  // Every parameter at fault is named. Later ones get one short sentence without suggestions, so that no request makes an
  // answer many times its own size.
  faultsWithHelp: 20,
} as const
