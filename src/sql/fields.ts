// Fields of a record → the expressions that read them. A value of another relation is read by a sub-select: it gives one value
// whatever that relation holds, and it can be stopped.
import type { ScalarField } from '../catalogue/field.ts'
import { VOID } from '../contract/codes.ts'
import { columnType } from '../contract/relations.ts'
import { whereSql } from './conditions.ts'
import { column, quote, type Bind, type Dialect, type QueriedRelation } from './dialect.ts'

export interface RecordRelation extends QueriedRelation {
  // Amounts of a void document are zero. Of children it is known in advance whether their document is void.
  readonly zero: 'by status' | 'always' | 'never'
  readonly priceList: number | null
}

// Also where nothing is stored.
export const zeroWhenVoid = (status: string, amount: string) =>
  `CASE WHEN ${status} = ${VOID} THEN 0 ELSE ${amount} END`

export function valueSql(
  field: ScalarField,
  { dialect, relation, alias, zero, priceList }: RecordRelation,
  bind: Bind,
): string {
  const of = (name: string) => column(alias, name)
  switch (field.kind) {
    case 'column': {
      if (field.amount && zero === 'always') return '0'
      const value = dialect.read(columnType(relation, field.column), of(field.column))
      if (field.amount && zero === 'by status') return zeroWhenVoid(of('status'), value)
      return field.emptyIsZero ? `coalesce(${value}, 0)` : value
    }
    case 'label':
      return of(field.column)
    case 'reference':
      return lookUp(dialect, field.relation, 'name', { id: of(field.column) })
    case 'price': {
      if (priceList === null) return of(field.column)
      const key = { product_id: of('id'), price_list_id: bind(priceList) }
      // The base price, if the price of the list is zero, empty or missing.
      return `coalesce(nullif(${lookUp(dialect, 'product_prices', field.column, key)}, 0), ${of(field.column)})`
    }
    case 'stock-sum':
      // Summed from the stock records, which are read as well.
      return 'NULL'
  }
}

// A value of the row with this key; null if there is no such row.
export function lookUp(
  dialect: Dialect,
  relation: string,
  value: string,
  key: Readonly<Record<string, string>>,
): string {
  const conditions = Object.entries(key).map(([name, wanted]) => `${column('r', name)} = ${wanted}`)
  const id = column('r', Object.keys(key)[0] ?? 'id')
  return `(SELECT ${column('r', value)} FROM ${quote(relation)} r${whereSql(dialect, id, conditions)} LIMIT 1)`
}
