// The store of a mirror in a database: what the mirror knows about itself (its service and key, its resources, how far each
// position was read) is written in the same transaction as the records. `Content` holds the records.
import { resources as facts } from '../resources.ts'
import { markTable, type MirrorDatabase } from './database.ts'
import {
  storedResource,
  type Entry,
  type FinishedResource,
  type Mirror,
  type Store,
  type StoredResource,
  type VisibleResource,
} from './store.ts'

// The records of a mirror: in tables, or in files.
export interface Content {
  // A table of this database with columns `resource` and `id`: the records that came while everything is read again.
  readonly cameTable: string
  // Makes room for a resource. `before` is how it was stored until now.
  begin(resource: VisibleResource, before: VisibleResource | undefined): Promise<void>
  write(stored: StoredResource, entries: readonly Entry[]): Promise<void>
  // Removes what is gone, and calls `settle` with the number of records, in one transaction with the last change.
  finish(stored: StoredResource, settle: (total: number) => Promise<void>): Promise<Omit<FinishedResource, 'name'>>
  remove(resource: VisibleResource): Promise<void>
  damaged(resource: VisibleResource): Promise<string | null>
}

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

export async function readMirror({ rows }: MirrorDatabase): Promise<Mirror | null> {
  const [row] = await rows(`SELECT mirror FROM ${markTable}`)
  return row ? (JSON.parse(String(row['mirror'])) as Mirror) : null
}

export async function openStore(database: MirrorDatabase, content: Content): Promise<Store> {
  const { rows, inTransaction } = database
  const { cameTable } = content
  for (const table of tables) await rows(table)

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

  async function finish(stored: StoredResource): Promise<FinishedResource> {
    const { name } = stored.resource
    if (!stored.isChanged) return { name, total: stored.total, removed: 0 }
    const counts = await content.finish(stored, async (total) => {
      await rows(`DELETE FROM ${cameTable} WHERE resource = ?`, name)
      await rows('UPDATE _pull_resources SET is_changed = 0, is_reading_all = 0, total = ? WHERE name = ?', total, name)
    })
    return { name, ...counts }
  }

  return {
    mirror: () => readMirror(database),
    async setMirror(mirror) {
      await rows(`DELETE FROM ${markTable}`)
      await rows(`INSERT INTO ${markTable} (mirror) VALUES (?)`, JSON.stringify(mirror))
    },
    clear: () =>
      inTransaction(async () => {
        for (const { resource } of await resources()) await content.remove(resource)
        for (const table of [cameTable, '_pull_resources', '_pull_positions', markTable])
          await rows(`DELETE FROM ${table}`)
      }),
    resources,
    resourcesAt,
    async cursorOf(position) {
      const [row] = await rows('SELECT cursor FROM _pull_positions WHERE name = ?', position)
      return (row?.['cursor'] ?? null) as string | null
    },
    // A resource moves to the position that reads it from now on.
    begin: (position, begun) =>
      inTransaction(async () => {
        const stored = new Map((await resources()).map(({ resource }) => [resource.name, resource]))
        await rows('UPDATE _pull_resources SET position = NULL WHERE position = ?', position)
        for (const resource of begun) {
          await content.begin(resource, stored.get(resource.name))
          await rows(`DELETE FROM ${cameTable} WHERE resource = ?`, resource.name)
          await rows('DELETE FROM _pull_resources WHERE name = ?', resource.name)
          await rows(
            'INSERT INTO _pull_resources (name, position, description, total, is_changed, is_reading_all) VALUES (?, ?, ?, 0, 1, 1)',
            resource.name,
            position,
            JSON.stringify(resource),
          )
        }
        await rows(
          'DELETE FROM _pull_positions WHERE name NOT IN (SELECT position FROM _pull_resources WHERE position IS NOT NULL)',
        )
        await database.insert('_pull_positions', ['name', 'cursor'], [{ name: position, cursor: null }], ['name'])
      }),
    save: (position, entries, cursor) =>
      inTransaction(async () => {
        for (const stored of await resourcesAt(position)) {
          const own = entries.filter(({ resource }) => resource === stored.resource.name)
          if (own.length === 0) continue
          await content.write(stored, own)
          await rows('UPDATE _pull_resources SET is_changed = 1 WHERE name = ?', stored.resource.name)
        }
        await rows('UPDATE _pull_positions SET cursor = ? WHERE name = ?', cursor, position)
      }),
    async readSoFar(position) {
      const [counted] = await rows(
        `SELECT count(*) AS count FROM ${cameTable}
          WHERE resource IN (SELECT name FROM _pull_resources WHERE position = ?)`,
        position,
      )
      return Number(counted?.['count'])
    },
    async finish(position) {
      const finished: FinishedResource[] = []
      for (const stored of await resourcesAt(position)) finished.push(await finish(stored))
      return finished
    },
    async damaged(position) {
      for (const { resource, isReadingAll } of await resourcesAt(position)) {
        const file = isReadingAll ? null : await content.damaged(resource)
        if (file !== null) return file
      }
      return null
    },
    close: () => database.close(),
  }
}
