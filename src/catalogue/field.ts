// The kinds of fields of a record. A field declares where its value comes from and which permission opens it; it holds no function.
import type { Codes } from '../contract/codes.ts'
import type { Gate } from './access.ts'

interface FieldName {
  readonly name: string
  // Without this permission the field is not selected, sorted by, searched, described or counted.
  readonly gate?: Gate
}

// A stored value, of the type of its column.
interface ColumnField extends FieldName {
  readonly kind: 'column'
  readonly column: string
  // An amount of a void document is shown as zero.
  readonly amount?: true
  // A missing reference is shown as 0 where the specification says so.
  readonly emptyIsZero?: true
}

// A stored code or boolean, shown as its label. A code without a label is shown as null.
export interface LabelField extends FieldName {
  readonly kind: 'label'
  readonly column: string
  readonly labels: Codes
}

// The name of the record of another relation that the column references.
interface ReferenceField extends FieldName {
  readonly kind: 'reference'
  readonly column: string
  readonly relation: string
}

// A selling price: the base price, or for a client restricted to a price list the price of its list.
interface PriceField extends FieldName {
  readonly kind: 'price'
  readonly column: string
}

// A sum over the stock of the stores the client may see.
interface StockSumField extends FieldName {
  readonly kind: 'stock-sum'
  readonly column: string
}

export type ScalarField = ColumnField | LabelField | ReferenceField | PriceField | StockSumField

// The rows of a child relation, by the id of their parent. Shown in details only.
export interface ChildrenField extends FieldName {
  readonly kind: 'children'
  readonly relation: string
  readonly parent: string
  readonly order: readonly string[]
  readonly fields: readonly ScalarField[]
}

// The price of each price list; absent for a client restricted to one of them.
interface PriceListsField extends FieldName {
  readonly kind: 'price-lists'
  readonly fields: readonly ScalarField[]
}

// The stock record of each store the client may see.
interface StockField extends FieldName {
  readonly kind: 'stock'
  readonly fields: readonly ScalarField[]
}

export type ArrayField = ChildrenField | PriceListsField | StockField
export type Field = ScalarField | ArrayField

export const isArray = (field: Field): field is ArrayField => 'fields' in field

// The relation that the items of an array are read from.
export const itemRelation = (array: ArrayField): string =>
  array.kind === 'children' ? array.relation : array.kind === 'stock' ? 'product_stock' : 'product_prices'

export const isDetailOnly = (field: Field) => field.kind === 'children'

// Short forms for the declarations.
const stored = (extra: Omit<ColumnField, 'kind' | 'name' | 'column'>) => (names: string) =>
  names.split(' ').map((name): ColumnField => ({ kind: 'column', name, column: name, ...extra }))

export const columns = stored({})
export const amounts = stored({ amount: true })
export const costs = stored({ amount: true, gate: 'costs:read' })
export const financial = stored({ gate: 'customers:financial' })
export const orZero = stored({ emptyIsZero: true })

export const label = (name: string, column: string, labels: Codes): LabelField => ({
  kind: 'label',
  name,
  column,
  labels,
})

export const reference = (name: string, column: string, relation: string): ReferenceField => ({
  kind: 'reference',
  name,
  column,
  relation,
})

export const children = (
  name: string,
  relation: string,
  parent: string,
  fields: readonly ScalarField[],
  order: readonly string[] = ['id'],
): ChildrenField => ({ kind: 'children', name, relation, parent, order, fields })
