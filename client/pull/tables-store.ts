// A mirror as tables of a database: one for each resource, with a column for each field, and one for each array (`invoices`,
// `invoices_lines`).
import type { FieldDescription } from '../client.ts'
import { quoted, type MirrorDatabase, type Row } from './database.ts'
import { openStore } from './ledger.ts'
import { ownerColumn, type Entry, type Store, type VisibleResource } from './store.ts'

const seenTable = '_pull_seen'

export async function openTablesStore(database: MirrorDatabase): Promise<Store> {
  const { rows } = database
  await rows(`CREATE TABLE IF NOT EXISTS ${seenTable} (resource TEXT, id BIGINT, PRIMARY KEY (resource, id))`)
  const drop = async (tables: readonly Table[]) => {
    // Arrays first: they refer to their records.
    for (const { name } of tables.toReversed()) await rows(`DROP TABLE IF EXISTS ${quoted(name)}`)
  }
  return await openStore(database, {
    cameTable: seenTable,
    async begin(resource, before) {
      const tables = tablesOf(resource)
      const kept = new Set(tables.map(({ name }) => name))
      if (before) await drop(tablesOf(before).filter(({ name }) => !kept.has(name)))
      for (const table of tables) await makeTable(database, table, resource.name)
    },
    async write({ resource, isReadingAll }, entries) {
      await write(database, tablesOf(resource), entries)
      if (isReadingAll) await noteSeen(database, resource.name, entries)
    },
    finish: ({ resource, isReadingAll }, settle) =>
      database.inTransaction(async () => {
        const table = quoted(tableOf(resource.name))
        let removed = 0
        if (isReadingAll) {
          const seen = `SELECT 1 FROM ${seenTable} WHERE resource = ? AND ${seenTable}.id = ${table}.id`
          const gone = await rows(`DELETE FROM ${table} WHERE NOT EXISTS (${seen}) RETURNING id`, resource.name)
          removed = gone.length
        }
        const [counted] = await rows(`SELECT count(*) AS count FROM ${table}`)
        const total = Number(counted?.['count'])
        await settle(total)
        return { total, removed }
      }),
    remove: (resource) => drop(tablesOf(resource)),
    damaged: async () => null,
  })
}

interface Table {
  readonly name: string
  // The column of the record's id.
  readonly key: string
  // null: the records themselves.
  readonly array: string | null
  readonly fields: readonly FieldDescription[]
}

const tableOf = (name: string) => name.replaceAll('-', '_')
const columnsOf = ({ array, key, fields }: Table) => [
  ...(array === null ? [] : [key, 'position']),
  ...fields.map(({ name }) => name),
]

function tablesOf({ name, fields }: VisibleResource): Table[] {
  const table = tableOf(name)
  return [
    { name: table, key: 'id', array: null, fields: fields.filter(({ items }) => !items) },
    ...fields.flatMap(({ name: array, items }) =>
      items ? [{ name: `${table}_${array}`, key: ownerColumn(name), array, fields: items }] : [],
    ),
  ]
}

// A new field becomes a new column; a field that the key no longer sees becomes an empty one.
async function makeTable(database: MirrorDatabase, table: Table, resource: string): Promise<void> {
  const { name, key, array, fields } = table
  const columnOf = (field: FieldDescription) => `${quoted(field.name)} ${database.typeOf(field)}`
  const integer = database.typeOf({ type: 'integer' })
  const keys =
    array === null
      ? []
      : [
          `${quoted(key)} ${integer} NOT NULL REFERENCES ${quoted(tableOf(resource))} ON DELETE CASCADE`,
          `"position" ${integer} NOT NULL`,
        ]
  const primary = `PRIMARY KEY (${[key, ...(array === null ? [] : ['position'])].map(quoted).join(', ')})`
  await database.rows(
    `CREATE TABLE IF NOT EXISTS ${quoted(name)} (${[...keys, ...fields.map(columnOf), primary].join(', ')})`,
  )
  const there = await database.columns(name)
  for (const field of fields)
    if (!there.includes(field.name)) await database.rows(`ALTER TABLE ${quoted(name)} ADD COLUMN ${columnOf(field)}`)
  const seen = columnsOf(table)
  for (const column of there.filter((column) => !seen.includes(column)))
    await database.rows(`UPDATE ${quoted(name)} SET ${quoted(column)} = NULL WHERE ${quoted(column)} IS NOT NULL`)
  await database.comment(
    name,
    null,
    `${array === null ? resource : `${array} of ${resource}`}: kept by vitrine pull, which overwrites changes made here.`,
  )
  for (const field of fields) await database.comment(name, field.name, commentOf(field))
}

function commentOf({ format, values, permission }: FieldDescription): string {
  return [
    ...(values ? [`One of: ${values.join(', ')}.`] : []),
    ...(format === 'date-time' ? ["The local time of the company's server, without a zone."] : []),
    ...(permission ? [`Seen with the permission ${permission}.`] : []),
  ].join(' ')
}

async function write(database: MirrorDatabase, tables: readonly Table[], entries: readonly Entry[]): Promise<void> {
  const records = new Map(entries.map((entry) => [entry.id, entry.change === 'record' ? entry.record : null]))
  const ids = [...records.keys()]
  const there = [...records.values()].filter((record) => record !== null)
  for (const table of tables) {
    const { name, key, array } = table
    if (array === null) {
      // This removes their arrays, too.
      await database.remove(
        name,
        key,
        ids.filter((id) => records.get(id) === null),
      )
      await database.insert(name, columnsOf(table), there, [key])
    } else {
      await database.remove(name, key, ids)
      const items = there.flatMap((record) =>
        ((record[array] ?? []) as Row[]).map((item, at) => ({ ...item, [key]: record.id, position: at + 1 })),
      )
      await database.insert(name, columnsOf(table), items)
    }
  }
}

// Records that are gone need no note: `write` has removed them.
async function noteSeen(database: MirrorDatabase, resource: string, entries: readonly Entry[]): Promise<void> {
  const ids = new Set(entries.filter(({ change }) => change === 'record').map(({ id }) => id))
  await database.insert(
    seenTable,
    ['resource', 'id'],
    Array.from(ids, (id) => ({ resource, id })),
    ['resource', 'id'],
  )
}
