// Finds stored values of another type than the contract's. Each engine has its own conditions; the findings are shared. A
// value of another type is shown as null.
import { relations } from '../../contract/relations.ts'
import type { ColumnType, Relation } from '../../contract/relation.ts'
import { sqliteCast, inView } from './paste.ts'
import { counted } from './finding.ts'
import { columnFault, faultsQuestion, of, type CheckContext, type Question, type RowFault } from './question.ts'
import { sqliteSchema } from '../../sql/sqlite-schema.ts'
import { postgresSchema } from '../../sql/postgres-schema.ts'

// Conditions for faulty values; undefined: the fault cannot occur.
interface ValueConditions {
  // Another type.
  wrong(type: ColumnType, term: string, stored: StoredType): string | undefined
  // The right type, but no time of the calendar between the years 1 and 9999.
  noTime(type: ColumnType, term: string): string | undefined
  // The time as it is shown, or null.
  goodTime(term: string): string
  zeroDate?(type: ColumnType, term: string): string | undefined
  // With a time zone, which is cut off.
  zoned?(type: ColumnType, term: string): string | undefined
  // Stored as a whole number.
  isWhole(term: string): string
}

interface StoredType {
  readonly type: string
  // The database enforces the type.
  readonly isStrict: boolean
}

const mostInteger = Number.MAX_SAFE_INTEGER

export function valueQuestions(context: CheckContext, engine: ValueConditions): Question[] {
  return relations.flatMap((relation) => {
    const shape = context.shape.relations.get(relation.name)
    if (!shape) return []
    const columns = Object.entries(relation.columns)
    const faults = (make: (name: string, type: ColumnType) => (RowFault | undefined)[]) =>
      columns.flatMap(([name, type]) => make(name, type)).filter((fault) => fault !== undefined)
    const stored = (name: string) => ({ type: shape.columns.get(name)?.type ?? '', isStrict: shape.isStrict })
    const wrong = faults((name, type) => [
      where(engine.wrong(type, of(name), stored(name)), (condition) => wrongValue(context, relation, name, condition)),
    ])
    const odd = faults((name, type) => [
      where(engine.noTime(type, of(name)), (condition) => noTime(context, relation, name, condition)),
      where(engine.zeroDate?.(type, of(name)), (condition) => zeroDate(name, condition)),
      where(engine.zoned?.(type, of(name)), (condition) => zoned(context, name, condition)),
      type === 'int' && !/^int[24]$/.test(stored(name).type) ? bigInteger(name, engine.isWhole(of(name))) : undefined,
    ])
    return [
      ...faultsQuestion({ about: 'types of values', relation, faults: wrong, decides: true }),
      ...faultsQuestion({ about: 'times and numbers', relation, faults: odd }),
    ]
  })
}

const where = (condition: string | undefined, fault: (condition: string) => RowFault) =>
  condition === undefined ? undefined : fault(condition)

const expected: Readonly<Record<ColumnType, string>> = {
  int: 'a whole number',
  num: 'a number',
  text: 'a text',
  bool: 'either 0 or 1',
  time: 'a text such as 2026-09-30T18:05:00',
  day: 'a text such as 2026-09-30',
}

// All of fewer values may be wrong although the column has the right type.
const leastValues = 20

// If all of many values are wrong, or any of a key, the finding is about the column.
function wrongValue(
  context: CheckContext,
  { name: relation, key, columns }: Relation,
  column: string,
  condition: string,
): RowFault {
  const type = columns[column] ?? 'text'
  const shape = context.shape.relations.get(relation)
  const cast = context.url.kind === 'sqlite' ? sqliteCast(context, type) : undefined
  function remedy(isSafe: boolean): string {
    // PostgreSQL enforces types, but its numbers include NaN and infinity.
    if (!cast) return inView(shape, `CASE WHEN ${column} - ${column} = 0 THEN ${column} END`, column)
    if (isSafe) return [inView(shape, cast.cast(column), column), cast.note].filter(Boolean).join(' ')
    const filled = cast.fillIn(column, condition.replaceAll(of(column), column))
    return `${inView(shape, filled, column)} (A cast would change some of these values: decide what they mean.)`
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
      const shown = type === 'bool' ? 'shown as null or false, and no filter finds it' : 'shown as null'
      return {
        code: (isAll && count >= leastValues) || key.includes(column) ? 'column_type' : 'wrong_value',
        message: `${are} ${expected[type]}: ${key.includes(column) ? 'a key must be' : shown}.`,
        remedy: remedy(surviving === count),
      }
    },
  }
}

