// What `schema apply` or `schema remove` is about to do to a database: found by reading it, told, then done.
import type { OnProgress } from '../progress.ts'
import type { EarlierGroup } from './earlier-versions.ts'

export interface Changed {
  readonly database: string
  readonly steps: readonly string[]
}

export interface ChangeOptions {
  readonly onProgress: OnProgress
  // What is about to be done, before anything is; the result repeats it.
  readonly announce?: (step: string) => void
  readonly remark: (text: string) => void
}

export type Change = 'apply' | 'remove'

export interface Step {
  readonly says: string
  // Each is done by itself: others can write in between.
  readonly parts: readonly (readonly string[])[]
}

export interface Plan {
  readonly steps: readonly Step[]
  // What is left as it is, and why.
  readonly remarks: readonly string[]
}

export function tellPlan({ steps, remarks }: Plan, { announce = () => {}, remark }: ChangeOptions): void {
  for (const { says } of steps) announce(says)
  for (const text of remarks) remark(text)
}

const of = {
  triggers: 'triggers',
  functions: 'functions',
  tallies: 'tables with counts',
  'search tables': 'search tables',
  indexes: 'indexes',
}

export const earlierStep = ({ what, names, statements }: EarlierGroup): Step => ({
  says: `Remove ${names.length} ${of[what]} that an earlier version made: ${names.join(', ')}.`,
  // Triggers together: one alone would count wrongly, or name a table that is gone.
  parts: what === 'triggers' ? [statements] : statements.map((statement) => [statement]),
})
