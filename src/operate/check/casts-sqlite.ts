// Casts to be pasted into a view over a SQLite file, where a cast never fails: of 12,50 it makes 12, and of a word 0. So each comes
// with the condition under which a value of another type means the same afterwards; it is offered where that is true of all of them.
import { timeWithOffset } from '../../platform/clock.ts'
import type { ColumnType } from '../../contract/relation.ts'
import { offsetSeconds, offsetText } from './local-time.ts'
import type { Inquiry } from './question.ts'

interface SqliteCast {
  readonly survives: (term: string) => string
  // Values of the right type stay what they are.
  readonly cast: (term: string) => string
  // What the cast takes for granted.
  readonly note?: string
  // For whoever must say what the values mean.
  readonly fillIn: (term: string, isWrong: string) => string
}

const fillIn = (term: string, isWrong: string) => `CASE WHEN ${isWrong} THEN … ELSE ${term} END`

const unsigned = (term: string) => `ltrim(substr(trim(${term}), 1, 1), '+-') || substr(trim(${term}), 2)`
const isDecimal = (term: string) =>
  `${unsigned(term)} GLOB '*[0-9]*' AND ${unsigned(term)} NOT GLOB '*[^0-9.]*' AND ${unsigned(term)} NOT GLOB '*.*.*'`

const plain: Readonly<Record<'int' | 'num' | 'text' | 'bool', SqliteCast>> = {
  // As it is written: 007 might be another than 7.
  int: {
    survives: (term) => `typeof(${term}) = 'text' AND CAST(CAST(${term} AS INTEGER) AS TEXT) = trim(${term})`,
    cast: (term) => `CAST(${term} AS INTEGER)`,
    fillIn,
  },
  num: {
    survives: (term) => `typeof(${term}) = 'text' AND (trim(${term}) = '' OR (${isDecimal(term)}))`,
    cast: (term) => `CAST(nullif(trim(${term}), '') AS REAL)`,
    fillIn,
  },
  text: { survives: (term) => `typeof(${term}) = 'integer'`, cast: (term) => `CAST(${term} AS TEXT)`, fillIn },
  // Some databases write -1 for true.
  bool: {
    survives: (term) => `typeof(${term}) IN ('text', 'integer') AND trim(${term}) IN ('0', '1', '-1')`,
    cast: (term) => `(CAST(${term} AS INTEGER) <> 0)`,
    fillIn: (term) => `CASE ${term} WHEN 'Y' THEN 1 WHEN 'N' THEN 0 ELSE ${term} END`,
  },
}

// Seconds since 1970, from 1973 to 2286: neither days such as 20260930 nor milliseconds.
const areSeconds = (term: string) => `typeof(${term}) = 'integer' AND ${term} BETWEEN 100000000 AND 9999999999`

// SQLite knows no zones but that of the process that happens to read, which is none of the company's.
function timeCast({ clock, timeZone }: Inquiry, pattern: string): SqliteCast {
  const offset = offsetText(offsetSeconds(timeWithOffset(timeZone)(clock.now())))
  return {
    survives: areSeconds,
    cast: (term) =>
      `CASE typeof(${term}) WHEN 'integer' THEN strftime('${pattern}', ${term}, 'unixepoch', '${offset}') ELSE ${term} END`,
    note: `(This takes whole numbers for seconds since 1970. ${offset} is the time of ${timeZone} now, which VITRINE_TIME_ZONE names; where the hour changes in summer, let the POS write local times.)`,
    fillIn,
  }
}

export function sqliteCast(inquiry: Inquiry, type: ColumnType): SqliteCast {
  if (type === 'time') return timeCast(inquiry, '%Y-%m-%dT%H:%M:%S')
  return type === 'day' ? timeCast(inquiry, '%Y-%m-%d') : plain[type]
}
