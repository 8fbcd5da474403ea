// Can clients ask by `updated_since` for what has changed, and in which time zone are times written? A client asks for all changes
// since the newest it has seen: it misses empty and backdated values, and gets future ones again and again. Signs that the POS does not
// maintain the column: it is older than `created_at`, older than the newest document, or the same everywhere.
import { relations } from '../../contract/relations.ts'
import type { Relation } from '../../contract/relation.ts'
import { whereSql } from '../../sql/conditions.ts'
import { quote } from '../../sql/dialect.ts'
import { journalTable } from '../../sql/journalled.ts'
import { isStamped } from './copied.ts'
import { counted, type Finding } from './finding.ts'
import { columnFault, faultsQuestion, of, type CheckContext, type Question, type RowFault } from './question.ts'
import { later, offsetSeconds, offsetText, secondsBetween } from './local-time.ts'
import { postgresValues, sqliteValues } from './values.ts'
import { timeWithOffset } from '../../platform/clock.ts'
import { unlessLate } from './database.ts'

// Clocks differ, and documents are dated ahead a little.
const toleratedSeconds = 300
// Fewer records may have been changed at the same time.
const leastRecords = 20
const daySeconds = 86_400

const maintain = 'Let the POS set updated_at whenever it changes a record or its lines; a trigger can do it.'

export const timeQuestions = (context: CheckContext): Question[] =>
  relations
    .filter(({ columns }) => 'updated_at' in columns)
    .flatMap((relation) => [
      ...faultsQuestion({ about: 'updated_at and dates', relation, faults: timeFaults(context, relation) }),
      maintenance(context, relation),
    ])

function timeFaults({ dialect, now, timeZone }: CheckContext, { columns }: Relation): RowFault[] {
  const read = (name: string) => dialect.read('time', of(name))
  const soon = later(now, toleratedSeconds)
  const ahead = ['date', 'created_at'].filter((name) => name in columns)
  return [
    columnFault(
      'updated_at_empty',
      'updated_at',
      () => `${read('updated_at')} IS NULL`,
      (count) =>
        `${counted(count, 'record has', 'records have')} none: updated_since never finds them, so copies miss them.`,
      `Fill it; if the POS never had it, select coalesce(updated_at, created_at) AS updated_at in the view. ${maintain}`,
    ),
    columnFault(
      'updated_at_future',
      'updated_at',
      (bind) => `${read('updated_at')} > ${bind(soon)}`,
      (count) =>
        `${counted(count, 'record is', 'records are')} changed after ${minuteOf(now)}, which is now in ${timeZone}: clients get it again at every synchronisation.`,
      'Check the clocks of the tills and their time zone; VITRINE_TIME_ZONE must be that zone.',
    ),
    columnFault(
      'updated_at_before_created',
      'updated_at',
      () => `${read('updated_at')} < ${read('created_at')}`,
      (count) =>
        `${counted(count, 'record was', 'records were')} changed before it was made: a client that synchronised meanwhile has missed it.`,
      maintain,
      ['updated_at', 'created_at'],
    ),
    ...ahead.map((column) =>
      columnFault(
        'date_future',
        column,
        (bind) => `${read(column)} > ${bind(soon)}`,
        (count) =>
          `${counted(count, 'record is', 'records are')} dated after ${minuteOf(now)}, which is now in ${timeZone}.`,
        'If these are all documents of the last hours, they have another time zone: write local times, and name their zone in VITRINE_TIME_ZONE. Documents that are dated ahead on purpose are fine.',
      ),
    ),
  ]
}

const minuteOf = (time: string) => time.slice(0, 16).replace('T', ' ')

function maintenance({ url, now }: CheckContext, relation: Relation): Question {
  const others = ['created_at', 'date'].filter((name) => name in relation.columns)
  const values = url.kind === 'sqlite' ? sqliteValues : postgresValues
  return {
    name: `maintenance of updated_at in ${relation.name}`,
    relation: relation.name,
    needs: { [relation.name]: [...relation.key, 'updated_at', ...others] },
    isLong: true,
    async ask(database) {
      const [row = []] = await database.rows((bind) => {
        const lastUntil = (term: string, time: string) => `max(CASE WHEN ${term} <= ${bind(time)} THEN ${term} END)`
        const updated = values.goodTime(of('updated_at'))
        const terms = ['count(*)', `count(${updated})`, `min(${updated})`, `max(${updated})`]
        // A time in the future says nothing about the last change (updated_at_future reports it).
        terms.push(lastUntil(updated, later(now, toleratedSeconds)))
        terms.push(...others.map((name) => lastUntil(values.goodTime(of(name)), now)))
        return `SELECT ${terms.join(', ')} FROM ${quote(relation.name)} t${whereSql(database.dialect, of('id'), [])}`
      })
      const [all, stamped, first, last, lastUntilNow, ...made] = row
      const newestMade = made
        .filter((time) => typeof time === 'string')
        .toSorted()
        .at(-1)
      const common = { relation: relation.name, column: 'updated_at' } as const
      const findings: Finding[] = []
      if (typeof lastUntilNow === 'string' && newestMade !== undefined && newestMade > later(lastUntilNow, daySeconds))
        findings.push({
          ...common,
          code: 'updated_at_behind',
          message: `The newest until now is ${minuteOf(lastUntilNow)}, but records were made or dated until ${minuteOf(newestMade)}: copies miss later changes.`,
          remedy: maintain,
        })
      const isConstant = Number(stamped) >= leastRecords && stamped === all && first === last
      if (isConstant && !(await isStamped(database, url, relation.name)))
        findings.push({
          ...common,
          code: 'updated_at_constant',
          count: Number(all),
          message: `It is ${minuteOf(String(last))} in all records: the POS does not maintain it.`,
          remedy: maintain,
        })
      return findings
    },
  }
}

