// Do references lead somewhere? They may dangle by contract (names are then shown as null), and parts of a record that is not there
// are never shown. That most of a column lead nowhere means that the wrong ids were joined.
import { referencesOf, relations } from '../../contract/relations.ts'
import type { Relation } from '../../contract/relation.ts'
import { archiveOf } from '../../catalogue/resource.ts'
import { quote, type Dialect } from '../../sql/dialect.ts'
import { counted } from './finding.ts'
import { faultsQuestion, of, type Inquiry, type Question, type RowFault } from './question.ts'

export const referenceQuestions = ({ dialect }: Pick<Inquiry, 'dialect'>): Question[] => [
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

// Where nobody but the statement itself can stop it, the other relation is walked once and not for every row: a walk within a walk
// has no chance to stop. (PostgreSQL hashes no list that is longer than its memory; it looks each up.)
function isThere(dialect: Dialect, target: string, column: string): string {
  const keepGoing = dialect.keepGoing('r."id"')
  return keepGoing
    ? `${of(column)} IN (SELECT r."id" FROM ${quote(target)} r WHERE ${keepGoing} AND r."id" IS NOT NULL)`
    : `EXISTS (SELECT 1 FROM ${quote(target)} r WHERE r."id" = ${of(column)})`
}

// What is empty is in no list, and not in none either.
const missing = (dialect: Dialect, column: string, targets: readonly string[]) =>
  `(${of(column)} IS NULL OR ${targets.map((target) => `NOT (${isThere(dialect, target, column)})`).join(' AND ')})`

// Nothing and 0 are "none", but for parts of a record.
function reference(dialect: Dialect, { parent, key }: Relation, column: string, targets: readonly string[]): RowFault {
  const where = targets.join(' and ')
  if (column === parent || key.includes(column))
    return {
      code: 'part_without_record',
      column,
      needs: [column],
      where: () => missing(dialect, column, targets),
      says: (count) => ({
        message: `${counted(count, 'row belongs', 'rows belong')} to a record that ${where} lacks: never shown.`,
        remedy: where.endsWith('_archive')
          ? 'Parts of archived records are archived, and those of recent ones are not: see that both move together.'
          : 'See whether the view leaves records out, or joins by another number than their id.',
      }),
    }
  const names = `${of(column)} <> 0`
  return {
    code: 'dangling_reference',
    column,
    needs: [column],
    where: () => `${names} AND ${missing(dialect, column, targets)}`,
    among: names,
    says: (count, among) => ({
      code: 2 * count > among ? 'mostly_dangling' : 'dangling_reference',
      message: `${counted(count, 'reference leads', 'references lead')} nowhere, of ${among.toLocaleString('en-US')}: ${where} has no such id.`,
      remedy:
        2 * count > among
          ? `See that the view shows the id of ${where}, not another number of it, and that ${where} holds all of them.`
          : 'Nothing, if they were deleted: names are shown as null, and asking for such a record gives 404.',
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
          message: `${counted(count, 'id is', 'ids are')} in ${relation.name}, too: the recent one counts, the archived one is not shown.`,
          remedy: 'Nothing, if a record is copied before it is deleted; else see that recent and archived ids differ.',
        }),
      },
    ],
  })
}
