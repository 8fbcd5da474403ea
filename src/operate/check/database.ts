// A database that is checked: what its catalogue says about the relations of the contract, and a read-only way to query it.
import type { FeedHold } from '../../engine/engine.ts'
import type { JournalState } from '../schema/journal.ts'
import type { Bind, Dialect } from '../../sql/dialect.ts'
import type { Row } from '../../sql/statement.ts'

export interface ColumnShape {
  // The engine's name of the type. SQLite enforces it only in strict tables.
  readonly type: string
  readonly isReadable: boolean
  // The service can read this type.
  readonly isRight: boolean
}

export interface RelationShape {
  // It can have indexes: not a view or a foreign table.
  readonly isTable: boolean
  readonly kind: string
  readonly columns: ReadonlyMap<string, ColumnShape>
  // The database enforces that keys are unique and not null.
  readonly isKeyed: boolean
  // The database enforces the types of values.
  readonly isStrict: boolean
}

export interface DatabaseShape {
  readonly relations: ReadonlyMap<string, RelationShape>
  // Relations that exist but cannot be described, with the error message.
  readonly broken: ReadonlyMap<string, string>
  readonly journal: JournalState & { readonly isReadable: boolean }
  // Absent if nothing holds the change feed back.
  readonly feedHold?: FeedHold | undefined
}

// Empty for a relation that does not exist.
export const columnsIn = (shape: DatabaseShape) => (relation: string) =>
  new Set(shape.relations.get(relation)?.columns.keys() ?? (shape.broken.has(relation) ? ['unknown'] : []))

// The query took too long, or met a temporary obstacle such as a lock or a recovery conflict.
export class QueryTimeout extends Error {}
// No rows if the query took too long.
export const unlessLate = (rows: Promise<readonly Row[]>): Promise<readonly Row[]> =>
  rows.catch((error: unknown) => {
    if (error instanceof QueryTimeout) return []
    throw error
  })
// The database rejected the query; the message is its own.
export class QueryRefused extends Error {}

// One query at a time, each in its own transaction and with a timeout.
export interface CheckedDatabase {
  readonly dialect: Dialect
  readonly timeoutMs: number
  isOpen(): boolean
  rows(compose: (bind: Bind) => string): Promise<readonly Row[]>
  close(): Promise<void>
}
