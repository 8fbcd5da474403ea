// What the making of a twin database works with.
import type { Random } from '../../demo/random.ts'
import type { Access } from '../model/access.ts'
import { rowsOf, type Database, type Row } from '../model/relations.ts'
import type { ResourceRule } from '../support/specification/index.ts'

export interface Twin {
  readonly database: Database
  readonly access: Access
  // Rows to take other contents from.
  readonly others: Database
  readonly chance: Random
  // What becomes of it.
  readonly tables: Record<string, readonly Row[]>
}

export const isHeld = ({ permissions }: Access, { permission }: ResourceRule) => permissions.includes(permission)
export const otherRow = ({ others, chance }: Twin, table: string): Row => {
  const rows = rowsOf(others, table)
  return rows[chance.below(rows.length)] ?? {}
}
