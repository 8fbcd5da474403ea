// Runs statements within the snapshot of a request.
import type { Statement } from '../sql/statement.ts'
import type { Row } from './json.ts'

export type Rows = readonly Row[] | Promise<readonly Row[]>

export interface Run {
  rows(statement: Statement): Rows
  // Short answers that took long to find: an engine may remember them for as long as the data stays the same.
  counts(statement: Statement): Rows
}
