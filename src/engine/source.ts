// What an engine has to do for the service: give read-only snapshots of the POS database. A source belongs to one reader, which uses one
// snapshot at a time; it connects when it is first needed and again after any failure.
import type { Snapshot } from '../finder/snapshot.ts'
import type { Dialect } from '../sql/dialect.ts'

export interface Source {
  readonly dialect: Dialect
  // Everything that the work reads is read in one snapshot. An engine that can stop a statement does so when the signal is given.
  within<Result>(work: (snapshot: SourceSnapshot) => Promise<Result>, signal?: AbortSignal): Promise<Result>
  close(): Promise<void>
}

export interface SourceSnapshot extends Snapshot {
  // Answers that were read under equal versions are equal; undefined where that cannot be told.
  version(): Promise<string | undefined>
}

// The code of what failed because nobody waits for it any more.
export const hungUp = 'HUNG_UP'

// What was found when a connection was made.
export interface Opened {
  // Every relation is a plain table. What a view shows may change without a write, and may take long to compute.
  readonly areTables: boolean
  // Bases that were loaded before must be confirmed by the connection that loaded them: nothing in the database tells whether it lost
  // transactions meanwhile.
  readonly mustConfirm: boolean
  readonly hasJournal: boolean
}

// Told each time a connection was made.
export type OnOpened = (opened: Opened) => void
