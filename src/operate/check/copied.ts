// What the last whole round of a copy remembers about its source: columns whose floating-point numbers could not be copied exactly.
import type { RoundedColumn } from '../copy/doubles.ts'
import { readMarks, readRounded } from '../copy/memory.ts'
import { counted, type Finding } from './finding.ts'
import type { CheckContext, Question } from './question.ts'

export const copyQuestions = ({ url }: CheckContext): Question[] => [
  {
    name: 'numbers that were not copied exactly',
    needs: {},
    decides: false,
    isLong: false,
    async ask(database) {
      const marks = await readMarks({ engine: url.kind, rows: (text, values) => database.rows({ text, values }) })
      return readRounded(marks).map(notExact)
    },
  },
]

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