const noTime = ({ url }: CheckContext, { columns }: Relation, column: string, condition: string): RowFault =>
  columnFault(
    'not_a_time',
    column,
    () => condition,
    (count) =>
      `${counted(count, 'value is', 'values are')} no time of the calendar between the years 1 and 9999: shown as null, and sorted in an unexpected place.`,
    url.kind === 'sqlite'
      ? `Write ${expected[columns[column] ?? 'time'].replace('a text', 'times')}, or nothing, in the POS.`
      : `Show null instead in the view: CASE WHEN ${column} >= '0001-01-01' AND ${column} < '10000-01-01' THEN ${column} END AS ${column}`,
  )

const zeroDate = (column: string, condition: string): RowFault =>
  columnFault(
    'zero_date',
    column,
    () => condition,
    (count) => `${counted(count, 'time is', 'times are')} empty or all zeros: shown as null.`,
    'Nothing: the contract reads them so.',
  )

const zoned = ({ timeZone }: CheckContext, column: string, condition: string): RowFault =>
  columnFault(
    'time_with_zone',
    column,
    () => condition,
    (count) =>
      `${counted(count, 'time has', 'times have')} a time zone (Z, +02:00), which is cut off: the time shown is the time in that zone, not the company's.`,
    `Show the company's local times in a view (VITRINE_TIME_ZONE is ${timeZone}): for times in UTC, datetime(${column}, '-04:00') with the company's own offset.`,
  )

const bigInteger = (column: string, isWhole: string): RowFault =>
  columnFault(
    'big_integer',
    column,
    () => `${isWhole} AND (${of(column)} > ${mostInteger} OR ${of(column)} < -${mostInteger})`,
    (count) =>
      `${counted(count, 'number is', 'numbers are')} beyond 2^53: shown with all digits, but no filter accepts it and many programs round it.`,
    'Use smaller numbers in the POS.',
  )

const otherType: Readonly<Record<ColumnType, (term: string) => string>> = {
  // 5.0 counts as a whole number.
  int: (term) =>
    `typeof(${term}) IN ('text', 'blob') OR (typeof(${term}) = 'real' AND ${term} <> CAST(${term} AS INTEGER))`,
  num: (term) => `typeof(${term}) IN ('text', 'blob') OR abs(${term}) = 9e999`,
  text: (term) => `typeof(${term}) NOT IN ('text', 'null')`,
  bool: (term) => `typeof(${term}) IN ('text', 'blob') OR ${term} NOT IN (0, 1)`,
  time: (term) => `typeof(${term}) NOT IN ('text', 'null')`,
  day: (term) => `typeof(${term}) NOT IN ('text', 'null')`,
}
// Faults that a strict table allows.
const stillPossible = new Set<ColumnType>(['bool', 'num'])

const patterns = { time: '%Y-%m-%dT%H:%M:%S', day: '%Y-%m-%d' }

export const sqliteValues: ValueConditions = {
  wrong: (type, term, { isStrict }) => (isStrict && !stillPossible.has(type) ? undefined : otherType[type](term)),
  isWhole: (term) => `typeof(${term}) = 'integer'`,
  // A 30th of February comes back as the 1st or 2nd of March.
  noTime(type, term) {
    if (type !== 'time' && type !== 'day') return undefined
    const read = sqliteSchema.read(type, term)
    return `typeof(${term}) = 'text' AND ${read} IS NOT NULL AND strftime('${patterns[type]}', ${read}) IS NOT ${read}`
  },
  goodTime(term) {
    const read = sqliteSchema.read('time', term)
    return `CASE WHEN strftime('${patterns.time}', ${read}) IS ${read} THEN ${read} END`
  },
  zoned: (type, term) =>
    type === 'time'
      ? `typeof(${term}) = 'text' AND length(${term}) > 19 AND (${term} GLOB '*[Zz]' OR substr(${term}, -6) GLOB '[+-][0-9][0-9]:[0-9][0-9]')`
      : undefined,
  zeroDate: (type, term) =>
    type === 'time' || type === 'day'
      ? `typeof(${term}) = 'text' AND ${sqliteSchema.read(type, term)} IS NULL`
      : undefined,
}

export const postgresValues: ValueConditions = {
  // x - x is 0 for every finite number.
  wrong: (type, term, stored) =>
    type === 'num' && !stored.type.startsWith('int') ? `${term} - ${term} <> 0` : undefined,
  noTime: (type, term) =>
    type === 'time' || type === 'day' ? `${term} < '0001-01-01' OR ${term} >= '10000-01-01'` : undefined,
  goodTime: (term) =>
    `CASE WHEN ${term} >= '0001-01-01' AND ${term} < '10000-01-01' THEN ${postgresSchema.read('time', term)} END`,
  isWhole: () => 'true',
}
