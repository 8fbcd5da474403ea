// Fields of a record → the expressions that read them and the joins they need.
import type { ScalarField } from '../catalogue/field.ts'
import type { Relation } from '../contract/relation.ts'
import { columnType } from '../contract/relations.ts'
import { allOf } from './conditions.ts'
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

export function valueSql(field: ScalarField, source: RecordSource): string {
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
      return column(`${field.name}_of`, 'name')
    case 'price': {
      const base = of(field.column)
      const listed = column('own_price', field.column)
      return priceList === null ? base : `CASE WHEN ${listed} <> 0 THEN ${listed} ELSE ${base} END`
    }
    case 'stock-sum':
      // Summed from the stock records, which are read anyway.
      return 'NULL'
  }
}

export function joinsSql(fields: readonly ScalarField[], source: RecordSource, bind: Bind): string {
  const { dialect, alias, priceList } = source
  const join = (relation: string, as: string, key: string, conditions: readonly string[]) =>
    ` LEFT JOIN ${quote(relation)} ${as} ON ${allOf(dialect, column(as, key), conditions)}`
  const references = fields.flatMap((field) => {
    if (field.kind !== 'reference') return []
    const as = `${field.name}_of`
    return [join(field.relation, as, 'id', [`${column(as, 'id')} = ${column(alias, field.column)}`])]
  })
  if (priceList === null || !fields.some((field) => field.kind === 'price')) return references.join('')
  const ownPrice = join('product_prices', 'own_price', 'product_id', [
    `${column('own_price', 'product_id')} = ${column(alias, 'id')}`,
    `${column('own_price', 'price_list_id')} = ${bind(priceList)}`,
  ])
  return references.join('') + ownPrice
}
