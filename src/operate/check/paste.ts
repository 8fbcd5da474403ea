// SQL that findings offer for pasting: statements in the dialect of the connected database, and casts for views.
import { quoteName } from '../../platform/postgres/names.ts'
import type { ColumnType } from '../../contract/relation.ts'
import type { SchemaDialect } from '../../sql/dialect.ts'
import { concurrentSchema, postgresTypes } from '../../sql/postgres-schema.ts'
import { sqliteSchema, sqliteTypes } from '../../sql/sqlite-schema.ts'
import type { CheckContext } from './question.ts'
import { timeWithOffset } from '../../platform/clock.ts'
import { offsetSeconds, offsetText } from './local-time.ts'
import type { RelationShape } from './database.ts'

type OfferedSchema = SchemaDialect & { readonly types: Readonly<Record<ColumnType, string>> }

const schemas: Readonly<Record<CheckContext['url']['kind'], OfferedSchema>> = {
  sqlite: { ...sqliteSchema, types: sqliteTypes },
  // Tills can write while an index is built.
  postgres: { ...concurrentSchema, types: postgresTypes },
}

export const schemaOf = ({ url }: CheckContext): OfferedSchema => schemas[url.kind]

// A new PostgreSQL session uses the schema public, so the search path is set first.
export const pasted = ({ url }: CheckContext, statements: readonly string[]): readonly string[] =>
  url.kind === 'postgres' ? [`SET search_path TO ${quoteName(url.schema)}`, ...statements] : statements

// `from` is PostgreSQL's name of the present type.
export function castTo({ url, timeZone }: CheckContext, type: ColumnType, term: string, from = ''): string {
  if (url.kind === 'sqlite') return term
  const zone = `'${timeZone}'`
  const isText = /^(text|varchar|bpchar|name|citext)$/.test(from)
  const given = isText ? `nullif(trim(${term}), '')` : term
  switch (type) {
    case 'int':
      return `${given}::bigint`
    case 'num':
      return `${given}::numeric`
    case 'text':
      return `${term}::text`
    case 'bool':
      return /^(int2|int4|int8|numeric|float4|float8)$/.test(from) ? `(${term} <> 0)` : `${given}::boolean`
    // An instant becomes the company's local time.
    case 'time':
      return from === 'timestamptz' ? `(${term} AT TIME ZONE ${zone})` : `${given}::timestamp`
    case 'day':
      return from === 'timestamptz' ? `(${term} AT TIME ZONE ${zone})::date` : `${given}::date`
  }
}

// In SQLite a cast never fails: 12,50 becomes 12, and a word 0. So a cast is offered only if all values survive it.
interface SqliteCast {
  readonly survives: (term: string) => string
  // Does not change values of the right type.
  readonly cast: (term: string) => string
  // The assumptions of the cast.
  readonly note?: string
  // A template for values that only the operator can interpret.
  readonly fillIn: (term: string, isWrong: string) => string
}

const fillIn = (term: string, isWrong: string) => `CASE WHEN ${isWrong} THEN … ELSE ${term} END`

const unsigned = (term: string) => `ltrim(substr(trim(${term}), 1, 1), '+-') || substr(trim(${term}), 2)`
const isDecimal = (term: string) =>
  `${unsigned(term)} GLOB '*[0-9]*' AND ${unsigned(term)} NOT GLOB '*[^0-9.]*' AND ${unsigned(term)} NOT GLOB '*.*.*'`

const plain: Readonly<Record<'int' | 'num' | 'text' | 'bool', SqliteCast>> = {
  // Only if the text stays the same: 007 and 7 may be different codes.
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

// SQLite knows no time zone but that of the reading process, so the cast has a fixed offset.
function timeCast({ clock, timeZone }: CheckContext, pattern: string): SqliteCast {
  const offset = offsetText(offsetSeconds(timeWithOffset(timeZone)(clock.now())))
  return {
    survives: areSeconds,
    cast: (term) =>
      `CASE typeof(${term}) WHEN 'integer' THEN strftime('${pattern}', ${term}, 'unixepoch', '${offset}') ELSE ${term} END`,
    note: `(This reads whole numbers as seconds since 1970. ${offset} is the present offset of ${timeZone}, which VITRINE_TIME_ZONE names; with daylight saving time, let the POS write local times.)`,
    fillIn,
  }
}

export function sqliteCast(context: CheckContext, type: ColumnType): SqliteCast {
  if (type === 'time') return timeCast(context, '%Y-%m-%dT%H:%M:%S')
  return type === 'day' ? timeCast(context, '%Y-%m-%d') : plain[type]
}

// Names are not quoted: the views may be those of a copy from MySQL, where double quotes make texts.
export const inView = (shape: RelationShape | undefined, term: string, column: string) =>
  shape?.kind === 'view'
    ? `Select it in the view as: ${term} AS ${column}`
    : `Fix it in the POS, or make the relation a view that selects: ${term} AS ${column}`
