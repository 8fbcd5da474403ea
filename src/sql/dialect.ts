// The differences between the SQL of the engines, and nothing else. Everything that composes SQL takes a dialect.
import type { ColumnType, Relation } from '../contract/relation.ts'

// Gives the placeholder of a value and remembers the value: the only way a value gets into a statement.
export type Bind = (value: BoundValue) => string
export type BoundValue = string | number | null

export interface SchemaDialect {
  // A stored value as the service shows it: an empty date is null, fractions of seconds are cut.
  read(type: ColumnType, expression: string): string
  // Text compares by code point after folding ASCII letters.
  textOrder(expression: string): string
  // Make a relation with its key, and the index that finds the children of a record. Each statement can be run again.
  tables(relation: Relation): string[]
  indexes(relation: Relation): string[]
  // Makes the journal, with its triggers on every relation. To be run within one transaction.
  readonly journal: readonly string[]
}

export interface Dialect extends SchemaDialect {
  placeholder(position: number, value: BoundValue): string
  // Null is the smallest value in both directions; a key is never null.
  direction(descending: boolean, isKey: boolean): string
  // A list of integers, bound as one value so that its length does not change the statement.
  integerList(integers: readonly (number | bigint)[]): string
  isInList(expression: string, list: string): string
  listAsTable(list: string, alias: string): string
  // The rows `t` of a table whose ids are in a list: what they are selected from, and the condition.
  rowsInList(table: string, list: string): { readonly from: string; readonly condition: string }
  // The literal text is a part of one of the expressions, ignoring case.
  contains(expressions: readonly string[], text: string, bind: Bind): string
  // A value as the finder keeps it: nothing is rounded on the way to JavaScript.
  exact(type: ColumnType, expression: string): string
  // A SELECT of all columns of a relation, whose name is given as statements have it. Those that it lacks are null.
  withNulls(relation: string, present: readonly string[], lacking: readonly LackingColumn[]): string
  // A condition that is always true and lets a running statement be stopped; empty if the server can stop it.
  keepGoing(id: string): string
}

export type LackingColumn = readonly [name: string, type: ColumnType]

// A relation in a statement.
export interface QueriedRelation {
  readonly dialect: Dialect
  readonly relation: Relation
  readonly alias: string
}

// `exact` gives this for a time whose year does not have four digits: the finder cannot keep it.
export const beyondCalendar = 'beyond the calendar'

export const quote = (identifier: string) => `"${identifier}"`
export const column = (alias: string, name: string) => `${alias}.${quote(name)}`
