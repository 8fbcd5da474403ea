// Runs statements within the snapshot of a request.
import type { Tally } from '../catalogue/tallies.ts'
import type { Statement } from '../sql/statement.ts'
import type { Row } from './json.ts'

export type Rows = readonly Row[] | Promise<readonly Row[]>

export interface Run {
  rows(statement: Statement): Rows
  // Short answers that took long to find: an engine may remember them for as long as the data, or that tally, stays the same.
  counts(statement: Statement, tally?: Tally): Rows
}
