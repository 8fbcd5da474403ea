// A question about the database: the columns it needs, its queries, and its findings. Most questions count rows with faults;
// one scan of a relation counts several kinds of faults.
import type { Relation } from '../../contract/relation.ts'
import type { Clock } from '../../platform/clock.ts'
import type { DatabaseUrl } from '../../settings/types.ts'
import { column, quote, type Bind, type Dialect } from '../../sql/dialect.ts'
import { whereSql } from '../../sql/conditions.ts'
import { rejected, type Finding, type FindingCode } from './finding.ts'
import { QueryTimeout, QueryRefused, unlessLate, type DatabaseShape, type CheckedDatabase } from './database.ts'
import { eachWithProgress, type OnProgress } from '../progress.ts'

// What is known before the first query.
export interface CheckContext {
  readonly url: DatabaseUrl
  readonly dialect: Dialect
  readonly shape: DatabaseShape
  // The company's local time: YYYY-MM-DDTHH:MM:SS.
  readonly now: string
  readonly clock: Clock
  readonly timeZone: string
  readonly currencies: readonly string[]
}

// By relation, the columns that must exist, be readable and have the right type.
type NeededColumns = Readonly<Record<string, readonly string[]>>

export interface Question {
  // Shown by the progress bar, and in the finding that it was not answered.
  readonly name: string
  // Named in the finding if the database rejects the query.
  readonly relation?: string
  readonly needs: NeededColumns
  // Its findings can keep the service from starting.
  readonly decides?: boolean
  // It reads whole relations.
  readonly isLong?: boolean
  ask(database: CheckedDatabase): Promise<readonly Finding[]>
}

export interface RowFault {
  readonly code: FindingCode
  readonly column?: string
  readonly needs: readonly string[]
  // A condition on the row t.
  readonly where: (bind: Bind) => string
  // A condition that selects the rows that can have the fault (default: all).
  readonly among?: string
  // A condition that selects a subset of the faulty rows.
  readonly also?: string
  readonly says: (count: number, among: number, also: number) => FaultText
}

interface FaultText {
  // If it depends on the counts.
  readonly code?: FindingCode
  readonly message: string
  readonly remedy: string
  readonly statements?: readonly string[]
}

// A fault whose remedy does not depend on the counts.
export const columnFault = (
  code: FindingCode,
  column: string,
  where: RowFault['where'],
  message: (count: number) => string,
  remedy: string,
  needs: readonly string[] = [column],
): RowFault => ({ code, column, needs, where, says: (count) => ({ message: message(count), remedy }) })

interface FaultsQuestion {
  readonly about: string
  readonly relation: Relation
  readonly faults: readonly RowFault[]
  readonly decides?: boolean
  // Other relations that the conditions or the join use.
  readonly others?: NeededColumns
  readonly join?: (dialect: Dialect) => string
  // Conditions on all rows.
  readonly only?: readonly string[]
}

const mostExamples = 3

export const of = (name: string) => column('t', name)

// Returns one question, or none if there are no faults to count.
export function faultsQuestion(question: FaultsQuestion): Question[] {
  const { about, relation, faults, decides = false, others = {}, join = () => '', only = [] } = question
  if (faults.length === 0) return []
  const { name } = relation
  const keys = relation.key.map(of)
  const from = (dialect: Dialect, conditions: readonly string[]) =>
    `FROM ${quote(name)} t${join(dialect)}${whereSql(dialect, keys[0] ?? '', [...only, ...conditions])}`
  return [
    {
      name: `${about} of ${name}`,
      relation: name,
      needs: { ...others, [name]: [...new Set([...relation.key, ...faults.flatMap(({ needs }) => needs)])] },
      decides,
      isLong: true,
      async ask(database) {
        const { dialect } = database
        const [counts = []] = await database.rows((bind) => {
          const each = faults.flatMap(({ where, among = 'true', also = 'true' }) => [
            where(bind),
            among,
            `(${where(bind)}) AND (${also})`,
          ])
          return `SELECT ${each.map((condition) => `count(*) FILTER (WHERE ${condition})`).join(', ')} ${from(dialect, [])}`
        })
        const findings: Finding[] = []
        for (const [at, { code, column: named, where, says }] of faults.entries()) {
          const [count = 0, among = 0, also = 0] = counts.slice(3 * at, 3 * at + 3).map(Number)
          if (count === 0) continue
          const list = keys.join(', ')
          // The count is worth reporting without examples.
          const rows = await unlessLate(
            database.rows(
              (bind) => `SELECT ${list} ${from(dialect, [`(${where(bind)})`])} ORDER BY ${list} LIMIT ${mostExamples}`,
            ),
          )
          const examples = rows.filter((row) => !row.includes(null)).map((row) => row.map(String).join('/'))
          findings.push({
            code,
            relation: name,
            ...(named === undefined ? {} : { column: named }),
            count,
            ...(examples.length === 0 ? {} : { examples }),
            ...says(count, among, also),
          })
        }
        return findings
      },
    },
  ]
}

const mostTimeouts = 2

// Asks the questions whose columns exist. A relation is skipped once it was rejected, or has timed out twice.
export async function askAll(
  questions: readonly Question[],
  database: CheckedDatabase,
  shape: DatabaseShape,
  onProgress: OnProgress,
): Promise<Finding[]> {
  const findings: Finding[] = []
  const refused = new Set<string>()
  // By relation, the names of unanswered questions.
  const late = new Map<string, string[]>()
  const hasColumns = ({ needs }: Question) =>
    Object.entries(needs).every(([relation, columns]) => {
      const known = shape.relations.get(relation)?.columns
      const isUsable = (name: string) => known?.get(name)?.isReadable === true && known.get(name)?.isRight === true
      return !refused.has(relation) && columns.every(isUsable)
    })
  const notAnswered = (relation: string, count: number, message: string, remedy: string) =>
    findings.push({ code: 'not_answered', ...(relation ? { relation } : {}), count, message, remedy })
  await eachWithProgress('questions', questions.filter(hasColumns), onProgress, async (question) => {
    const { name, relation = '' } = question
    if (!hasColumns(question)) return
    const lateHere = late.get(relation) ?? []
    if (question.isLong && relation && lateHere.length >= mostTimeouts) return void lateHere.push(name)
    try {
      findings.push(...(await question.ask(database)))
    } catch (error) {
      if (error instanceof QueryTimeout) late.set(relation, [...lateHere, name])
      else if (error instanceof QueryRefused && relation) {
        refused.add(relation)
        findings.push(rejected(relation, error.message))
      } else if (error instanceof QueryRefused) {
        // Some catalogues of the server are closed to this role.
        const message = `Unknown, because the database rejects the query: ${name} (${error.message.replace(/\.$/, '')}).`
        notAnswered(relation, 1, message, 'Nothing, if there are no other findings.')
      } else if (database.isOpen()) {
        // A bug in one question must not hide the answers to the others.
        const message = `Unknown, because the query failed: ${name} (${error instanceof Error ? error.message : String(error)}).`
        const report =
          'This is a bug in "vitrine check": please report it with this sentence. All other checks were made.'
        notAnswered(relation, 1, message, report)
      } else throw error
    }
  })
  for (const [relation, names] of late) {
    const message = `Not answered within ${database.timeoutMs / 1000} s, so unknown: ${names.join(', ')}.`
    const more = 'Allow more time, when the tills are idle: vitrine check --timeout 60'
    notAnswered(relation, names.length, message, more)
  }
  return findings
}
