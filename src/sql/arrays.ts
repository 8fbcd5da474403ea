// The arrays of records → statements. Every row begins with the id of its record; the fields follow.
import type { Access } from '../catalogue/access.ts'
import type { ArrayField, ScalarField } from '../catalogue/field.ts'
import { archiveOf } from '../catalogue/resource.ts'
import { columnType, findRelation } from '../contract/relations.ts'
import { whereSql } from './conditions.ts'
import { column, quote, type Dialect } from './dialect.ts'
import { lookUp, valueSql } from './fields.ts'
import { statement, type Statement } from './statement.ts'

// The records whose arrays are read.
export interface Owners {
  // Their ids, as one value.
  readonly list: string
  readonly archived: boolean
  readonly isVoid: boolean
}

export function arrayStatement(dialect: Dialect, field: ArrayField, owners: Owners, access: Access): Statement {
  return statement(dialect, (bind) => {
    const list = bind(owners.list)
    const select = (relation: string, alias: string, fields: readonly ScalarField[]) => {
      const zero = owners.isVoid ? 'always' : 'never'
      const queried = { dialect, relation: findRelation(relation), alias, zero, priceList: null } as const
      return fields.map((each) => valueSql(each, queried, bind))
    }
    if (field.kind === 'children') {
      const relation = owners.archived ? archiveOf(field.relation) : field.relation
      const parent = column('c', field.parent)
      const order = [field.parent, ...field.order].map((name) => {
        const term = dialect.read(columnType(findRelation(relation), name), column('c', name))
        return `${term} ${dialect.direction(false, name === 'id')}`
      })
      return (
        `SELECT ${[parent, ...select(relation, 'c', field.fields)].join(', ')} FROM ${quote(relation)} c` +
        whereSql(dialect, column('c', 'id'), [dialect.isInList(parent, list)]) +
        ` ORDER BY ${order.join(', ')}`
      )
    }
    if (field.kind === 'stock') {
      const conditions = [dialect.isInList('s."product_id"', list)]
      if (access.stores !== null)
        conditions.push(dialect.isInList('s."store_id"', bind(dialect.integerList(access.stores))))
      return (
        `SELECT ${['s."product_id"', ...select('product_stock', 's', field.fields)].join(', ')}` +
        ` FROM ${quote('product_stock')} s${whereSql(dialect, 's."product_id"', conditions)}` +
        ` ORDER BY s."product_id", s."store_id"`
      )
    }
    // One entry for each price list of the company; a missing price is 0.
    const key = { product_id: 'o.id', price_list_id: 'l."id"' }
    const values = field.fields.map(({ name }) =>
      name === 'price_list_id' ? 'l."id"' : `coalesce(${lookUp(dialect, 'product_prices', name, key)}, 0)`,
    )
    return (
      `SELECT ${['o.id', ...values].join(', ')} FROM ${dialect.listAsTable(list, 'o')}` +
      ` CROSS JOIN ${quote('price_lists')} l${whereSql(dialect, 'l."id"', [])} ORDER BY o.id, l."id"`
    )
  })
}
