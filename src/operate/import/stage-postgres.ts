// Stages rows in temporary tables of a PostgreSQL session, by COPY.
import type { Relation } from '../../contract/relation.ts'
import { columnType } from '../../contract/relations.ts'
import { PostgresFailure, type PostgresConnection } from '../../platform/postgres/connection.ts'
import { quote } from '../../sql/dialect.ts'
import { postgresTypes } from '../../sql/postgres-schema.ts'
import type { Stage } from './scan.ts'
import type { StagedTables } from './staged.ts'

const stageOf = ({ name }: Relation) => `pg_temp.${quote(`import_${name}`)}`
const planOf = ({ name }: Relation) => `pg_temp.${quote(`import_${name}_plan`)}`

const uniqueViolation = '23505'

export async function makeStage(
  connection: PostgresConnection,
  relation: Relation,
  { isThere, columnsOf }: Pick<StagedTables, 'isThere' | 'columnsOf'>,
): Promise<Stage> {
  const table = stageOf(relation)
  const names = Object.keys(relation.columns)
  const columns = names.map(quote).join(', ')
  const key = relation.key.map(quote).join(', ')
  const typeOf = (name: string) => postgresTypes[columnType(relation, name)]
  // The types of the relation, or of the contract where it lacks the column or does not exist yet.
  const there = columnsOf(relation)
  const selected = names.map((name) => (there.includes(name) ? quote(name) : `NULL::${typeOf(name)} AS ${quote(name)}`))
  const definitions = names.map((name) => `${quote(name)} ${typeOf(name)}`)
  await connection.script(
    isThere(relation)
      ? `CREATE TABLE ${table} AS SELECT ${selected.join(', ')}, NULL::bigint AS _line FROM ${quote(relation.name)} WITH NO DATA`
      : `CREATE TABLE ${table} (${definitions.join(', ')}, _line bigint)`,
  )
  const into = `${table} (${columns}, _line)`
  // The next batch is read while the server stores this one.
  let copying: Promise<void> = Promise.resolve()
  return {
    async add(rows) {
      await copying
      copying = connection.copy(into, rows)
      // The next call awaits it and throws its error.
      copying.catch(() => {})
    },
    async duplicates(most) {
      await copying
      const complete = `ALTER TABLE ${table} ADD PRIMARY KEY (${key}); CREATE INDEX ON ${table} (_line); ANALYZE ${table}`
      try {
        await connection.script(complete)
        return { first: [], count: 0 }
      } catch (error) {
        if (!(error instanceof PostgresFailure) || error.code !== uniqueViolation) throw error
      }
      const parent = relation.parent === undefined ? 'NULL::bigint' : quote(relation.parent)
      const again = `SELECT ${key}, ${parent} AS parent, _line, min(_line) OVER (PARTITION BY ${key}) AS first FROM ${table}`
      const rows = await connection.rows(
        `SELECT ${key}, parent, _line, first, count(*) OVER () FROM (${again}) s\n` +
          `WHERE _line <> first ORDER BY _line LIMIT greatest($1::bigint, 1)`,
        [most],
      )
      const first = rows.map((row) => ({
        key: row.slice(0, relation.key.length),
        parent: row.at(-4),
        line: Number(row.at(-3)),
        firstLine: Number(row.at(-2)),
      }))
      await connection.script(
        `DELETE FROM ${table} WHERE _line IN (SELECT _line FROM (${again}) s WHERE _line <> first); ${complete}`,
      )
      return { first: first.slice(0, most), count: Number(rows[0]?.at(-1) ?? 0) }
    },
  }
}

const linesAtOnce = 50_000

// The plan has the lines of new and changed rows.
export const stagedTables = (
  connection: PostgresConnection,
  { isThere, columnsOf }: Pick<StagedTables, 'isThere' | 'columnsOf'>,
  signal: AbortSignal,
): StagedTables => ({
  stage: stageOf,
  plan: planOf,
  table: ({ name }) => quote(name),
  planKey: () => ['_line'],
  isThere,
  columnsOf,
  signal,
  rows: (statement, values) => connection.rows(statement, values),
  affect: (statement) => connection.affect(statement),
  async fillPlan(relation, select) {
    const plan = planOf(relation)
    await connection.script(
      `DROP TABLE IF EXISTS ${plan}; CREATE TABLE ${plan} AS ${select}; CREATE INDEX ON ${plan} (_line); ANALYZE ${plan}`,
    )
  },
  async *partsOfPlan(relation) {
    const [row] = await connection.rows(`SELECT max(_line) FROM ${planOf(relation)}`)
    for (let from = 0; from <= Number(row?.[0] ?? -1); from += linesAtOnce)
      yield ['s', 'p'].map((row) => `${row}._line >= ${from} AND ${row}._line < ${from + linesAtOnce}`).join(' AND ')
  },
})
