// SQLite stores any value in any column, unless the table is strict.
import type { ColumnType } from '../../contract/relation.ts'
import { sqliteSchema } from '../../sql/sqlite-schema.ts'
import type { ValueFaults } from './values.ts'

const otherType: Readonly<Record<ColumnType, (term: string) => string>> = {
  // 5.0 is a whole number, too.
  int: (term) =>
    `typeof(${term}) IN ('text', 'blob') OR (typeof(${term}) = 'real' AND ${term} <> CAST(${term} AS INTEGER))`,
  num: (term) => `typeof(${term}) IN ('text', 'blob') OR abs(${term}) = 9e999`,
  text: (term) => `typeof(${term}) NOT IN ('text', 'null')`,
  bool: (term) => `typeof(${term}) IN ('text', 'blob') OR ${term} NOT IN (0, 1)`,
  time: (term) => `typeof(${term}) NOT IN ('text', 'null')`,
  day: (term) => `typeof(${term}) NOT IN ('text', 'null')`,
}
// What a strict table does not see to.
const stillPossible = new Set<ColumnType>(['bool', 'num'])

const patterns = { time: '%Y-%m-%dT%H:%M:%S', day: '%Y-%m-%d' }

export const sqliteValues: ValueFaults = {
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
