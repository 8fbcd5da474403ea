// Conditions of a plan → SQL.
import type { Condition } from '../catalogue/condition.ts'
import { column, type Bind, type Dialect, type QueriedRelation } from './dialect.ts'

export function conditionSql(condition: Condition, queried: QueriedRelation, bind: Bind): string {
  const { dialect, alias } = queried
  const of = (name: string) => column(alias, name)
  switch (condition.is) {
    case 'equal':
      return `${of(condition.column)} = ${bind(condition.value)}`
    case 'zero-or-empty':
      return `(${of(condition.column)} = 0 OR ${of(condition.column)} IS NULL)`
    case 'one-of':
      return oneOf(queried, condition.column, condition.codes)
    case 'not':
      return `(${of(condition.column)} <> ${condition.code} OR ${of(condition.column)} IS NULL)`
    case 'from':
      return `${dialect.read('time', of(condition.column))} >= ${bind(condition.time)}`
    case 'to':
      return `${dialect.read('time', of(condition.column))} <= ${bind(condition.time)}`
    case 'contains':
      return dialect.contains(condition.columns.map(of), condition.text, bind)
    case 'in-stores':
      return inStores(dialect, condition.columns.map(of), condition.stores, bind)
  }
}

// Codes are constants of the catalogue. They are written out, so that the engine sees them when it chooses an index.
function oneOf({ relation, alias }: QueriedRelation, name: string, codes: readonly number[]): string {
  const of = column(alias, name)
  if (relation.columns[name] === 'bool') return anyOf(codes.map((code) => `${of} = ${code === 1}`))
  return codes.length === 1 ? `${of} = ${codes[0]}` : `${of} IN (${codes.join(', ')})`
}

function inStores(dialect: Dialect, columns: readonly string[], stores: readonly number[], bind: Bind): string {
  if (stores.length === 0) return '1 = 0'
  if (stores.length === 1) return anyOf(columns.map((each) => `${each} = ${bind(stores[0] ?? 0)}`))
  const list = bind(dialect.integerList(stores))
  return anyOf(columns.map((each) => dialect.isInList(each, list)))
}

const anyOf = (terms: readonly string[]) => (terms.length === 1 ? (terms[0] ?? '') : `(${terms.join(' OR ')})`)

// `keepGoing` comes first: it must be evaluated on every row, not only where the other conditions hold.
export function whereSql(dialect: Dialect, id: string, conditions: readonly string[]): string {
  const all = [dialect.keepGoing(id), ...conditions].filter(Boolean)
  return all.length > 0 ? ` WHERE ${all.join(' AND ')}` : ''
}
