// The steps of `schema apply` and `schema remove`: found by reading the database, announced, then run.
import type { Relation } from '../../contract/relation.ts'
import { namesOf } from '../../engine/missing-parts.ts'
import { OperatorError } from '../../errors.ts'
import type { Incomplete } from '../../sql/lacking-columns.ts'
import { addColumns, parentIndexName } from '../../sql/schema.ts'
import type { OnProgress } from '../progress.ts'
import type { JournalState } from './journal.ts'

export interface SchemaResult {
  readonly database: string
  readonly steps: readonly string[]
}

export interface SchemaOptions {
  readonly onProgress: OnProgress
  // Called with each step before the first one runs; the result repeats them.
  readonly announce?: (step: string) => void
  readonly remark: (text: string) => void
  // How many rows the journal keeps; undefined: as many as now.
  readonly journalRows?: number | undefined
}

export type SchemaCommand = 'apply' | 'remove'

export interface SchemaStep {
  readonly summary: string
  // Each part is a list of statements that run together; tills can write between two parts.
  readonly parts: readonly (readonly string[])[]
}

export interface SchemaPlan {
  readonly steps: readonly SchemaStep[]
  // What is left unchanged, and why.
  readonly remarks: readonly string[]
}

export function announcePlan({ steps, remarks }: SchemaPlan, { announce = () => {}, remark }: SchemaOptions): void {
  for (const { summary } of steps) announce(summary)
  for (const text of remarks) remark(text)
}

const makeStep = (what: string, names: readonly string[], parts: SchemaStep['parts']): SchemaStep[] =>
  names.length === 0 ? [] : [{ summary: `Make ${names.length} ${what}: ${names.join(', ')}.`, parts }]

// New tables keep no till waiting, so one transaction makes them all.
export const tableSteps = (missing: readonly Relation[], make: (relation: Relation) => string[]): SchemaStep[] =>
  makeStep(
    'relations',
    missing.map(({ name }) => name),
    [missing.flatMap(make)],
  )

// Quick, however many rows there are. A part is one table: tills wait for the lock of one at a time.
export function columnSteps(incomplete: readonly Incomplete[], types: Parameters<typeof addColumns>[2]): SchemaStep[] {
  const names = namesOf(incomplete)
  if (names.length === 0) return []
  const summary = `Add ${names.length} column${names.length === 1 ? '' : 's'}, empty: ${names.join(', ')}.`
  return [{ summary, parts: incomplete.map(({ relation, columns }) => addColumns(relation, columns, types)) }]
}

export const lackingRemark = (incomplete: readonly Incomplete[]): string[] =>
  incomplete.length === 0
    ? []
    : [
        `No tables of this database, so that no columns are added: ${namesOf(incomplete).join(', ')}. They read as null.`,
      ]

// A renamed table keeps its indexes, and index names are unique in a database: a name that is taken gets a prefix.
export function indexSteps(
  relations: readonly Relation[],
  isTaken: (name: string) => boolean,
  make: (relation: Relation) => string[],
): SchemaStep[] {
  const made = relations.map((relation) => {
    const usual = parentIndexName(relation)
    const name = isTaken(usual) ? `vitrine_${usual}` : usual
    return { name, part: make(relation).map((statement) => statement.replace(`"${usual}"`, `"${name}"`)) }
  })
  return makeStep(
    'indexes',
    made.map(({ name }) => name),
    made.map(({ part }) => part),
  )
}

export function journalSteps(
  { isThere, faults }: JournalState,
  relationCount: number,
  parts: SchemaStep['parts'],
): SchemaStep[] {
  if (faults.length === 0) return []
  const why = isThere ? ` anew, because these are missing or were changed: ${faults.join(', ')}` : ''
  const summary = `Make the journal${why}: the table vitrine_journal, and triggers on ${relationCount} relations that write into it which records changed.`
  return [{ summary, parts }]
}

// After the journal was made, if it was.
export function lengthSteps(
  { keptRows: now, faults }: JournalState,
  wanted: number | undefined,
  keepRows: (count: number) => string[],
): SchemaStep[] {
  const isMade = faults.length > 0
  const count = wanted ?? (isMade ? now : undefined)
  if (count === undefined || (!isMade && count === now)) return []
  return [{ summary: `Let the journal keep ${count.toLocaleString('en-US')} rows.`, parts: [keepRows(count)] }]
}

// Only a copy has it.
export const copyMarksTable = 'vitrine_copy_marks'

export const refuseCopy = () =>
  new OperatorError(
    'This is a copy: the next round of "copy" would make the journal again. To remove a copy, delete all of it.',
    1,
  )

export const removeJournal = 'Remove the journal: the table vitrine_journal, and its triggers on the relations.'
export const relationsStay =
  'The relations stay as they are, with their rows, keys and the indexes by which the parts of a record are found.'
