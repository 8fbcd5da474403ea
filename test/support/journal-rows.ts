// What the journal must say of each event on each relation, written by hand from the rule: the record a row belongs to, and what a
// record had before.
import { relations } from '../../src/contract/relations.ts'
import type { Relation } from '../../src/contract/relation.ts'

export interface JournalRow {
  readonly relation: string
  readonly id: number | null
  readonly kind?: number
  readonly store_id?: number
  readonly to_store_id?: number
  readonly price_list_id?: number
}

export interface Event {
  readonly name: string
  readonly sql: string
  readonly names: readonly JournalRow[]
}

const parts: Readonly<Record<string, string>> = { product_prices: 'price_list_id', product_stock: 'store_id' }

// Row 1 has kind 2 and the stores 21 and 22. Events follow one another.
export function eventsOf(relation: Relation): Event[] {
  const { name, columns, parent } = relation
  const table = `"${name}"`
  const pair = parts[name]
  if (pair !== undefined) {
    const row = (id: number, other: number): JournalRow => ({ relation: name, id, [pair]: other })
    return [
      { name: 'insert', sql: `INSERT INTO ${table} (product_id, ${pair}) VALUES (1, 5)`, names: [row(1, 5)] },
      { name: 'update', sql: `UPDATE ${table} SET product_id = 1`, names: [row(1, 5)] },
      { name: 'another list', sql: `UPDATE ${table} SET ${pair} = 6`, names: [row(1, 5), row(1, 6)] },
      { name: 'another parent', sql: `UPDATE ${table} SET product_id = 2`, names: [row(1, 6), row(2, 6)] },
      { name: 'delete', sql: `DELETE FROM ${table}`, names: [row(2, 6)] },
    ]
  }
  if (parent !== undefined) {
    const row = (id: number): JournalRow => ({ relation: name, id })
    return [
      { name: 'insert', sql: `INSERT INTO ${table} (id, ${parent}) VALUES (1, 11)`, names: [row(11)] },
      { name: 'update', sql: `UPDATE ${table} SET id = 1`, names: [row(11)] },
      { name: 'another id', sql: `UPDATE ${table} SET id = 2`, names: [row(11)] },
      { name: 'another parent', sql: `UPDATE ${table} SET ${parent} = 12`, names: [row(11), row(12)] },
      { name: 'delete', sql: `DELETE FROM ${table}`, names: [row(12)] },
    ]
  }
  const values: Record<string, number> = {
    // A table of products may lack its kind, so no trigger reads it.
    ...('kind' in columns && 'status' in columns ? { kind: 2 } : {}),
    ...('store_id' in columns ? { store_id: 21 } : {}),
    ...('from_store_id' in columns ? { from_store_id: 21, to_store_id: 22 } : {}),
  }
  const { from_store_id: from, ...others } = values
  const before = from === undefined ? others : { ...others, store_id: from }
  // A row without such values says its id in the place of the kind.
  const row = (id: number): JournalRow => ({ relation: name, id, ...(names === 'id' ? { kind: id } : before) })
  const names = ['id', ...Object.keys(values)].join(', ')
  return [
    {
      name: 'insert',
      sql: `INSERT INTO ${table} (${names}) VALUES (${[1, ...Object.values(values)].join(', ')})`,
      names: [{ relation: name, id: 1 }],
    },
    { name: 'update', sql: `UPDATE ${table} SET id = 1`, names: [row(1)] },
    { name: 'another id', sql: `UPDATE ${table} SET id = 2`, names: [row(1), { relation: name, id: 2 }] },
    { name: 'delete', sql: `DELETE FROM ${table}`, names: [row(2)] },
  ]
}

export const allEvents = relations.flatMap((relation) =>
  eventsOf(relation).map((event) => ({ ...event, name: `${relation.name}: ${event.name}` })),
)
