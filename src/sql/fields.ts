// Fields of a record → the expressions that read them. What stands in another relation is read by a sub-select: it gives
// one value whatever that relation holds, and can be stopped like everything else.
import type { ScalarField } from '../catalogue/field.ts'
import type { Relation } from '../contract/relation.ts'
import { columnType } from '../contract/relations.ts'
import { whereSql } from './conditions.ts'
import { column, quote, type Bind, type Dialect } from './dialect.ts'
import { zeroWhenVoid } from './shared-terms.ts'

export interface RecordSource {
  readonly dialect: Dialect
  readonly relation: Relation
  readonly alias: string
  // Amounts of a void document are zero; for its children it is known beforehand whether it is void.
  readonly zero: 'by status' | 'always' | 'never'
  readonly priceList: number | null
}

export function valueSql(field: ScalarField, source: RecordSource, bind: Bind): string {
  const { dialect, relation, alias, zero, priceList } = source
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
      // Zero, empty or missing: the base price.
      return `coalesce(nullif(${lookUp(dialect, 'product_prices', field.column, key)}, 0), ${of(field.column)})`
    }
    case 'stock-sum':
      // Summed from the stock records, which are read anyway.
      return 'NULL'
  }
}

// One value of the row with this key; null where there is none.
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
