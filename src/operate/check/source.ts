// A database that is asked, whichever engine it is: one question at a time, read-only, each in a transaction of its own and with a
// time after which it is stopped.
import type { Dialect } from '../../sql/dialect.ts'
import type { Row, Statement } from '../../sql/statement.ts'

// It took longer than it may, or what kept it from an answer will pass: a lock, a replica that must go on.
export class Late extends Error {}
// The database said no; the message is its own.
export class Refused extends Error {}

export interface Source {
  readonly dialect: Dialect
  readonly timeoutMs: number
  // Where there is none any more, no other question is of use.
  isOpen(): boolean
  rows(statement: Statement): Promise<readonly Row[]>
  close(): Promise<void>
}
