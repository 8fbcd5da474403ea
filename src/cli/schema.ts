// `vitrine schema apply`, `schema remove`, `schema prune` and `schema print`: the relations of the source contract, and the journal.
import { OperatorError } from '../errors.ts'
import { keptRows, keptRowsRange } from '../sql/journalled.ts'
import { countOption, dialect, type DialectName } from './options.ts'
import { withProgress } from './output.ts'
import type { CommandContext, Runnable } from './command.ts'

const journalRows = countOption({
  name: 'journal-rows',
  defaultValue: undefined,
  minimum: keptRowsRange.least,
  maximum: keptRowsRange.most,
  counts: 'How many rows the journal keeps',
  defaultText: `as many as now, at first ${keptRows}`,
  more: ' The change feed reaches back as far as they do. A smaller number takes effect bit by bit, as the tills write.',
})

export const schemaApply: Runnable = {
  name: 'schema apply',
  isStateless: true,
  summary: 'Makes the relations of the source contract and the journal in the connected database.',
  details:
    'Announces its steps, then runs them. Tills can write meanwhile: indexes are built concurrently on PostgreSQL, and on SQLite ' +
    'the work pauses for them. It makes missing relations and empty columns, an index for each relation of parts (lines, payments), and one journal: ' +
    'the table vitrine_journal, in which triggers note which records changed, so that lists need not be searched in the database. ' +
    'It changes nothing else.\n\n' +
    'It can be repeated. Run it again when "check" reports that the journal is missing or changed.',
  options: [journalRows.option],
  check: journalRows.check,
  run: (context) => changeSchema(context, 'applySchema', 'the relations and the journal are in place in'),
}

export const schemaRemove: Runnable = {
  name: 'schema remove',
  isStateless: true,
  summary: 'Removes everything that Vitrine made from the connected database, except the relations.',
  details:
    'Announces its steps, then runs them: it removes the journal with its triggers and functions. ' +
    'Relations, rows, keys and the indexes of parts stay. The service keeps working, but without the change feed, and finds lists by plain SQL, which is slower ' +
    'for large relations. Run it before an upgrade of the POS that changes its tables, and "schema apply" after it. ' +
    'A copy needs its journal and is refused: delete it as a whole.',
  run: (context) => changeSchema(context, 'removeSchema', 'nothing of ours but the relations is left in'),
}

export const schemaPrune: Runnable = {
  name: 'schema prune',
  isStateless: true,
  summary: 'Deletes rows of the journal beyond the number that it keeps.',
  details:
    'Tills do this themselves as they write, except in PostgreSQL transactions of the isolation SERIALIZABLE, where it could fail a sale. ' +
    'If "check" reports that the journal has grown too long, run this by a timer, once an hour, as the role that ran "schema apply". ' +
    'Tills can write meanwhile. Rows that an open transaction may not have seen stay.',
  async run({ settings: { databaseUrl }, output }) {
    if (databaseUrl.kind === 'sqlite')
      throw new OperatorError('The tills of a SQLite file delete old rows themselves: there is nothing to do.')
    const { prunePostgres } = await import('../operate/schema/prune.ts')
    const pruned = await prunePostgres(databaseUrl)
    const { database, deleted, rows, keptRows: most } = pruned
    output.result(
      pruned,
      `Deleted ${written(deleted)} rows: the journal in ${database} has ${written(rows)} of at most ${written(most)}.`,
    )
  },
}

const written = (count: number) => count.toLocaleString('en-US')

async function changeSchema(
  { options, settings: { databaseUrl }, output }: CommandContext,
  change: 'applySchema' | 'removeSchema',
  outcome: string,
): Promise<void> {
  const schema = await import('../operate/schema/apply.ts')
  const { database, steps } = await withProgress(output, (onProgress, remark) =>
    schema[change](databaseUrl, {
      onProgress,
      remark,
      journalRows: journalRows.valueOf(options),
      ...(output.isJson ? {} : { announce: remark }),
    }),
  )
  output.result({ database, steps }, `${steps.length > 0 ? 'Done' : 'Nothing to do'}: ${outcome} ${database}.`)
}

export const schemaPrint: Runnable = {
  name: 'schema print',
  isStateless: true,
  summary: 'Prints the statements that "schema apply" runs on an empty database.',
  options: [dialect.option],
  check: dialect.check,
  async run({ options, output, settings: { databaseUrl } }) {
    const [{ schemaScript }, { sqliteSchema }, { postgresSchema }] = await Promise.all([
      import('../sql/schema.ts'),
      import('../sql/sqlite-schema.ts'),
      import('../sql/postgres-schema.ts'),
    ])
    const name = (options['dialect'] ?? databaseUrl.kind) as DialectName
    const statements = schemaScript({ sqlite: sqliteSchema, postgres: postgresSchema }[name])
    output.result({ dialect: name, statements }, statements.map((statement) => `${statement};`).join('\n\n'))
  },
}
