// What the last whole round of a copy remembers about its source: columns whose floating-point numbers could not be copied exactly.
import type { RoundedColumn } from '../copy/doubles.ts'
import { readMarks, readRounded } from '../copy/memory.ts'
import type { CheckedDatabase } from './database.ts'
import { counted, type Finding } from './finding.ts'
import type { CheckContext, Question } from './question.ts'

export const copyQuestions = ({ url }: CheckContext): Question[] => [
  {
    name: 'numbers that were not copied exactly',
    needs: {},
    async ask(database) {
      return readRounded(await marksIn(database, url)).map(notExact)
    },
  },
]

const marksIn = (database: CheckedDatabase, { kind }: CheckContext['url']) =>
  readMarks({ engine: kind, rows: (text) => database.rows(() => text) })

// Whether a copy gave the records of the relation their `updated_at`: it has no mark where the source does not give all of them.
export async function isStamped(database: CheckedDatabase, url: CheckContext['url'], relation: string) {
  const marks = await marksIn(database, url)
  return marks.size > 0 && !marks.has(relation)
}

const notExact = ({ relation, column, count, from, to }: RoundedColumn): Finding => ({
  code: 'not_exact',
  relation,
  column,
  count,
  message:
    `${counted(count, 'floating-point number')} could not be copied exactly by the last whole round: ` +
    (from === to ? `${from} is too large for cents.` : `${from} became ${to}.`),
  remedy: `Say in the view how many decimals count: ROUND(CAST(… AS decimal(20, 6)), 2) AS ${column}. A column of the type DECIMAL is copied exactly.`,
})
