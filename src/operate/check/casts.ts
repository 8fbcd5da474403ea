// How a view turns what a POS stores into what the contract wants: an expression to be pasted. PostgreSQL refuses what it cannot
// cast; what SQLite makes of it, casts-sqlite.ts tells.
import type { ColumnType } from '../../contract/relation.ts'
import type { Inquiry } from './question.ts'

// `from` is PostgreSQL's name of the type it has.
export function castTo({ url, timeZone }: Inquiry, type: ColumnType, term: string, from = ''): string {
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
    // A moment becomes the time that the company's clock showed.
    case 'time':
      return from === 'timestamptz' ? `(${term} AT TIME ZONE ${zone})` : `${given}::timestamp`
    case 'day':
      return from === 'timestamptz' ? `(${term} AT TIME ZONE ${zone})::date` : `${given}::date`
  }
}
