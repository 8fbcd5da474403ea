// The doctor: does the connected database fulfil the contract, and what would surprise somebody? Everything that is asked follows
// from the contract and the catalogue. It only reads, asks one question at a time, and gives each of them a time.
import { findResource } from '../../catalogue/resources/index.ts'
import { timeWithOffset, type Clock } from '../../platform/clock.ts'
import { checkViews, lookIntoFile } from '../../engine/sqlite/check.ts'
import { posFileOf, readViews } from '../../engine/sqlite/views-file.ts'
import { readSqliteHeader } from '../../platform/sqlite.ts'
import type { Exposure } from '../../settings/exposures.ts'
import type { Settings } from '../../settings/table.ts'
import type { OnProgress } from '../progress.ts'
import { askAll } from './ask-all.ts'
import { codeQuestions } from './codes.ts'
import { fileFindings } from './file.ts'
import { fails, severities, severityOf, type Finding } from './finding.ts'
import { journalFindings } from './journal.ts'
import { judge, type MeasuredRequest } from './judgement.ts'
import { keyQuestions } from './keys.ts'
import type { Inquiry, Question } from './question.ts'
import { readableQuestions } from './readable.ts'
import { referenceQuestions } from './references.ts'
import { measureRequests, type Cost } from './requests.ts'
import { closedFindings, rightQuestions } from './rights.ts'
import { sqliteShape } from './shape-sqlite.ts'
import type { Shape } from './shape.ts'
import { sqliteSource } from './source-sqlite.ts'
import type { Source } from './source.ts'
import { structureFindings } from './structure.ts'
import { timeQuestions } from './times.ts'
import { totalQuestions } from './totals.ts'
import { postgresValues } from './values-postgres.ts'
import { sqliteValues } from './values-sqlite.ts'
import { valueQuestions } from './values.ts'
import { zoneQuestions } from './zone.ts'

interface CheckOptions {
  readonly settings: Pick<Settings, 'databaseUrl' | 'timeZone' | 'statementTimeoutMs'>
  // What the settings leave open to others.
  readonly exposures?: readonly Exposure[]
  readonly clock: Clock
  // For each question; the service's own statement timeout where it is not given.
  readonly timeoutMs?: number | undefined
  // everything; what does not read whole relations; or what can keep the service from serving.
  readonly asks?: 'everything' | 'what is quick' | 'what decides'
  // How often each request is measured.
  readonly rounds?: number
  readonly onProgress?: OnProgress
}

export interface Report {
  readonly database: string
  readonly findings: readonly Finding[]
  readonly requests: readonly MeasuredRequest[]
}

const usualRounds = 5
// While somebody reads a file without a write-ahead log, nobody writes.
const withoutLogMs = 1000

export const canServe = ({ findings }: Report) => !findings.some(fails)

export async function checkDatabase(options: CheckOptions): Promise<Report> {
  const report = await lookAtDatabase(options)
  return { ...report, findings: inOrder([...report.findings, ...(options.exposures ?? [])]) }
}

async function lookAtDatabase(options: CheckOptions): Promise<Report> {
  const { databaseUrl: url, statementTimeoutMs } = options.settings
  if (url.kind === 'postgres') {
    const { withPostgres } = await import('./open-postgres.ts')
    const opened = await withPostgres(url, options.timeoutMs ?? statementTimeoutMs, (source, shape) =>
      checkOpen({ ...options, requestTimeoutMs: statementTimeoutMs }, source, shape),
    )
    return { database: opened.database, ...('problem' in opened ? notOpened(opened.problem) : opened.found) }
  }
  const shape = lookIntoFile(url.path, (database) => {
    const views = readViews(database)
    const faults = views ? checkViews(database, url.path, views, () => []) : []
    return faults.length > 0 ? { problem: faults.join(' ') } : sqliteShape(database)
  })
  if ('problem' in shape) return { database: url.path, ...notOpened(shape.problem) }
  const hasNoLog = readSqliteHeader(posFileOf(url.path))?.isWal !== true
  const patience = hasNoLog ? Math.min(statementTimeoutMs, withoutLogMs) : statementTimeoutMs
  const timeoutMs = options.timeoutMs ?? patience
  const source = sqliteSource(url.path, timeoutMs)
  const requestTimeoutMs = hasNoLog ? Math.min(statementTimeoutMs, timeoutMs) : statementTimeoutMs
  try {
    return { database: url.path, ...(await checkOpen({ ...options, requestTimeoutMs }, source, shape)) }
  } finally {
    await source.close()
  }
}

