// A mirror as tables of a SQLite file: one for each resource, with a column for each field, and one for each array
// (`invoices`, `invoices_lines`).
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { FieldDescription, ResourceDescription } from '../client.ts'
import { ownerColumn, ofShape, shapeOf, type PulledRecord, type Store } from './store.ts'
import { openLedger } from './ledger.ts'

type SqlValue = string | number | null

export function openTablesStore(path: string): Store {
  const ledger = openLedger(path)
  const writers = new Map<string, (record: PulledRecord) => void>()
  const { database } = ledger
  const drop = (tables: readonly Table[]) =>
    tables.forEach(({ name }) => database.exec(`DROP TABLE IF EXISTS ${quoted(name)}`))
  return {
    ...ledger,
    begin(resource) {
      const { shape } = ledger.progressOf(resource.name)
      const kept = new Set(tablesOf(resource).map(({ name }) => name))
      if (shape !== null) drop(tablesOf(ofShape(resource.name, shape)).filter(({ name }) => !kept.has(name)))
      ledger.begin(resource.name, shapeOf(resource))
    },
    names: () => ledger.shapes().map(({ name }) => name),
    clear() {
      for (const { name, shape } of ledger.shapes()) drop(tablesOf(ofShape(name, shape)))
      ledger.clear()
    },
    open(resource) {
      for (const table of tablesOf(resource)) makeTable(database, table)
      writers.set(resource.name, writerOf(database, tablesOf(resource)))
    },
    save(name, records, cursor) {
      const ids = records.map(({ id }) => id)
      ledger.advance(name, ids, cursor, () => records.forEach(writers.get(name) ?? unopened))
    },
    finish(resource) {
      const removers = tablesOf(resource).map(({ name, key }) =>
        database.prepare(`DELETE FROM ${quoted(name)} WHERE ${quoted(key)} = ?`),
      )
      ledger.settle(resource.name, (id) => removers.forEach((remover) => remover.run(id)))
      return ledger.countOf(resource.name)
    },
  }
}

const unopened = () => {
  throw new Error('the resource was not opened')
}

interface Table {
  readonly name: string
  // The column of the record's id.
  readonly key: string
  // null: the records themselves.
  readonly array: string | null
  readonly fields: readonly FieldDescription[]
}

function tablesOf({ name, fields }: ResourceDescription): Table[] {
  const table = name.replaceAll('-', '_')
  return [
    { name: table, key: 'id', array: null, fields: fields.filter(({ items }) => !items) },
    ...fields.flatMap(({ name: array, items }) =>
      items ? [{ name: `${table}_${array}`, key: ownerColumn(name), array, fields: items }] : [],
    ),
  ]
}

const types: Readonly<Record<string, string>> = {
  integer: 'INTEGER',
  number: 'REAL',
  string: 'TEXT',
  boolean: 'INTEGER',
}
const columnOf = ({ name, type }: FieldDescription) =>
  `${quoted(name)} ${Object.hasOwn(types, type) ? types[type] : 'TEXT'}`

// A new field becomes a new column.
function makeTable(database: DatabaseSync, { name, key, array, fields }: Table): void {
  const [keys, primary] =
    array === null
      ? [[], `PRIMARY KEY ("id")`]
      : [[`${quoted(key)} INTEGER`, '"position" INTEGER'], `PRIMARY KEY (${quoted(key)}, "position")`]
  const columns = [...keys, ...fields.map(columnOf), primary]
  database.exec(`CREATE TABLE IF NOT EXISTS ${quoted(name)} (${columns.join(', ')})`)
  const there = new Set(
    database
      .prepare(`SELECT name FROM pragma_table_info(?)`)
      .all(name)
      .map((row) => row['name']),
  )
  for (const field of fields)
    if (!there.has(field.name)) database.exec(`ALTER TABLE ${quoted(name)} ADD COLUMN ${columnOf(field)}`)
}

function writerOf(database: DatabaseSync, tables: readonly Table[]): (record: PulledRecord) => void {
  const prepared = tables.map((table) => {
    const names = [...(table.array === null ? [] : [table.key, 'position']), ...table.fields.map(({ name }) => name)]
    const marks = names.map(() => '?').join(', ')
    return {
      ...table,
      remove: database.prepare(`DELETE FROM ${quoted(table.name)} WHERE ${quoted(table.key)} = ?`),
      insert: database.prepare(`INSERT INTO ${quoted(table.name)} (${names.map(quoted).join(', ')}) VALUES (${marks})`),
    }
  })
  return (record) => {
    for (const { array, fields, remove, insert } of prepared) {
      remove.run(record.id)
      if (array === null) insertRow(insert, [], fields, record)
      else
        ((record[array] ?? []) as Readonly<Record<string, unknown>>[]).forEach((item, at) =>
          insertRow(insert, [record.id, at + 1], fields, item),
        )
    }
  }
}

function insertRow(
  insert: StatementSync,
  keys: readonly number[],
  fields: readonly FieldDescription[],
  item: Readonly<Record<string, unknown>>,
): void {
  insert.run(...keys, ...fields.map(({ name }) => cellOf(item[name])))
}

const cellOf = (value: unknown): SqlValue =>
  typeof value === 'boolean' ? Number(value) : ((value ?? null) as string | number | null)
const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
