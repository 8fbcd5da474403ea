// What a mirror knows about itself: its service and key, its resources, and how far each position was read. It is written in the
// same transaction as the records.
import { resources as facts } from '../resources.ts'
import { markTable, type MirrorDatabase } from './database.ts'
import {
  storedResource,
  type FinishedResource,
  type Mirror,
  type StoredResource,
  type VisibleResource,
} from './store.ts'

const tables = [
  `CREATE TABLE IF NOT EXISTS ${markTable} (mirror TEXT NOT NULL)`,
  'CREATE TABLE IF NOT EXISTS _pull_positions (name TEXT PRIMARY KEY, cursor TEXT)',
  `CREATE TABLE IF NOT EXISTS _pull_resources (
    name TEXT PRIMARY KEY,
    position TEXT,
    description TEXT NOT NULL,
    total INTEGER NOT NULL,
    is_changed INTEGER NOT NULL,
    is_reading_all INTEGER NOT NULL
  )`,
]

const inOrder = Object.keys(facts)
const placeOf = ({ resource }: StoredResource) => inOrder.indexOf(resource.name)

export async function openLedger(database: MirrorDatabase) {
  for (const table of tables) await database.rows(table)
  const { rows } = database

  async function resources(): Promise<StoredResource[]> {
    const found = await rows('SELECT * FROM _pull_resources')
    const stored = found.map((row) => ({
      resource: storedResource(String(row['description'])),
      position: row['position'] as string | null,
      total: Number(row['total']),
      isChanged: row['is_changed'] === 1,
      isReadingAll: row['is_reading_all'] === 1,
    }))
    return stored.toSorted((one, other) => placeOf(one) - placeOf(other))
  }

  const resourcesAt = async (position: string) => (await resources()).filter((each) => each.position === position)

  return {
    async mirror(): Promise<Mirror | null> {
      const [row] = await rows(`SELECT mirror FROM ${markTable}`)
      return row ? (JSON.parse(String(row['mirror'])) as Mirror) : null
    },
    async setMirror(mirror: Mirror): Promise<void> {
      await rows(`DELETE FROM ${markTable}`)
      await rows(`INSERT INTO ${markTable} (mirror) VALUES (?)`, JSON.stringify(mirror))
    },
    resources,
    resourcesAt,
    async cursorOf(position: string): Promise<string | null> {
      const [row] = await rows('SELECT cursor FROM _pull_positions WHERE name = ?', position)
      return (row?.['cursor'] ?? null) as string | null
    },
    // A resource moves to the position that reads it from now on.
    async begin(position: string, begun: readonly VisibleResource[]): Promise<void> {
      await rows('UPDATE _pull_resources SET position = NULL WHERE position = ?', position)
      await database.remove(
        '_pull_resources',
        'name',
        begun.map(({ name }) => name),
      )
      await database.insert(
        '_pull_resources',
        ['name', 'position', 'description', 'total', 'is_changed', 'is_reading_all'],
        begun.map((resource) => ({
          name: resource.name,
          position,
          description: JSON.stringify(resource),
          total: 0,
          is_changed: 1,
          is_reading_all: 1,
        })),
      )
      await rows(
        'DELETE FROM _pull_positions WHERE name NOT IN (SELECT position FROM _pull_resources WHERE position IS NOT NULL)',
      )
      await database.insert('_pull_positions', ['name', 'cursor'], [{ name: position, cursor: null }], ['name'])
    },
    async advance(position: string, cursor: string, changed: readonly string[]): Promise<void> {
      await rows('UPDATE _pull_positions SET cursor = ? WHERE name = ?', cursor, position)
      for (const name of changed) await rows('UPDATE _pull_resources SET is_changed = 1 WHERE name = ?', name)
    },
    // The rows of a table that belong to resources at this position.
    async countRows(table: string, position: string): Promise<number> {
      const [counted] = await rows(
        `SELECT count(*) AS count FROM ${table}
          WHERE resource IN (SELECT name FROM _pull_resources WHERE position = ?)`,
        position,
      )
      return Number(counted?.['count'])
    },
    async finishChanged(
      position: string,
      finish: (stored: StoredResource) => Promise<FinishedResource>,
    ): Promise<FinishedResource[]> {
      const finished: FinishedResource[] = []
      for (const stored of await resourcesAt(position)) {
        const { resource, total, isChanged } = stored
        finished.push(isChanged ? await finish(stored) : { name: resource.name, total, removed: 0 })
      }
      return finished
    },
    async settle(name: string, total: number): Promise<void> {
      await rows('UPDATE _pull_resources SET is_changed = 0, is_reading_all = 0, total = ? WHERE name = ?', total, name)
    },
    async clear(): Promise<void> {
      for (const table of ['_pull_resources', '_pull_positions', markTable]) await rows(`DELETE FROM ${table}`)
    },
  }
}
