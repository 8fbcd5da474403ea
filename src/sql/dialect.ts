// What engines write differently, and nothing else. Everything that compiles SQL takes a dialect and stays the same.
import type { ColumnType, Relation } from '../contract/relation.ts'

// Gives the placeholder of a value and remembers the value: the only way a value gets into a statement.
export type Bind = (value: Value) => string
export type Value = string | number | null

// How a dialect writes the relations of the contract down.
export interface SchemaDialect {
  // A stored value as the service shows it: an empty date is null, fractions of seconds are cut.
  read(type: ColumnType, expression: string): string
  // Text compares by code point after folding ASCII letters.
  textOrder(expression: string): string
  // The statements that make a relation with its key, and the index by which the parts of a record are found. Each can be run again.
  tables(relation: Relation): string[]
  indexes(relation: Relation): string[]
  // Makes the journal, with its triggers on every relation. To be run as a whole, within one transaction.
  readonly journal: readonly string[]
}

// How a dialect writes queries.
export interface Dialect extends SchemaDialect {
  placeholder(position: number, value: Value): string
  isTrue(expression: string, wanted: boolean): string
  // Null is the smallest value in both directions; a key is never null.
  direction(descending: boolean, isKey: boolean): string
  limit(limit: string, offset: string): string
  // A list of integers, bound as one value so that its length does not change the statement.
  integerList(integers: readonly (number | bigint)[]): string
  isInList(expression: string, list: string): string
  listAsTable(list: string, alias: string): string
  // A literal part of one of the expressions, without regard to case.
  contains(expressions: readonly string[], text: string, bind: Bind): string
  // A value as the finder keeps it: nothing is rounded on the way to JavaScript.
  exact(type: ColumnType, expression: string): string
  // A condition that is always true and gives a running statement the chance to stop; empty where the server does that.
  keepGoing(id: string): string
}

// A time whose year does not have four digits, as `exact` gives it: the finder cannot keep it.
export const beyondCalendar = 'beyond the calendar'

export const quote = (identifier: string) => `"${identifier}"`
export const column = (alias: string, name: string) => `${alias}.${quote(name)}`
