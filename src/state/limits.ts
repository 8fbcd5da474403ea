// The limits of the specification that state enforces.

const minute = 60_000

export const limits = {
  tokenLifetimeMs: 900_000,
  windowMs: minute,
  tokenRequests: 10,
  defaultRate: 60,
  failuresOfKey: 5,
  failuresOfAddress: 20,
  seriesMs: 15 * minute,
  blockMs: 15 * minute,
  // The console: sessions, and the link that sets the first password.
  sessionIdleMs: 30 * minute,
  sessionMs: 12 * 60 * minute,
  linkMs: 24 * 60 * minute,
  mostSeries: 20_000,
  // Audit entries for single blocks in an hour; further blocks are counted in one summary, with at most `mostSummarised` distinct addresses.
  blockEntriesAnHour: 20,
  mostSummarised: 10_000,
  // Audit and usage: a leap year.
  historyMs: 366 * 24 * 60 * minute,
} as const
