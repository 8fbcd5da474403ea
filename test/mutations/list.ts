// Rules of the specification, of its notes and of our own, each with the line of the source that is broken and the test files that
// notice. They are in `list.json`: one entry a rule, in the order of the files.
import { readFileSync } from 'node:fs'

export interface Mutation {
  readonly rule: string
  readonly file: string
  /** Is in the file once. */
  readonly from: string
  readonly to: string
  readonly tests: readonly string[]
  /** The tests are run on it; SQLite if none is named. */
  readonly engine?: 'postgres'
}

export const mutations = JSON.parse(readFileSync(new URL('list.json', import.meta.url), 'utf8')) as readonly Mutation[]
