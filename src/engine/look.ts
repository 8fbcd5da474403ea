// A look at a database for remembered answers: which relations were written since the look before. The same for every engine.
import { relations } from '../contract/relations.ts'
import type { Mark, Snapshot } from '../finder/snapshot.ts'

export interface Look {
  // What was looked at: see `Snapshot`.
  readonly database: string
  // What is known over one connection is not known over the next: the database may have lost transactions in between.
  readonly connection: number
  readonly mark: Mark
  // Since the look before; 'any' if the journal cannot tell.
  readonly written: readonly string[] | 'any'
}

const names = relations.map(({ name }) => name)

// Undefined where not all writes are named.
export async function lookIn(
  snapshot: Pick<Snapshot, 'database' | 'mark' | 'written'>,
  connection: number,
  before: Look | undefined,
): Promise<Look | undefined> {
  const { database } = snapshot
  const found = before?.connection === connection ? await snapshot.written(before.mark) : undefined
  if (found) return { database, connection, mark: found.now, written: found.relations }
  const begun = await snapshot.mark(names)
  return 'mark' in begun ? { database, connection, mark: begun.mark, written: 'any' } : undefined
}
