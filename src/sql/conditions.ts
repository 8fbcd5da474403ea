// Conditions of a plan → SQL.
import type { Condition } from '../catalogue/condition.ts'
import type { Relation } from '../contract/relation.ts'
import { column, type Bind, type Dialect } from './dialect.ts'

export interface Source {
  readonly dialect: Dialect
  readonly relation: Relation
  readonly alias: string
}

export function conditionSql(condition: Condition, source: Source, bind: Bind): string {
  const { dialect, alias } = source
  const of = (name: string) => column(alias, name)
  switch (condition.is) {
    case 'equal':
      return `${of(condition.column)} = ${bind(condition.value)}`
    case 'zero-or-empty':
      return `(${of(condition.column)} = 0 OR ${of(condition.column)} IS NULL)`
    case 'one-of':
      return oneOf(source, condition.column, condition.codes)
    case 'not':
      return `(${of(condition.column)} <> ${condition.code} OR ${of(condition.column)} IS NULL)`
    case 'from':
      return `${dialect.read('time', of(condition.column))} >= ${bind(condition.time)}`
    case 'to':
      return `${dialect.read('time', of(condition.column))} <= ${bind(condition.time)}`
    case 'contains':
      return dialect.contains(condition.columns.map(of), condition.text, bind)
    case 'in-stores':
      return inStores(source, condition.columns, condition.stores, bind)
  }
}

// Codes are the catalogue's own numbers: written out, so that the engine can see them when it chooses an index.
function oneOf({ dialect, relation, alias }: Source, name: string, codes: readonly number[]): string {
  const of = column(alias, name)
  if (relation.columns[name] === 'bool') return anyOf(codes.map((code) => dialect.isTrue(of, code === 1)))
  return codes.length === 1 ? `${of} = ${codes[0]}` : `${of} IN (${codes.join(', ')})`
}

function inStores(
  { dialect, alias }: Source,
  columns: readonly string[],
  stores: readonly number[],
  bind: Bind,
): string {
  if (stores.length === 0) return '1 = 0'
  if (stores.length === 1) return anyOf(columns.map((name) => `${column(alias, name)} = ${bind(stores[0] ?? 0)}`))
  const list = bind(dialect.integerList(stores))
  return anyOf(columns.map((name) => dialect.isInList(column(alias, name), list)))
}

const anyOf = (terms: readonly string[]) => (terms.length === 1 ? (terms[0] ?? '') : `(${terms.join(' OR ')})`)

// The chance to stop comes first: it must be met on every row that is looked at, not only on those that fulfil the rest.
export function whereSql(dialect: Dialect, id: string, conditions: readonly string[]): string {
  const all = [dialect.keepGoing(id), ...conditions].filter(Boolean)
  return all.length > 0 ? ` WHERE ${all.join(' AND ')}` : ''
}
