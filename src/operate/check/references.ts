// Finds references to missing records. The contract allows them (names are shown as null; parts without a record are never
// shown), but if most of a column are missing, the view probably joins the wrong ids.
import { referencesOf, relations } from '../../contract/relations.ts'
import type { Relation } from '../../contract/relation.ts'
import { archiveOf } from '../../catalogue/resource.ts'
import { quote, type Dialect } from '../../sql/dialect.ts'
import { counted } from './finding.ts'
import { faultsQuestion, of, type CheckContext, type Question, type RowFault } from './question.ts'

export const referenceQuestions = ({ dialect }: Pick<CheckContext, 'dialect'>): Question[] => [
  ...relations.flatMap((relation) =>
    Object.entries(referencesOf(relation)).flatMap(([column, targets]) =>
      faultsQuestion({
        about: column,
        relation,
        faults: [reference(dialect, relation, column, targets)],
        others: Object.fromEntries(targets.map((target) => [target, ['id']])),
      }),
    ),
  ),
  ...relations.flatMap((relation) => inBoth(dialect, relation)),
]

// On SQLite the other relation is scanned once, because a scan for each row could not be stopped. PostgreSQL looks up each row,
// because it would not hash a list that is larger than its work memory.
function isThere(dialect: Dialect, target: string, column: string): string {
  const keepGoing = dialect.keepGoing('r."id"')
  return keepGoing
    ? `${of(column)} IN (SELECT r."id" FROM ${quote(target)} r WHERE ${keepGoing} AND r."id" IS NOT NULL)`
    : `EXISTS (SELECT 1 FROM ${quote(target)} r WHERE r."id" = ${of(column)})`
}

// NULL is neither in a list nor not in it.
const missing = (dialect: Dialect, column: string, targets: readonly string[]) =>
  `(${of(column)} IS NULL OR ${targets.map((target) => `NOT (${isThere(dialect, target, column)})`).join(' AND ')})`

// NULL and 0 mean no reference, except for parts of a record.
function reference(dialect: Dialect, { parent, key }: Relation, column: string, targets: readonly string[]): RowFault {
  const where = targets.join(' and ')
  if (column === parent || key.includes(column))
    return {
      code: 'part_without_record',
      column,
      needs: [column],
      where: () => missing(dialect, column, targets),
      says: (count) => ({
        message: `${counted(count, 'row belongs', 'rows belong')} to a record that is not in ${where}: never shown.`,
        remedy: where.endsWith('_archive')
          ? 'Move records to the archive together with their parts.'
          : 'Check whether the view leaves records out, or joins by another number than their id.',
      }),
    }
  const isReference = `${of(column)} <> 0`
  return {
    code: 'dangling_reference',
    column,
    needs: [column],
    where: () => `${isReference} AND ${missing(dialect, column, targets)}`,
    among: isReference,
    says: (count, among) => ({
      code: 2 * count > among ? 'mostly_dangling' : 'dangling_reference',
      message: `${counted(count, 'reference points', 'references point')} to missing records, of ${among.toLocaleString('en-US')}: ${where} has no such id.`,
      remedy:
        2 * count > among
          ? `Check that the view shows the id of ${where}, not another number, and that ${where} is complete.`
          : 'Nothing, if the records were deleted: names are shown as null, and a request for such a record gets 404.',
    }),
  }
}

function inBoth(dialect: Dialect, relation: Relation): Question[] {
  const archive = relations.find(({ name }) => name === archiveOf(relation.name))
  if (!archive || relation.parent) return []
  return faultsQuestion({
    about: 'ids that are recent and archived',
    relation: archive,
    others: { [relation.name]: ['id'] },
    faults: [
      {
        code: 'in_both',
        needs: [],
        where: () => isThere(dialect, relation.name, 'id'),
        says: (count) => ({
          message: `${counted(count, 'id is', 'ids are')} in ${relation.name}, too: the recent record is shown, the archived one is not.`,
          remedy:
            'Nothing, if records are copied before they are deleted; otherwise make recent and archived ids differ.',
        }),
      },
    ],
  })
}
