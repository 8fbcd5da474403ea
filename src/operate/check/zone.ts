// In which zone are times written? The service shows them as they are; only /status and "in the future" depend on it.
import { relations } from '../../contract/relations.ts'
import { timeWithOffset } from '../../platform/clock.ts'
import { whereSql } from '../../sql/conditions.ts'
import { quote } from '../../sql/dialect.ts'
import type { Finding } from './finding.ts'
import { offsetSeconds, offsetText } from './local-time.ts'
import { of, type Inquiry, type Question } from './question.ts'
import { Late, type Source } from './source.ts'

const toleratedSeconds = 120

export const zoneQuestions = (inquiry: Inquiry): Question[] => [
  newestDocument(inquiry),
  ...(inquiry.url.kind === 'postgres' ? [serverClock(inquiry)] : []),
]

function newestDocument({ now, timeZone }: Inquiry): Question {
  const zone = (rest: string): Finding[] => [
    {
      code: 'time_zone',
      message: `VITRINE_TIME_ZONE is ${timeZone}, where it is ${now.slice(0, 16).replace('T', ' ')}${rest}.`,
      remedy: 'Set it to the zone in which the POS writes its times, if that is another.',
    },
  ]
  return {
    name: 'the newest invoice',
    relation: 'invoices',
    needs: { invoices: ['id', 'date'] },
    decides: false,
    isLong: false,
    async ask(source) {
      const newest = await newestDate(source)
      return zone(
        typeof newest === 'string' ? `; the newest invoice is of ${newest.slice(0, 16).replace('T', ' ')}` : '',
      )
    },
  }
}

async function newestDate(source: Source): Promise<unknown> {
  const { dialect } = source
  const where = whereSql(dialect, of('id'), [])
  const text = `SELECT max(${dialect.read('time', of('date'))}) FROM ${quote('invoices')} t${where}`
  try {
    return (await source.rows({ text, values: [] }))[0]?.[0]
  } catch (error) {
    // The zone is worth telling without it.
    if (!(error instanceof Late)) throw error
    return undefined
  }
}

// A view that turns moments into local times does so in the zone of its session, unless it names another.
function serverClock({ shape, clock, timeZone }: Inquiry): Question {
  return {
    name: "the server's clock and zone",
    needs: {},
    decides: false,
    isLong: false,
    async ask(source) {
      const asked = clock.now()
      const [row = []] = await source.rows({
        text: `SELECT current_setting('TimeZone'), extract(timezone FROM clock_timestamp())::int, extract(epoch FROM clock_timestamp())`,
        values: [],
      })
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
          remedy: `If they turn moments (timestamptz) into local times, let them name the zone: "date" AT TIME ZONE '${timeZone}'. If they only show times as they are stored, all is well.`,
        })
      const apart = Math.round(Math.abs(epoch - asked / 1000))
      if (apart > toleratedSeconds)
        findings.push({
          code: 'clocks_apart',
          count: apart,
          message: `The clocks of this machine and of the database server are ${apart} seconds apart.`,
          remedy: 'Let both ask the same time server (NTP).',
        })
      return findings
    },
  }
}
