// Can a client that synchronises trust `updated_at`? It asks for everything from the newest one it has seen on, so what is empty,
// or stamped in the past when it is written, never reaches it; what is stamped in the future comes again and again.
//
// That a record of a higher id has an older `updated_at` than one of a lower id tells nothing: changes move it on, and stores may
// give out ids by ranges. What does tell that nobody keeps it: it is older than the record's own `created_at`; records were made,
// or dated, after the newest of all; or it is the same everywhere.
import { relations } from '../../contract/relations.ts'
import type { Relation } from '../../contract/relation.ts'
import { whereSql } from '../../sql/conditions.ts'
import { quote } from '../../sql/dialect.ts'
import { statement } from '../../sql/statement.ts'
import { counted, type Finding } from './finding.ts'
import { faultsQuestion, of, type Inquiry, type Question, type RowFault } from './question.ts'
import { later } from './local-time.ts'
import { postgresValues } from './values-postgres.ts'
import { sqliteValues } from './values-sqlite.ts'

// Clocks may be apart by so much; a document may be dated ahead by as much.
const toleratedSeconds = 300
// Fewer records may well have been changed at the same moment.
const leastRecords = 20
const daySeconds = 86_400

const keepIt = 'Let the POS set updated_at whenever it changes a record or its lines; a trigger can do it.'

export const timeQuestions = (inquiry: Inquiry): Question[] =>
  relations
    .filter(({ columns }) => 'updated_at' in columns)
    .flatMap((relation) => [
      ...faultsQuestion({ about: 'updated_at and dates', relation, faults: timeFaults(inquiry, relation) }),
      upkeep(inquiry, relation),
    ])

function timeFaults({ dialect, now, timeZone }: Inquiry, { columns }: Relation): RowFault[] {
  const read = (name: string) => dialect.read('time', of(name))
  const soon = later(now, toleratedSeconds)
  const ahead = ['date', 'created_at'].filter((name) => name in columns)
  return [
    {
      code: 'updated_at_empty',
      column: 'updated_at',
      needs: ['updated_at'],
      where: () => `${read('updated_at')} IS NULL`,
      says: (count) => ({
        message: `${counted(count, 'record has', 'records have')} none: never found by updated_since, so copies miss them.`,
        remedy: `Fill it; where it was never kept, the view may show coalesce("updated_at", "created_at") AS "updated_at". ${keepIt}`,
      }),
    },
    {
      code: 'updated_at_future',
      column: 'updated_at',
      needs: ['updated_at'],
      where: (bind) => `${read('updated_at')} > ${bind(soon)}`,
      says: (count) => ({
        message: `${counted(count, 'record is', 'records are')} stamped after ${shown(now)}, which is now in ${timeZone}: clients get it again at every synchronisation.`,
        remedy: `See to the clocks of the tills and to the zone they write in; VITRINE_TIME_ZONE must be that zone.`,
      }),
    },
    {
      code: 'updated_at_before_created',
      column: 'updated_at',
      needs: ['updated_at', 'created_at'],
      where: () => `${read('updated_at')} < ${read('created_at')}`,
      says: (count) => ({
        message: `${counted(count, 'record was', 'records were')} changed before it was made: whoever synchronised meanwhile has missed it.`,
        remedy: keepIt,
      }),
    },
    ...ahead.map((column): RowFault => ({
      code: 'date_future',
      column,
      needs: [column],
      where: (bind) => `${read(column)} > ${bind(soon)}`,
      says: (count) => ({
        message: `${counted(count, 'record is', 'records are')} dated after ${shown(now)}, which is now in ${timeZone}.`,
        remedy:
          'If all of the last hours are, times are of another zone: write the time of the company, and name its zone in VITRINE_TIME_ZONE. Documents that are dated ahead on purpose are fine.',
      }),
    })),
  ]
}

const shown = (time: string) => time.slice(0, 16).replace('T', ' ')

// What was made, or dated, when nothing is said to have changed any more.
function upkeep({ url, now }: Inquiry, relation: Relation): Question {
  const others = ['created_at', 'date'].filter((name) => name in relation.columns)
  const values = url.kind === 'sqlite' ? sqliteValues : postgresValues
  return {
    name: `upkeep of updated_at in ${relation.name}`,
    relation: relation.name,
    needs: { [relation.name]: [...relation.key, 'updated_at', ...others] },
    decides: false,
    isLong: true,
    async ask(source) {
      const { dialect } = source
      const [row = []] = await source.rows(
        statement(dialect, (bind) => {
          const past = others
            .map((name) => values.goodTime(of(name)))
            .map((term) => `max(CASE WHEN ${term} <= ${bind(now)} THEN ${term} END)`)
          const updated = values.goodTime(of('updated_at'))
          const terms = ['count(*)', `count(${updated})`, `min(${updated})`, `max(${updated})`, ...past]
          return `SELECT ${terms.join(', ')} FROM ${quote(relation.name)} t${whereSql(dialect, of('id'), [])}`
        }),
      )
      const [all, stamped, first, last, ...made] = row
      const newestMade = made
        .map(String)
        .filter((time) => time !== 'null')
        .toSorted()
        .at(-1)
      const common = { relation: relation.name, column: 'updated_at' } as const
      const findings: Finding[] = []
      if (typeof last === 'string' && newestMade !== undefined && newestMade > later(last, daySeconds))
        findings.push({
          ...common,
          code: 'updated_at_behind',
          message: `The newest is ${shown(last)}, but records were made or dated until ${shown(newestMade)}: copies miss what came since.`,
          remedy: keepIt,
        })
      if (Number(stamped) >= leastRecords && stamped === all && first === last)
        findings.push({
          ...common,
          code: 'updated_at_constant',
          count: Number(all),
          message: `It is ${shown(String(last))} in all of them: nobody keeps it.`,
          remedy: keepIt,
        })
      return findings
    },
  }
}
