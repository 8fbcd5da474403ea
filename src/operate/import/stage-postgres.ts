// Rows of one relation in a temporary table of a PostgreSQL session, by COPY: nothing of it is logged, nobody waits for it, and it goes
// with the session.
import type { Relation } from '../../contract/relation.ts'
import { columnType } from '../../contract/relations.ts'
import { PostgresFailure, type PostgresConnection } from '../../platform/postgres/connection.ts'
import { quote } from '../../sql/dialect.ts'
import { postgresTypes } from '../../sql/postgres-schema.ts'
import type { Stage } from './scan.ts'

export const stageTable = ({ name }: Relation) => `pg_temp.${quote(`import_${name}`)}`

const uniqueViolation = '23505'

export async function makeStage(connection: PostgresConnection, relation: Relation, isThere: boolean): Promise<Stage> {
  const table = stageTable(relation)
  const names = Object.keys(relation.columns)
  const columns = names.map(quote).join(', ')
  const key = relation.key.map(quote).join(', ')
  // Of the very types of the relation; where it is not there yet, of those that it will have.
  const definitions = names.map((name) => `${quote(name)} ${postgresTypes[columnType(relation, name)]}`)
  await connection.script(
    isThere
      ? `CREATE TABLE ${table} AS SELECT ${columns}, NULL::bigint AS _line FROM ${quote(relation.name)} WITH NO DATA`
      : `CREATE TABLE ${table} (${definitions.join(', ')}, _line bigint)`,
  )
  const into = `${table} (${columns}, _line)`
  // While the server takes one batch in, the next is read.
  let copying: Promise<void> = Promise.resolve()
  return {
    async add(rows) {
      await copying
      copying = connection.copy(into, rows)
      // It is awaited, and its failure told, with the next.
      copying.catch(() => {})
    },
    async duplicates(most) {
      await copying
      try {
        await connection.script(
          `ALTER TABLE ${table} ADD PRIMARY KEY (${key}); CREATE INDEX ON ${table} (_line); ANALYZE ${table}`,
        )
        return { first: [], count: 0 }
      } catch (error) {
        if (!(error instanceof PostgresFailure) || error.code !== uniqueViolation) throw error
      }
      const again =
        `SELECT ${key}, _line, first, count(*) OVER () FROM (\n` +
        `  SELECT ${key}, _line, min(_line) OVER (PARTITION BY ${key}) AS first FROM ${table}) s\n` +
        `WHERE _line <> first ORDER BY _line LIMIT greatest($1::bigint, 1)`
      const rows = await connection.rows(again, [most])
      const first = rows.map((row) => ({
        key: row.slice(0, relation.key.length),
        line: Number(row.at(-3)),
        firstLine: Number(row.at(-2)),
      }))
      return { first: first.slice(0, most), count: Number(rows[0]?.at(-1) ?? 0) }
    },
  }
}
