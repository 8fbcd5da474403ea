// Columns that the tables of a POS lack: they are dropped, and made and filled again, by statements that both engines know.
import { findRelation, relations } from '../../src/contract/relations.ts'
import type { Relation } from '../../src/contract/relation.ts'
import type { SchemaDialect } from '../../src/sql/dialect.ts'
import { postgresTypes } from '../../src/sql/postgres-schema.ts'
import { addColumns } from '../../src/sql/schema.ts'
import { sqliteTypes } from '../../src/sql/sqlite-schema.ts'
import { engineUnderTest } from './place.ts'
import type { Lacking } from './pos.ts'

const deciding = new Set(['kind', 'status', 'store_id', 'from_store_id', 'to_store_id'])

/** The columns that the source contract does not require: written down here by hand. */
export function optionalColumns({ name, columns }: Relation): string[] {
  const all = Object.keys(columns)
  // The key, or the id and that of the document that the row belongs to.
  const keys = /^product_(prices|stock)$|_(lines|payments|applications)/.test(name) ? all.slice(0, 2) : all.slice(0, 1)
  return all.filter((column) => !keys.includes(column) && !(columns['status'] && deciding.has(column)))
}

export const allOptional: Lacking = Object.fromEntries(relations.map((each) => [each.name, optionalColumns(each)]))

/** A schema whose tables lack these columns. */
export const lackingSchema = (dialect: SchemaDialect, lacking: Lacking = {}): SchemaDialect => ({
  ...dialect,
  tables(relation) {
    const columns = Object.entries(relation.columns).filter(([column]) => !lacking[relation.name]?.includes(column))
    return dialect.tables({ ...relation, columns: Object.fromEntries(columns) })
  },
})

const each = (lacking: Lacking, write: (relation: Relation, columns: readonly string[]) => string[]) =>
  Object.entries(lacking)
    .filter(([, columns]) => columns.length > 0)
    .flatMap(([name, columns]) => write(findRelation(name), columns))
    .join('; ')

export const dropColumns = (lacking: Lacking): string =>
  each(lacking, ({ name }, columns) => columns.map((column) => `ALTER TABLE ${name} DROP COLUMN "${column}"`))

export const emptyColumns = (lacking: Lacking): string =>
  each(lacking, ({ name }, columns) => [
    `UPDATE ${name} SET ${columns.map((column) => `"${column}" = NULL`).join(', ')}`,
  ])

const types = engineUnderTest === 'postgres' ? postgresTypes : sqliteTypes

export const makeColumns = (lacking: Lacking): string =>
  each(lacking, (relation, columns) => addColumns(relation, columns, types))

/** Puts all rows aside, so that columns can be filled again. */
export const keepRows = (): string =>
  relations.map(({ name }) => `CREATE TABLE kept_${name} AS SELECT * FROM ${name}`).join('; ')

export const fillColumns = (lacking: Lacking): string =>
  each(lacking, ({ name, key }, columns) => {
    const row = key.map((column) => `k."${column}" = ${name}."${column}"`).join(' AND ')
    const sets = columns.map((column) => `"${column}" = (SELECT k."${column}" FROM kept_${name} k WHERE ${row})`)
    return [`UPDATE ${name} SET ${sets.join(', ')}`]
  })
