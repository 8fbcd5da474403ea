// What a copy remembers about its source: columns whose floating-point numbers could not be copied exactly, wrong rows that are kept out,
// relations that wait because they would lose most of their rows, and amounts whose type has changed.
import { changedAmountRemedy, changedAmountText, readChangedAmounts, type ChangedAmount } from '../copy/amounts.ts'
import type { RoundedColumn } from '../copy/doubles.ts'
import { countKeptOut, readKeptOut, type KeptOutCount, type KeptOutRow } from '../copy/kept-out.ts'
import { readWaiting, type WaitingRelation } from '../copy/losses.ts'
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
  {
    name: 'what is not taken over from the source',
    needs: {},
    async ask(database) {
      const marks = await marksIn(database, url)
      const rows = readKeptOut(marks)
      return [
        ...countKeptOut(rows).map((each) => keptOut(each, rows)),
        ...readWaiting(marks).map(waits),
        ...readChangedAmounts(marks).map(amountChanged),
      ]
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

const mostExamples = 5

const keptOut = ({ relation, rows: count }: KeptOutCount, rows: readonly KeptOutRow[]): Finding => {
  const own = rows.filter((row) => row.relation === relation)
  return {
    code: 'kept_out',
    relation,
    count,
    examples: own.slice(0, mostExamples).map(({ key }) => key),
    message: `${counted(count, 'row')} of the source ${count === 1 ? 'is' : 'are'} wrong and kept out, and the records are as they were last: ${own[0]?.message}`,
    remedy: 'Correct the rows in the POS, or what the view makes of them; "vitrine copy --faults" lists all.',
  }
}

const waits = ({ relation, had, has, lost }: WaitingRelation): Finding => ({
  code: 'copy_waits',
  relation,
  count: lost,
  message: `The copy has ${counted(had, 'row')} and the source ${counted(has, 'row')}; ${counted(lost, 'row')} would be deleted, so that the relation keeps all of its rows.`,
  remedy: 'Check the source and the view. If the rows are gone for good: "vitrine copy --accept-loss".',
})

const amountChanged = ({ relation, column }: ChangedAmount): Finding => ({
  code: 'amount_changed',
  relation,
  column,
  message: `${changedAmountText} Nothing is copied until the view says what it means.`,
  remedy: changedAmountRemedy(column),
})
