// Findings from the shape of the database: missing relations and columns, wrong types, and the journal.
import { columnType, relations } from '../../contract/relations.ts'
import type { Relation } from '../../contract/relation.ts'
import { absentColumns, absentRelations, missingParts } from '../../engine/missing-parts.ts'
import type { Incomplete } from '../../sql/lacking-columns.ts'
import { addColumns } from '../../sql/schema.ts'
import { pasted, schemaOf, castTo, inView } from './paste.ts'
import { counted, rejected, type Finding } from './finding.ts'
import type { CheckContext } from './question.ts'
import { columnsIn } from './database.ts'
import { quoteName } from '../../platform/postgres/names.ts'
import { timeWithOffset } from '../../platform/clock.ts'
import { journalTable } from '../../sql/journalled.ts'

export function structureFindings(context: CheckContext): Finding[] {
  const { shape } = context
  const absent = absentRelations(columnsIn(shape))
  if (absent.length === relations.length)
    return missingParts('this database', columnsIn(shape)).map((message) => ({
      code: 'cannot_open',
      message,
      remedy:
        'Name the right database in VITRINE_DATABASE_URL. If this is the database of your POS, copy it: "vitrine views print" writes a template of the SELECTs. "vitrine schema apply" makes empty tables.',
    }))
  return [
    ...relations.filter(({ name }) => absent.includes(name)).map((relation) => missingRelation(context, relation)),
    ...[...shape.broken].map(([relation, said]): Finding => rejected(relation, said)),
    ...(['required', 'not required'] as const).flatMap((which) =>
      absentColumns(columnsIn(shape), which)
        .filter(({ relation }) => !shape.broken.has(relation.name))
        .map((absent) => missingColumns(context, absent, which === 'required')),
    ),
    ...relations.flatMap((relation) => wrongTypes(context, relation)),
  ]
}

const missingRelation = (context: CheckContext, relation: Relation): Finding => ({
  code: 'relation_missing',
  relation: relation.name,
  message: 'It does not exist.',
  remedy:
    'Make a view with these columns over the tables of your POS; if it has no such data, an empty table is enough:',
  statements: pasted(context, schemaOf(context).tables(relation)),
})

function missingColumns(context: CheckContext, { relation, columns }: Incomplete, isRequired: boolean): Finding {
  const isOne = columns.length === 1
  const lacks = `It lacks the column${isOne ? '' : 's'} ${columns.join(', ')}`
  const common = {
    code: isRequired ? 'column_missing' : 'column_not_recorded',
    relation: relation.name,
    ...(isOne ? { column: columns[0] ?? '' } : {}),
    count: columns.length,
    message: isRequired ? `${lacks}.` : `${lacks}: ${isOne ? 'its field is' : 'their fields are'} null.`,
  } as const
  if (['table', 'partitioned table'].includes(context.shape.relations.get(relation.name)?.kind ?? '')) {
    const added = pasted(context, addColumns(relation, columns, schemaOf(context).types))
    const remedy = isRequired
      ? 'Add and fill it:'
      : 'Add it with "vitrine schema apply", or with this; it may stay empty:'
    return { ...common, remedy, statements: added }
  }
  if (isRequired) return { ...common, remedy: 'Select it in the view.' }
  const terms = columns.map((name) => `${castTo(context, columnType(relation, name), 'NULL')} AS ${name}`)
  return {
    ...common,
    remedy: `If your POS has such data, select it in the view; if not, nothing, or: ${terms.join(', ')}`,
  }
}

function wrongTypes(context: CheckContext, relation: Relation): Finding[] {
  const shape = context.shape.relations.get(relation.name)
  return Object.entries(relation.columns).flatMap(([name, type]): Finding[] => {
    const found = shape?.columns.get(name)
    if (!shape || !found || found.isRight) return []
    const wanted = schemaOf(context).types[type]
    return [
      {
        code: 'column_type',
        relation: relation.name,
        column: name,
        message: `It is ${found.type}, and must be ${wanted}.`,
        remedy: inView(shape, castTo(context, type, name, found.type), name),
      },
    ]
  })
}

const apply = 'Run "vitrine schema apply": it announces its steps, and makes the journal while tills write.'

// Without the journal, answers are right but slower.
const journalFinding = (message: string, rest: Pick<Finding, 'count' | 'remedy' | 'statements'>): Finding[] => [
  {
    code: 'journal_missing',
    message: `${message} Lists are found by plain SQL, which is slower for large relations.`,
    ...rest,
  },
]

const written = (count: number) => count.toLocaleString('en-US')

function reachFinding({ shape: { journal }, url, timeZone }: CheckContext): Finding[] {
  const { keptRows = 0, reach } = journal
  if (!reach) return []
  const oldest = reach.since === null ? null : timeWithOffset(timeZone)(reach.since * 1000).slice(0, 16)
  const from = oldest === null ? '' : `, the oldest of ${oldest.replace('T', ' ')}`
  return [
    {
      code: 'journal_reach',
      message: `The journal has ${written(reach.rows)} of at most ${written(keptRows)} rows${from}. A client that follows the change feed must ask again before they are deleted.`,
      remedy: 'To reach back further, run "vitrine schema apply --journal-rows N".',
    },
    ...(url.kind === 'postgres' ? longFinding(reach.rows, keptRows) : []),
  ]
}

// Tills may prune a little late. (In SQLite nothing keeps them from it: after the bound was lowered, they catch up as they write.)
const toleratedLength = 1.25

const longFinding = (rows: number, keptRows: number): Finding[] =>
  rows <= toleratedLength * keptRows
    ? []
    : [
        {
          code: 'journal_long',
          count: rows - keptRows,
          message:
            `The journal has ${written(rows)} rows and is to keep ${written(keptRows)}: the tills do not delete the old ones, ` +
            'because their transactions are SERIALIZABLE, or because one has been open for a long time.',
          remedy:
            'Run "vitrine schema prune" once an hour, as the role that runs "vitrine schema apply"; docs/operate.md has a timer. If it deletes nothing, end transactions that have been open for a long time, also prepared ones (pg_stat_activity, pg_prepared_xacts).',
        },
      ]

export function feedHoldFindings({ shape: { feedHold } }: CheckContext): Finding[] {
  if (!feedHold) return []
  const age = Number.isFinite(feedHold.seconds)
    ? counted(Math.floor(feedHold.seconds / 60), 'minute')
    : 'a time that this role may not see'
  return [
    {
      code: 'feed_held_back',
      message: `More transactions are running than a cursor of the change feed holds, so newer changes wait. The oldest has been running for ${age}: ${feedHold.holder}.`,
      remedy: `Let its program end it, or end it yourself, so that what it wrote is lost: ${feedHold.remedy}`,
    },
  ]
}

export function journalFindings(context: CheckContext): Finding[] {
  const { shape, url } = context
  const { isThere, faults, isReadable } = shape.journal
  // Views have no triggers.
  if (![...shape.relations.values()].some(({ isTable }) => isTable)) return []
  if (!isThere) return journalFinding(`There is no journal (the table ${journalTable}).`, { remedy: apply })
  if (faults.length > 0)
    return journalFinding(`Triggers of the journal are missing, disabled or were changed: ${faults.join(', ')}.`, {
      count: faults.length,
      remedy: apply,
    })
  if (isReadable || url.kind === 'sqlite') return reachFinding(context)
  const journal = `${quoteName(url.schema)}.${quoteName(journalTable)}`
  return journalFinding(`The role ${url.user} may not read the journal.`, {
    remedy: 'Let its owner run:',
    statements: [`GRANT SELECT ON ${journal} TO ${quoteName(url.user)}`],
  })
}
