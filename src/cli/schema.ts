// `vitrine schema apply`, `schema remove` and `schema print`: the relations of the source contract, and the journal.
import { dialectFault, dialectOption, type DialectName } from './dialect-option.ts'
import { withProgress } from './with-progress.ts'
import type { Runnable } from './runnable.ts'

export const schemaApply: Runnable = {
  name: 'schema apply',
  isStateless: true,
  summary: 'Makes the relations of the source contract and the journal in the connected database.',
  details:
    'Says what it will do to the database, then does it, while tills write: on PostgreSQL concurrently, on SQLite in turns with them. ' +
    'It makes relations that are missing, for each relation of parts (lines, payments) an index by its record, and one journal: a ' +
    'table, vitrine_journal, into which triggers write which records changed. With it, lists and totals cost the same at any size. ' +
    'It removes what earlier versions made (counts, search tables, indexes), and leaves everything else alone.\n\n' +
    'Can be repeated. Run it again when "check" finds the journal missing or changed.',
  operands: [],
  options: [],
  async run({ settings: { databaseUrl }, output }) {
    const { applySchema } = await import('../operate/schema/apply.ts')
    const { database, steps } = await withProgress(output, (onProgress, remark) =>
      applySchema(databaseUrl, { onProgress, remark, ...(output.isJson ? {} : { announce: remark }) }),
    )
    const text =
      steps.length > 0 ? 'Done: the relations and the journal are' : 'Nothing to do: the relations and the journal are'
    output.result({ database, steps }, `${text} in place in ${database}.`)
  },
}

export const schemaRemove: Runnable = {
  name: 'schema remove',
  isStateless: true,
  summary: 'Removes everything of ours from the connected database, except the relations and their rows.',
  details:
    'Says what it will do to the database, then does it: removes the journal with its triggers and functions, and what earlier versions ' +
    'made. Relations, rows, keys and the indexes by which the parts of a record are found stay. The service goes on working; lists are ' +
    'then found by plain SQL, slower with size. Run it before an upgrade of the POS that changes its tables, and "schema apply" after it.',
  operands: [],
  options: [],
  async run({ settings: { databaseUrl }, output }) {
    const { removeSchema } = await import('../operate/schema/apply.ts')
    const { database, steps } = await withProgress(output, (onProgress, remark) =>
      removeSchema(databaseUrl, { onProgress, remark, ...(output.isJson ? {} : { announce: remark }) }),
    )
    const text = steps.length > 0 ? 'Done: nothing' : 'Nothing to do: nothing'
    output.result({ database, steps }, `${text} of ours but the relations is left in ${database}.`)
  },
}

export const schemaPrint: Runnable = {
  name: 'schema print',
  isStateless: true,
  summary: 'Prints the statements that "schema apply" runs on an empty database.',
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
