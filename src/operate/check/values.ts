// Are stored values of the type that the contract promises? Each engine has its own ways to hold something else; what they have in
// common is said here. A value that is of another type is shown as null, which is wrong for a whole column and odd for a few.
import { relations } from '../../contract/relations.ts'
import type { ColumnType, Relation } from '../../contract/relation.ts'
import { sqliteCast } from './casts-sqlite.ts'
import { counted } from './finding.ts'
import { quote } from '../../sql/dialect.ts'
import { faultsQuestion, of, type Inquiry, type Question, type RowFault } from './question.ts'
import { inView } from './words.ts'

// The conditions under which a value t.column is none of its type; undefined: it always is.
export interface ValueFaults {
  // Of another type altogether.
  wrong(type: ColumnType, term: string, stored: Stored): string | undefined
  // Of the right type, and no time of the calendar between the years 1 and 9999.
  noTime(type: ColumnType, term: string): string | undefined
  // The time as it is shown, or nothing where it is none.
  goodTime(term: string): string
  zeroDate(type: ColumnType, term: string): string | undefined
  // With a zone behind it, which is cut off.
  zoned(type: ColumnType, term: string): string | undefined
  // Stored as a whole number.
  isWhole(term: string): string
}

export interface Stored {
  // The engine's own name for it.
  readonly type: string
  // The database sees to it that values are of that type.
  readonly isStrict: boolean
}

const mostInteger = Number.MAX_SAFE_INTEGER

export function valueQuestions(inquiry: Inquiry, engine: ValueFaults): Question[] {
  return relations.flatMap((relation) => {
    const shape = inquiry.shape.relations.get(relation.name)
    if (!shape) return []
    const columns = Object.entries(relation.columns)
    const faults = (make: (name: string, type: ColumnType) => (RowFault | undefined)[]) =>
      columns.flatMap(([name, type]) => make(name, type)).filter((fault) => fault !== undefined)
    const stored = (name: string) => ({ type: shape.columns.get(name)?.type ?? '', isStrict: shape.isStrict })
    const wrong = faults((name, type) => [
      wrongValue(inquiry, relation, name, engine.wrong(type, of(name), stored(name))),
    ])
    const odd = faults((name, type) => [
      noTime(inquiry, relation, name, engine.noTime(type, of(name))),
      zeroDate(name, engine.zeroDate(type, of(name))),
      zoned(inquiry, name, engine.zoned(type, of(name))),
      type === 'int' && !/^int[24]$/.test(stored(name).type) ? bigInteger(name, engine.isWhole(of(name))) : undefined,
    ])
    return [
      ...faultsQuestion({ about: 'types of values', relation, faults: wrong, decides: true }),
      ...faultsQuestion({ about: 'times and numbers', relation, faults: odd }),
    ]
  })
}

const expected: Readonly<Record<ColumnType, string>> = {
  int: 'a whole number',
  num: 'a number',
  text: 'a text',
  bool: 'either 0 or 1',
  time: 'a text such as 2026-09-30T18:05:00',
  day: 'a text such as 2026-09-30',
}

// Fewer may all be odd, and the column still be of the right type.
const leastValues = 20

// A few are odd; that all of many are makes it a column of another type. A key is needed whole.
function wrongValue(
  inquiry: Inquiry,
  { name: relation, key, columns }: Relation,
  column: string,
  condition: string | undefined,
): RowFault | undefined {
  if (condition === undefined) return undefined
  const type = columns[column] ?? 'text'
  const shape = inquiry.shape.relations.get(relation)
  const named = quote(column)
  const cast = inquiry.url.kind === 'sqlite' ? sqliteCast(inquiry, type) : undefined
  function remedy(isSafe: boolean): string {
    // PostgreSQL has right types, and still numbers that are none.
    if (!cast) return inView(shape, `CASE WHEN ${named} - ${named} = 0 THEN ${named} END`, column)
    if (isSafe) return [inView(shape, cast.cast(named), column), cast.note].filter(Boolean).join(' ')
    const filled = cast.fillIn(named, (condition ?? '').replaceAll(of(column), named))
    return `${inView(shape, filled, column)} (A cast would make something else of some of them: say yourself what they mean.)`
  }
  return {
    code: 'wrong_value',
    column,
    needs: [column],
    where: () => condition,
    among: `${of(column)} IS NOT NULL`,
    ...(cast ? { also: cast.survives(of(column)) } : {}),
    says(count, among, surviving) {
      const isAll = count === among
      const are = isAll ? `None of ${counted(count, 'value')} is` : `${counted(count, 'value is', 'values are')} not`
      const shown = type === 'bool' ? 'shown as null or false, and found by no filter' : 'shown as null'
      return {
        code: (isAll && count >= leastValues) || key.includes(column) ? 'column_type' : 'wrong_value',
        message: `${are} ${expected[type]}: ${key.includes(column) ? 'a key must be' : shown}.`,
        remedy: remedy(surviving === count),
      }
    },
  }
}

function noTime(
  inquiry: Inquiry,
  relation: Relation,
  column: string,
  condition: string | undefined,
): RowFault | undefined {
  if (condition === undefined) return undefined
  return {
    code: 'not_a_time',
    column,
    needs: [column],
    where: () => condition,
    says: (count) => ({
      message: `${counted(count, 'value is', 'values are')} no time of the calendar between the years 1 and 9999: shown as null, and sorted where nobody expects it.`,
      remedy:
        inquiry.url.kind === 'sqlite'
          ? `Write ${expected[relation.columns[column] ?? 'time'].replace('a text', 'times')}, or nothing at all, where these are made.`
          : `Let the view show nothing instead: CASE WHEN ${quote(column)} >= '0001-01-01' AND ${quote(column)} < '10000-01-01' THEN ${quote(column)} END AS ${quote(column)}`,
    }),
  }
}

function zeroDate(column: string, condition: string | undefined): RowFault | undefined {
  if (condition === undefined) return undefined
  return {
    code: 'zero_date',
    column,
    needs: [column],
    where: () => condition,
    says: (count) => ({
      message: `${counted(count, 'time is', 'times are')} empty or all zeros: shown as null.`,
      remedy: 'Nothing: the contract reads them so.',
    }),
  }
}

function zoned({ timeZone }: Inquiry, column: string, condition: string | undefined): RowFault | undefined {
  if (condition === undefined) return undefined
  return {
    code: 'time_with_zone',
    column,
    needs: [column],
    where: () => condition,
    says: (count) => ({
      message: `${counted(count, 'time has', 'times have')} a zone behind it (Z, +02:00), which is cut off: what is shown is the time there, not that of the company.`,
      remedy: `Let a view show local times of the company (VITRINE_TIME_ZONE is ${timeZone}): from times in UTC, datetime(${quote(column)}, '-04:00') with the company's own offset.`,
    }),
  }
}

const bigInteger = (column: string, isWhole: string): RowFault => ({
  code: 'big_integer',
  column,
  needs: [column],
  where: () => `${isWhole} AND (${of(column)} > ${mostInteger} OR ${of(column)} < -${mostInteger})`,
  says: (count) => ({
    message: `${counted(count, 'number is', 'numbers are')} beyond 2^53: shown digit by digit, but no filter takes it and many programs round it.`,
    remedy: 'Use smaller numbers where these are made; an id that nobody can ask for might as well be another.',
  }),
})
