// The shape of a schema in PostgreSQL.
import { relations } from '../../contract/relations.ts'
import { readable, readColumns } from '../../engine/postgres/check.ts'
import type { PostgresConnection } from '../../platform/postgres/connection.ts'
import type { PostgresUrl } from '../../platform/postgres/url.ts'
import { journalTable } from '../../sql/journalled.ts'
import { findJournal, plainTables } from '../schema/journal-of-postgres.ts'
import type { ColumnShape, RelationShape, Shape } from './shape.ts'

// pg_class.relkind
const kinds: Readonly<Record<string, string>> = {
  r: 'table',
  p: 'partitioned table',
  v: 'view',
  m: 'materialized view',
  f: 'foreign table',
}

// A relation with its kind and the columns of each unique index that leaves no row out and no column empty.
const kindsQuery = `
  SELECT c.relname::text, c.relkind::text,
    (SELECT json_agg(k.names) FROM pg_catalog.pg_index i CROSS JOIN LATERAL (
       SELECT json_agg(a.attname ORDER BY a.attname) AS names, bool_and(a.attnotnull) AS filled, count(*) AS columns
       FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attnum = ANY (i.indkey[0:i.indnkeyatts - 1])) k
     WHERE i.indrelid = c.oid AND i.indisunique AND i.indisvalid AND i.indpred IS NULL
       AND k.filled AND k.columns = i.indnkeyatts)::text
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND c.relname = ANY ($2)`

export async function postgresShape(connection: PostgresConnection, url: PostgresUrl): Promise<Shape> {
  const columns = await readColumns(connection, url)
  const rows = await connection.rows(kindsQuery, [url.schema, relations.map(({ name }) => name)])
  const known = new Map(rows.map(([name, ...rest]) => [name, rest]))
  const found = relations.flatMap((relation): [string, RelationShape][] => {
    const own = columns.get(relation.name)
    const [code, unique] = known.get(relation.name) ?? []
    if (!own || code === undefined) return []
    const kind = kinds[String(code)] ?? String(code)
    const keys = (typeof unique === 'string' ? JSON.parse(unique) : []) as string[][]
    const shapes = [...own].map(([name, { type, isReadable }]): [string, ColumnShape] => {
      const wanted = relation.columns[name]
      return [name, { type, isReadable, isRight: wanted === undefined || readable[wanted].includes(type) }]
    })
    return [
      [
        relation.name,
        {
          isTable: kind === 'table' || kind === 'materialized view',
          kind,
          columns: new Map(shapes),
          isKeyed: keys.some((names) => names.join() === relation.key.toSorted().join()),
          isStrict: true,
        },
      ],
    ]
  })
  const journal = await findJournal(connection, await plainTables(connection))
  const [right] = await connection.rows(`SELECT has_table_privilege(to_regclass($1), 'SELECT')`, [journalTable])
  return {
    relations: new Map(found),
    broken: new Map(),
    journal: { ...journal, isReadable: right?.[0] === true },
  }
}
