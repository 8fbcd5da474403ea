// `vitrine check`: does the connected database fulfil the contract? All questions follow from the contract and the catalogue.
// It only reads, one query at a time, each with a timeout.
import { timeWithOffset, type Clock } from '../../platform/clock.ts'
import { lookIntoFile } from '../../engine/sqlite/check.ts'
import { readSqliteHeader } from '../../platform/sqlite.ts'
import type { Exposure } from '../../settings/exposures.ts'
import type { Settings } from '../../settings/table.ts'
import type { OnProgress } from '../progress.ts'
import { askAll, type CheckContext, type Question } from './question.ts'
import { codeQuestions } from './codes.ts'
import { copyQuestions } from './copied.ts'
import { fileFindings } from './file.ts'
import { fails, severities, severityOf, type Finding } from './finding.ts'
import { feedHoldFindings, journalFindings, structureFindings } from './structure.ts'
import { keyQuestions, readableQuestions } from './keys.ts'
import { referenceQuestions } from './references.ts'
import { closedFindings, rightQuestions } from './rights.ts'
import { sqliteShape, openSqliteCheck } from './sqlite.ts'
import type { DatabaseShape, CheckedDatabase } from './database.ts'
import { timeQuestions, zoneQuestions } from './times.ts'
import { totalQuestions } from './totals.ts'
import { postgresValues, sqliteValues, valueQuestions } from './values.ts'

interface CheckOptions {
  readonly settings: Pick<Settings, 'databaseUrl' | 'timeZone' | 'currencies' | 'statementTimeoutMs'>
  readonly exposures?: readonly Exposure[]
  readonly clock: Clock
  // For each query (default: the service's statement timeout).
  readonly timeoutMs?: number | undefined
  // All queries; only those that do not read whole relations; or only those that decide whether the service can serve.
  readonly scope?: 'all' | 'quick' | 'decisive'
  readonly onProgress?: OnProgress
}

export interface Report {
  readonly database: string
  readonly findings: readonly Finding[]
}

// Tills cannot write while a file without a write-ahead log is read.
const withoutLogMs = 1000

export const canServe = ({ findings }: Report) => !findings.some(fails)

export async function checkDatabase(options: CheckOptions): Promise<Report> {
  const report = await lookAtDatabase(options)
  return { ...report, findings: inOrder([...report.findings, ...(options.exposures ?? [])]) }
}

async function lookAtDatabase(options: CheckOptions): Promise<Report> {
  const { databaseUrl: url, statementTimeoutMs } = options.settings
  if (url.kind === 'postgres') {
    const { withPostgres } = await import('./postgres.ts')
    const opened = await withPostgres(url, options.timeoutMs ?? statementTimeoutMs, (database, shape) =>
      checkOpen(options, database, shape),
    )
    return { database: opened.database, findings: 'problem' in opened ? notOpened(opened.problem) : opened.result }
  }
  const shape = lookIntoFile(url.path, sqliteShape)
  if ('problem' in shape) return { database: url.path, findings: notOpened(shape.problem) }
  const hasLog = readSqliteHeader(url.path)?.isWal === true
  const timeoutMs = options.timeoutMs ?? (hasLog ? statementTimeoutMs : Math.min(statementTimeoutMs, withoutLogMs))
  const database = openSqliteCheck(url.path, timeoutMs)
  try {
    return { database: url.path, findings: await checkOpen(options, database, shape) }
  } finally {
    await database.close()
  }
}

// The last sentences of a problem say what to do about it.
function notOpened(problem: string): Finding[] {
  const [message = problem, ...remedies] = problem.split(/(?<=\.) (?=[A-Z])/)
  const remedy = remedies.join(' ') || 'Check that it exists and can be read, and that VITRINE_DATABASE_URL names it.'
  return [{ code: 'cannot_open', message, remedy }]
}

const inOrder = (findings: readonly Finding[]) =>
  severities.flatMap((severity) => findings.filter((finding) => severityOf(finding) === severity))

async function checkOpen(options: CheckOptions, database: CheckedDatabase, shape: DatabaseShape): Promise<Finding[]> {
  const { settings, clock, scope = 'all', onProgress = () => {} } = options
  const { databaseUrl: url, timeZone, currencies } = settings
  const now = timeWithOffset(timeZone)(clock.now()).slice(0, 19)
  const context: CheckContext = { url, dialect: database.dialect, shape, now, clock, timeZone, currencies }
  const isAsked = ({ decides, isLong }: Question) =>
    scope === 'all' || (scope === 'decisive' ? decides === true : !isLong)
  const findings = [...structureFindings(context), ...closedFindings(context)]
  if (findings.some(({ code }) => code === 'cannot_open')) return findings
  findings.push(...fileFindings(context), ...journalFindings(context), ...feedHoldFindings(context))
  findings.push(...(await askAll(allQuestions(context).filter(isAsked), database, shape, onProgress)))
  return findings
}

// Basic questions first: a relation that cannot be read is not asked again.
const allQuestions = (context: CheckContext): Question[] => [
  ...readableQuestions(context),
  ...rightQuestions(context),
  ...zoneQuestions(context),
  ...keyQuestions(context),
  ...valueQuestions(context, context.url.kind === 'sqlite' ? sqliteValues : postgresValues),
  ...codeQuestions(context),
  ...copyQuestions(context),
  ...timeQuestions(context),
  ...referenceQuestions(context),
  ...totalQuestions(),
]

// The reasons why the service cannot start, for `serve --check-first`.
export function whyNot({ findings }: Report): string[] {
  const sentences = findings.filter(fails).map(({ relation, column, message, remedy, statements = [] }) => {
    const place = [relation, column].filter(Boolean).join('.')
    const words = [`${place ? `${place}: ` : ''}${message} ${remedy}`, ...statements.map((each) => `${each};`)].join(
      ' ',
    )
    return words.replaceAll(/\s+/g, ' ')
  })
  return [...sentences, 'The service cannot serve this database; "vitrine check" explains more.']
}
