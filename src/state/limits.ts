// The limits of the specification that state enforces.

const minute = 60_000

export const limits = {
  tokenLifetimeMs: 900_000,
  windowMs: minute,
  tokenRequests: 10,
  defaultRate: 60,
  failuresOfKey: 5,
  failuresOfAddress: 20,
  // How long a series of failures is remembered, and how long a block lasts.
  seriesMs: 15 * minute,
  blockMs: 15 * minute,
  // A session of the console: left alone, and in all. A link to set the first password.
  sessionIdleMs: 30 * minute,
  sessionMs: 12 * 60 * minute,
  linkMs: 24 * 60 * minute,
  // Series of failures that are kept at the most; and how much of the audit blocks may take: entries of their own in an hour,
  // and addresses that are told apart among the others.
  mostSeries: 20_000,
  blockEntriesAnHour: 20,
  mostSummarised: 10_000,
  // How long use and acts are kept: a year, and a day for the leap.
  historyMs: 366 * 24 * 60 * minute,
} as const
