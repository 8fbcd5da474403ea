// `vitrine schema apply` and `schema print`: the relations of the source contract with their indexes.
import { dialectFault, dialectOption, type DialectName } from './dialect-option.ts'
import { withProgress } from './with-progress.ts'
import type { Runnable } from './runnable.ts'

export const schemaApply: Runnable = {
  name: 'schema apply',
  isStateless: true,
  summary: 'Makes the relations of the source contract, with their indexes and tallies, in the connected database.',
  details:
    'Can be repeated: what is there already stays as it is, but counts and search indexes that may have missed something are made ' +
    'anew. It is done while others write: on PostgreSQL concurrently, on SQLite in turns with them. Tallies are tables and triggers ' +
    'that count documents as they are written, so that totals and deep pages cost the same at any size.\n\n' +
    'Leave the tables whose names hold _tally and _search out of whatever copies data. If somebody else wrote to them, nothing ' +
    'else can tell: use --rebuild.',
  operands: [],
  options: [{ name: 'rebuild', help: 'Makes counts and search indexes anew, even where they seem to be in order.' }],
  async run({ settings: { databaseUrl }, output, flags }) {
    const { applySchema } = await import('../tools/schema/apply.ts')
    const { database, statements } = await withProgress(output, (onProgress, remark) =>
      applySchema(databaseUrl, { onProgress, remark, rebuild: flags.has('rebuild') }),
    )
    output.result({ database, statements }, `The relations are in place in ${database}.`)
  },
}

export const schemaPrint: Runnable = {
  name: 'schema print',
  isStateless: true,
  summary: 'Prints the statements that make the relations, with their indexes and tallies.',
  operands: [],
  options: [dialectOption],
  check: dialectFault,
  async run({ options, output, settings: { databaseUrl } }) {
    const [{ schemaScript }, { sqliteSchema }, { postgresSchema }] = await Promise.all([
      import('../sql/schema.ts'),
      import('../sql/sqlite-schema.ts'),
      import('../sql/postgres-schema.ts'),
    ])
    const dialect = (options['dialect'] ?? databaseUrl.kind) as DialectName
    const statements = schemaScript({ sqlite: sqliteSchema, postgres: postgresSchema }[dialect])
    output.result({ dialect, statements }, statements.map((statement) => `${statement};`).join('\n\n'))
  },
}
