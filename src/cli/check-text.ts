// The report of `vitrine check`, as JSON and as text.
import { canServe, type Report } from '../operate/check/check.ts'
import { severityOf, type Finding, type Severity } from '../operate/check/finding.ts'
import { wrapText } from '../terminal/help-text.ts'
import type { ColouredText, OutputText } from './output.ts'

export const reportJson = (report: Report) => ({
  ok: canServe(report),
  database: report.database,
  findings: report.findings.map(({ code, ...finding }) => ({
    severity: severityOf({ code, ...finding }),
    code,
    relation: null,
    ...finding,
  })),
})

const narrowest = 40
const widest = 110
const mostStatements = 5

const titles: Readonly<Record<Severity, string>> = { fails: 'FAILS', warns: 'WARNINGS', notes: 'NOTES' }
const colours: Readonly<Record<Severity, ColouredText['colour']>> = { fails: 'red', warns: 'yellow', notes: 'cyan' }

export function reportText(report: Report, columns: number): OutputText {
  const width = Math.min(widest, Math.max(narrowest, columns))
  const groups = Object.entries(titles).flatMap(([severity, title]) => {
    const findings = report.findings.filter((finding) => severityOf(finding) === severity)
    if (findings.length === 0) return []
    const heading: ColouredText = { colour: colours[severity as Severity], text: title }
    const texts = groupFindings(findings).flatMap((each) => ['\n\n', ...findingText(each, width)])
    return [heading, ` (${findings.length})`, ...texts, '\n\n']
  })
  return [
    `${wrapText(`The database: ${report.database}`, width)}\n\n`,
    ...groups,
    { colour: canServe(report) ? 'green' : 'red', text: verdict(report) },
  ]
}

interface FindingGroup {
  readonly finding: Finding
  readonly places: readonly string[]
  readonly statements: readonly string[]
}

// The same finding of several relations is shown once.
function groupFindings(findings: readonly Finding[]): FindingGroup[] {
  const groups = Map.groupBy(findings, ({ code, message, remedy, examples }) =>
    JSON.stringify([code, message, remedy, examples]),
  )
  return [...groups.values()].flatMap((group) =>
    group.slice(0, 1).map((finding) => ({
      finding,
      places: group.map(placeOf),
      statements: [...new Set(group.flatMap(({ statements = [] }) => statements))],
    })),
  )
}

const placeOf = ({ relation, column }: Finding) => [relation ?? 'database', column].filter(Boolean).join('.')

function findingText({ finding, places, statements }: FindingGroup, width: number): [ColouredText, string] {
  const { code, message, remedy, examples = [] } = finding
  const head: ColouredText = { colour: 'bold', text: wrapText(`${places.join(', ')} [${code}]`, width, '  ') }
  const ids = examples.length > 0 ? ` For example ${examples.join(', ')}.` : ''
  const shown = statements.slice(0, mostStatements).map((each) => `${each};`.replaceAll(/^/gm, '      '))
  const left = statements.length - shown.length
  const body = [
    wrapText(message + ids, width, '    '),
    wrapText(`→ ${remedy}`, width, '    '),
    // Not wrapped, so that they can be pasted.
    ...shown,
    ...(left > 0 ? [`      … and ${left} more, which --json shows`] : []),
  ]
  return [head, `\n${body.join('\n')}`]
}

function verdict(report: Report): string {
  const count = (severity: Severity) => report.findings.filter((finding) => severityOf(finding) === severity).length
  const [failing, warnings, notes] = [count('fails'), count('warns'), count('notes')]
  const counts = [
    ...(failing > 0 ? [`${failing} ${failing === 1 ? 'failure' : 'failures'}`] : []),
    `${warnings === 0 ? 'no' : warnings} ${warnings === 1 ? 'warning' : 'warnings'}`,
    ...(notes > 0 ? [`${notes} ${notes === 1 ? 'note' : 'notes'}`] : []),
  ]
  const can = canServe(report) ? 'can' : 'cannot'
  return `The service ${can} serve this database. ${counts.join(', ').replace(/^no /, 'No ')}.`
}
