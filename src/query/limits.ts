// The limits of parameters in the specification, and how much an answer says about faults.
export const limits = {
  page: 10_000,
  perPage: 100,
  perPageDefault: 25,
  changes: 500,
  changesDefault: 100,
  sortFields: 3,
  search: { least: 2, most: 100 },
  // Every wrong parameter is named. Beyond this number, a fault is one short sentence without suggestions, so that no answer is many times
  // as long as its request.
  faultsWithHelp: 20,
} as const
