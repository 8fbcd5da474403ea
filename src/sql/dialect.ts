// What engines write differently, and nothing else. Everything that compiles SQL takes a dialect and stays the same.
import type { Tally } from '../catalogue/tallies.ts'
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
  // What the indexes need of the database as a whole.
  readonly beforeIndexes: readonly string[]
  // The statements that make a relation with its key, its indexes and its search index. Each can be run again.
  tables(relation: Relation): string[]
  indexes(relation: Relation): string[]
  searchIndex(relation: Relation): string[]
  // Begins a transaction that writes.
  readonly begin: string
  // Makes a tally and counts what is there. To be run as a whole, within one transaction.
  tally(tally: Tally): string[]
  // What is to be run after everything else that changes the schema: only then are these tallies trusted, and the search indexes of
  // these relations.
  trust(tallies: readonly Tally[], searched: readonly Relation[]): string[]
}

// How a dialect writes queries.
export interface Dialect extends SchemaDialect {
  placeholder(position: number, value: Value): string
  isTrue(expression: string, wanted: boolean): string
  // Empty values are the smallest, in both directions; a key is never empty.
  direction(descending: boolean, isKey: boolean): string
  limit(limit: string, offset: string): string
  // A term for which no index is to be followed; as it is where the engine finds that out by itself.
  unindexed(expression: string): string
  // One of several collections that are about to be merged in this order: as it is where the engine merges them as they
  // come, else ordered and cut by itself.
  mergeable(select: string, order: string, most: () => string): string
  // A list of integers, bound as one value so that its length does not change the statement.
  integerList(integers: readonly (number | bigint)[]): string
  isInList(expression: string, list: string): string
  listAsTable(list: string, alias: string): string
  // Ends a sub-select that is to be asked for each row that is looked at, and not joined to all of them.
  readonly askEach: string
  // A literal part of one of the columns, without regard to case.
  contains(search: Search, bind: Bind): string
  // What holds a text, relation by relation, where it can be counted without a look at the records; else undefined. Few: so few that
  // they are read as soon as counted. (SQLite looks into its indexes to tell.)
  found(relations: readonly Relation[], search: Pick<Search, 'columns' | 'text'>): readonly Found[] | 'few' | undefined
  // Whether records that an index names are met along a list sooner than found and sorted.
  readonly meetsNamed: boolean
  // Whether the database keeps this tally, as far as was seen when it was opened; and whether it does within a statement.
  hasTally(tally: Tally): boolean
  isTallied(tally: Tally): string
  // The counts of a tally as `t`: axis, bucket, the traits, n, and how often they changed.
  tallyRows(tally: Tally): string
  // The words of records, digits aside, as `t`: words, the traits, n; where the tally keeps them. (SQLite's search indexes do.)
  tallyWords(tally: Tally): string | undefined
  // Over a group of those: another one whenever anything in it was counted in or out; null where nobody can tell.
  bucketVersion(tally: Tally): string
  // A condition that is always true and gives a running statement the chance to stop; empty where the server does that.
  keepGoing(id: string): string
}

export interface Search {
  readonly relation: Relation
  readonly alias: string
  readonly columns: readonly string[]
  readonly text: string
  // Rows are met along a list, and looked at one by one, or those alone that an index names; else they are to be found.
  readonly met?: 'each' | 'named' | undefined
}

// Where to count what a search finds, by which condition. Rows are as `many` records as that aggregate says, of which `id` is the least
// or the greatest id, or NULL where that would take long; each has a number (`row`) and a combination of traits, which is a row of the
// table `cells`. `records`: the same one by one, from the least id on.
export interface Found {
  readonly from: string
  readonly row: string
  readonly many: string
  readonly id: (end: 'min' | 'max') => string
  readonly condition: (bind: Bind) => string
  readonly cell: string
  readonly cells: string
  readonly records: {
    readonly from: string
    readonly id: string
    readonly condition: (leastId: string, bind: Bind) => string
  }
}

export const quote = (identifier: string) => `"${identifier}"`
export const column = (alias: string, name: string) => `${alias}.${quote(name)}`
