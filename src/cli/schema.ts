// `vitrine schema apply` and `schema print`: the relations of the source contract with their indexes.
import { postgresSchema } from '../sql/postgres-schema.ts'
import { schemaScript } from '../sql/schema.ts'
import { sqliteSchema } from '../sql/sqlite-schema.ts'
import { applySchema } from '../tools/schema/apply.ts'
import { dialectFault, dialectOption, type DialectName } from './dialect-option.ts'
import { withProgress } from './with-progress.ts'
import type { Runnable } from './runnable.ts'

const dialects = { sqlite: sqliteSchema, postgres: postgresSchema }

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
  run({ options, output, settings: { databaseUrl } }) {
    const dialect = (options['dialect'] ?? databaseUrl.kind) as DialectName
    const statements = schemaScript(dialects[dialect])
    output.result({ dialect, statements }, statements.map((statement) => `${statement};`).join('\n\n'))
  },
}
