// A question to a database: what it needs, what it asks, and what is said of the answer. Most count the rows of a relation of which
// something is true that should not be: many such faults are counted in one walk over the relation.
import type { Relation } from '../../contract/relation.ts'
import type { Clock } from '../../platform/clock.ts'
import type { DatabaseUrl } from '../../settings/types.ts'
import type { Row } from '../../sql/statement.ts'
import { column, quote, type Bind, type Dialect } from '../../sql/dialect.ts'
import { whereSql } from '../../sql/conditions.ts'
import { statement } from '../../sql/statement.ts'
import type { Finding, FindingCode } from './finding.ts'
import type { Shape } from './shape.ts'
import { Late, type Source } from './source.ts'

// What is known before anything is asked.
export interface Inquiry {
  readonly url: DatabaseUrl
  readonly dialect: Dialect
  readonly shape: Shape
  // Now, where the company is: YYYY-MM-DDTHH:MM:SS.
  readonly now: string
  readonly clock: Clock
  readonly timeZone: string
}

// The columns that must be there, readable and of the right type, by their relation.
export type Needs = Readonly<Record<string, readonly string[]>>

export interface Question {
  // For whoever watches, or reads that it was not answered.
  readonly name: string
  // Of which it is told if the database refuses.
  readonly relation?: string
  readonly needs: Needs
  // Its answer may be that the service cannot serve.
  readonly decides: boolean
  // It reads whole relations.
  readonly isLong: boolean
  ask(source: Source): Promise<readonly Finding[]>
}

export interface RowFault {
  readonly code: FindingCode
  readonly column?: string
  readonly needs: readonly string[]
  // Of a row t.
  readonly where: (bind: Bind) => string
  // Of how many rows it could be true at all; of all of them, if nothing is said.
  readonly among?: string
  // Of which of them something more is true.
  readonly also?: string
  // What is said of so many, of so many that it could be true of, and of so many of which more is true.
  readonly says: (count: number, among: number, also: number) => Words
}

export interface Words {
  // Where it depends on how many.
  readonly code?: FindingCode
  readonly message: string
  readonly remedy: string
  readonly statements?: readonly string[]
}

interface FaultsQuestion {
  readonly about: string
  readonly relation: Relation
  readonly faults: readonly RowFault[]
  readonly decides?: boolean
  // Relations that the conditions ask, too; one of them may be joined to each row.
  readonly others?: Needs
  readonly join?: (dialect: Dialect) => string
  // Only rows of which this is true.
  readonly only?: readonly string[]
}

const mostExamples = 3

export const of = (name: string) => column('t', name)

// How many there are is worth telling without them.
function noneIfLate(error: unknown): readonly Row[] {
  if (error instanceof Late) return []
  throw error
}

// One of these, or none where there is nothing to be asked.
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
      async ask(source) {
        const { dialect } = source
        const [counts = []] = await source.rows(
          statement(dialect, (bind) => {
            const each = faults.flatMap(({ where, among = 'true', also = 'true' }) => [
              where(bind),
              among,
              `(${where(bind)}) AND (${also})`,
            ])
            return `SELECT ${each.map((condition) => `count(*) FILTER (WHERE ${condition})`).join(', ')} ${from(dialect, [])}`
          }),
        )
        const findings: Finding[] = []
        for (const [at, { code, column: named, where, says }] of faults.entries()) {
          const [count = 0, among = 0, also = 0] = counts.slice(3 * at, 3 * at + 3).map(Number)
          if (count === 0) continue
          const rows = await source
            .rows(
              statement(
                dialect,
                (bind) =>
                  `SELECT ${keys.join(', ')} ${from(dialect, [`(${where(bind)})`])} ORDER BY ${keys.join(', ')} LIMIT ${mostExamples}`,
              ),
            )
            .catch(noneIfLate)
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
