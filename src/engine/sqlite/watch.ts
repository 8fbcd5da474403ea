// What the listener's thread itself asks a SQLite file, over a connection of its own: what was written since it last looked. It never
// waits for a lock.
import { lookIn } from '../look.ts'
import type { Database } from '../source.ts'
import { createSqliteSource } from './source.ts'

export function watchSqlite(path: string): Pick<Database, 'look' | 'close'> {
  const source = createSqliteSource(path, 0, () => {})
  return {
    // A mark in a file proves itself, over any connection.
    look: (before) => source.within((snapshot) => lookIn(snapshot, 0, before)),
    close: () => source.close(),
  }
}