const toleratedClockSeconds = 120

export const zoneQuestions = (context: CheckContext): Question[] => [
  newestDocument(context),
  ...(context.shape.journal.reach ? [recentTimes(context)] : []),
  ...(context.url.kind === 'postgres' ? [serverClock(context)] : []),
]

const newestDocument = ({ now, timeZone }: CheckContext): Question => ({
  name: 'the newest invoice',
  relation: 'invoices',
  needs: { invoices: ['id', 'date'] },
  async ask(database) {
    const { dialect } = database
    const select = `SELECT max(${dialect.read('time', of('date'))}) FROM ${quote('invoices')} t${whereSql(dialect, of('id'), [])}`
    // The zone is worth reporting without it.
    const [[newest] = []] = await unlessLate(database.rows(() => select))
    const rest = typeof newest === 'string' ? `; the newest invoice is of ${minuteOf(newest)}` : ''
    return [
      {
        code: 'time_zone',
        message: `VITRINE_TIME_ZONE is ${timeZone}, where it is ${minuteOf(now)}${rest}.`,
        remedy: 'Set it to the time zone of the POS, if that is another.',
      },
    ]
  },
})

const lookedAt = 100
const leastLookedAt = 5
const quarterSeconds = 900

// The journal knows when a record was written; the record says when, in local time. Only if nearly all differ by the same time is it
// the zone: an import writes times of many hours.
function recentTimes({ timeZone }: CheckContext): Question {
  const localTime = timeWithOffset(timeZone)
  return {
    name: 'the time zone of recent invoices',
    relation: 'invoices',
    needs: { invoices: ['id', 'updated_at'] },
    async ask(database) {
      const recent = `SELECT id, max(at) AS at FROM ${quote(journalTable)} WHERE relation = 'invoices' GROUP BY id ORDER BY 2 DESC LIMIT ${lookedAt}`
      const updated = database.dialect.read('time', of('updated_at'))
      const rows = await database.rows(
        () => `SELECT j.at, ${updated} FROM (${recent}) j JOIN ${quote('invoices')} t ON t.id = j.id`,
      )
      const aheads = rows.map(([at, stored]) => {
        const seconds = secondsBetween(localTime(Number(at) * 1000).slice(0, 19), String(stored))
        return Math.round(seconds / quarterSeconds) * quarterSeconds
      })
      const groups = [...Map.groupBy(aheads, (seconds) => seconds)]
      const [[ahead, same] = [0, []]] = groups.toSorted(([, one], [, other]) => other.length - one.length)
      const isZone = ahead !== 0 && Math.abs(ahead) <= daySeconds
      if (!isZone || aheads.length < leastLookedAt || same.length < 0.8 * aheads.length) return []
      return [
        {
          code: 'time_zone_differs',
          relation: 'invoices',
          column: 'updated_at',
          message: `Invoices that were just written have times that are about ${offsetText(Math.abs(ahead)).slice(1)} hours ${ahead > 0 ? 'ahead of' : 'behind'} ${timeZone} (VITRINE_TIME_ZONE).`,
          remedy:
            'Set VITRINE_TIME_ZONE to the zone in which the tills write times, or mend the clocks of the tills: updated_since and the dates of reports rest on it.',
        },
      ]
    },
  }
}

// A view converts instants to local times in the zone of the session, unless it names another.
function serverClock({ shape, clock, timeZone }: CheckContext): Question {
  return {
    name: "the server's clock and zone",
    needs: {},
    async ask(database) {
      const asked = clock.now()
      const [row = []] = await database.rows(
        () =>
          `SELECT current_setting('TimeZone'), extract(timezone FROM clock_timestamp())::int, extract(epoch FROM clock_timestamp())`,
      )
      const [zone, offset, epoch] = [String(row[0]), Number(row[1]), Number(row[2])]
      const findings: Finding[] = []
      const own = offsetSeconds(timeWithOffset(timeZone)(asked))
      const views = relations.filter(
        ({ name, columns }) =>
          shape.relations.get(name)?.kind === 'view' && Object.values(columns).some((type) => type === 'time'),
      )
      if (offset !== own && views.length > 0)
        findings.push({
          code: 'server_time_zone',
          message: `The server's zone is ${zone} (${offsetText(offset)}), the company's ${timeZone} (${offsetText(own)}), and ${views.length} of the relations are views.`,
          remedy: `If they convert instants (timestamptz) to local times, name the zone in them: date AT TIME ZONE '${timeZone}'. If they only show stored times, nothing is wrong.`,
        })
      const apart = Math.round(Math.abs(epoch - asked / 1000))
      if (apart > toleratedClockSeconds)
        findings.push({
          code: 'clocks_apart',
          count: apart,
          message: `The clocks of this machine and of the database server are ${apart} seconds apart.`,
          remedy: 'Synchronise both with the same time server (NTP).',
        })
      return findings
    },
  }
}
