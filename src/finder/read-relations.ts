// The relations that an answer is read from: those that its statements name, and those whose changes it was told of. Only what they
// hold can make it another answer.
import { relations } from '../contract/relations.ts'
import { createBoundedCache } from '../platform/bounded-cache.ts'
import type { Snapshot } from './snapshot.ts'

const names = new Set(relations.map(({ name }) => name))
// Bounds the memory that unusual combinations take.
const known = createBoundedCache<string, readonly string[]>(1000)

// Statements name relations by `quote` alone. A column of the same name would do no harm.
function relationsIn(text: string): readonly string[] {
  const found = known.get(text)
  if (found) return found
  const quoted = new Set(Array.from(text.matchAll(/"(\w+)"/g), ([, name = '']) => name))
  return known.set(
    text,
    [...quoted].filter((name) => names.has(name)),
  )
}

// The same snapshot, which adds all that is read from it.
export function noteRelations(snapshot: Snapshot, read: Set<string>): Snapshot {
  const add = (some: readonly string[]) => some.forEach((name) => read.add(name))
  return {
    ...snapshot,
    rows(statement) {
      add(relationsIn(statement.text))
      return snapshot.rows(statement)
    },
    shown(statement, form) {
      add(relationsIn(statement.text))
      return snapshot.shown(statement, form)
    },
    changesSince(mark, some) {
      add(some)
      return snapshot.changesSince(mark, some)
    },
    async journal() {
      const journal = await snapshot.journal()
      return (
        journal && {
          ...journal,
          after(position, asked) {
            add(asked.relations)
            return journal.after(position, asked)
          },
          about(position, some, ids) {
            add(some)
            return journal.about(position, some, ids)
          },
        }
      )
    },
  }
}
