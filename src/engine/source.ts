// What an engine has to do for the service: give read-only snapshots of the POS database. A source belongs to one thread, which uses one
// snapshot at a time. It connects when it is first needed, and again after any failure.
import type { FeedHold } from './engine.ts'
import type { Snapshot } from '../finder/snapshot.ts'
import type { Availability } from '../platform/log.ts'
import type { PostgresUrl } from '../platform/postgres/url.ts'
import type { Dialect } from '../sql/dialect.ts'
import type { Look } from './look.ts'

// Plain data: it is sent to threads.
export type SourceData =
  | { readonly kind: 'sqlite'; readonly path: string; readonly timeoutMs: number }
  | { readonly kind: 'postgres'; readonly url: PostgresUrl; readonly timeoutMs: number }

export interface PosSource {
  readonly dialect: Dialect
  // Everything that the work reads is read in one snapshot. An engine that can stop a statement does so when the signal is given.
  within<Result>(work: (snapshot: Snapshot) => Promise<Result>, signal?: AbortSignal, likely?: Likely): Promise<Result>
  close(): Promise<void>
}

// `one-step`: the work probably sends all its statements at once. If it sends more later, it runs again.
export type Likely = 'one-step' | 'several-steps'

// The error code of work that was stopped because its caller hung up.
export const hungUp = 'HUNG_UP'

export interface ConnectionFacts {
  // Every relation is a plain table. A view may change without a write, and may take long to compute.
  readonly areTables: boolean
  // Only the connection that loaded a base can confirm it: nothing in the database tells whether it lost transactions meanwhile.
  readonly mustConfirm: boolean
  readonly hasJournal: boolean
  // The journal names every write, so that changes can be followed exactly.
  readonly hasFeed: boolean
}

// Called whenever a connection was made.
export type OnConnected = (facts: ConnectionFacts) => void

// What the thread of the listener needs of a database.
export interface Database {
  readonly source: SourceData
  // Given the look before. Undefined where not all writes are named, or the data may change without a write (views). It may fail; it
  // never waits on the thread that calls it.
  readonly look: (before: Look | undefined) => Promise<Look | undefined>
  readonly availability: Availability
  readonly lagSeconds: () => number | null
  readonly feedHold: () => FeedHold | null
  readonly close: () => Promise<void>
}