type Checked = Pick<Report, 'findings' | 'requests'>

// The sentence of the start, which ends with what to do about it.
function notOpened(problem: string): Checked {
  const [message = problem, ...remedies] = problem.split(/(?<=\.) (?=[A-Z])/)
  const remedy = remedies.join(' ') || 'See that it is there and can be read, and that VITRINE_DATABASE_URL names it.'
  return { findings: [{ code: 'cannot_open', message, remedy }], requests: [] }
}

const rank = (finding: Finding) => severities.indexOf(severityOf(finding))
const inOrder = (findings: readonly Finding[]) => findings.toSorted((one, other) => rank(one) - rank(other))

interface OpenOptions extends CheckOptions {
  // For each request that is measured.
  readonly requestTimeoutMs: number
}

async function checkOpen(options: OpenOptions, source: Source, shape: Shape): Promise<Checked> {
  const {
    settings,
    clock,
    requestTimeoutMs,
    asks = 'everything',
    rounds = usualRounds,
    onProgress = () => {},
  } = options
  const { databaseUrl: url, timeZone, statementTimeoutMs } = settings
  const now = timeWithOffset(timeZone)(clock.now()).slice(0, 19)
  const inquiry: Inquiry = { url, dialect: source.dialect, shape, now, clock, timeZone }
  const isAsked = ({ decides, isLong }: Question) =>
    asks === 'everything' || (asks === 'what decides' ? decides : !isLong)
  const findings = [...structureFindings(inquiry), ...closedFindings(inquiry)]
  // There is nothing to be asked.
  if (findings.some(({ code }) => code === 'cannot_open')) return { findings, requests: [] }
  findings.push(...fileFindings(inquiry), ...journalFindings(inquiry))
  findings.push(...(await askAll(allQuestions(inquiry).filter(isAsked), source, shape, onProgress)))
  const requests: MeasuredRequest[] = []
  if (!findings.some(fails)) {
    const onStep = (done: number, total: number) => onProgress({ what: 'requests', done, total })
    const costs = await measureRequests({ url, statementTimeoutMs: requestTimeoutMs, now, rounds, onStep })
    requests.push(...costs.map((cost) => judge(cost, shape, findings, { requestTimeoutMs, statementTimeoutMs })))
    findings.push(...refusals(costs))
  }
  return { findings, requests }
}

// Of each resource once.
function refusals(costs: readonly Cost[]): Finding[] {
  const refused = Map.groupBy(
    costs.filter((cost) => cost.refused !== undefined),
    ({ resource }) => resource,
  )
  return [...refused.values()].map((each) => ({
    code: 'request_refused',
    relation: findResource(each[0]?.resource ?? '')?.relation ?? '',
    count: each.length,
    message: `The database refuses what ${each.map(({ path }) => path).join(', ')} would ask: ${each[0]?.refused?.replace(/\.$/, '')}.`,
    remedy: 'Mend the view, or what it reads: callers would get 503.',
  }))
}

// In the order in which one thing stands on another.
const allQuestions = (inquiry: Inquiry): Question[] => [
  ...readableQuestions(),
  ...rightQuestions(inquiry),
  ...zoneQuestions(inquiry),
  ...keyQuestions(inquiry),
  ...valueQuestions(inquiry, inquiry.url.kind === 'sqlite' ? sqliteValues : postgresValues),
  ...codeQuestions(),
  ...timeQuestions(inquiry),
  ...referenceQuestions(inquiry),
  ...totalQuestions(),
]

// Every sentence that keeps the service from serving, for a start that looks first.
export function whyNot({ findings }: Report): string[] {
  const sentences = findings.filter(fails).map(({ relation, column, message, remedy, statements = [] }) => {
    const place = [relation, column].filter(Boolean).join('.')
    return [`${place ? `${place}: ` : ''}${message} ${remedy}`, ...statements.map((each) => `${each};`)].join(' ')
  })
  return [...sentences, 'The service cannot serve this database; "vitrine check" tells more.'].map((each) =>
    each.replaceAll(/\s+/g, ' '),
  )
}
