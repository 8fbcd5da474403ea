// `vitrine import DIR`: loads files named after the relations into the connected database, all or nothing.
import { resolve } from 'node:path'
import type { ImportOptions, ImportResult } from '../operate/import/run.ts'
import { secondsSince } from '../operate/progress.ts'
import { refusal, untilInterrupted, whole } from './importing.ts'
import { countOption } from './options.ts'
import { table, type Output } from './output.ts'
import type { Runnable } from './command.ts'

const counts = 'How many faults to show'
const mostFaults = countOption({ name: 'faults', defaultValue: 100, maximum: 100_000, counts })

export const importCommand: Runnable = {
  name: 'import',
  isStateless: true,
  summary: 'Loads CSV or NDJSON files named after the relations, all or nothing.',
  details:
    'The folder contains one file for each relation: invoices.csv or invoices.ndjson, also compressed (.gz). CSV has a header row, ' +
    'with the columns in any order, and is separated by semicolons or commas; NDJSON has one JSON object on each line. Text is UTF-8. ' +
    'All files are checked first; if anything is wrong, every fault is shown with its file, line and column, and nothing is changed.\n\n' +
    'A row replaces the whole row with the same key: a column that is empty or missing in the file becomes empty. So an import can be ' +
    'repeated. Relations without a file do not change. Missing relations are made, with their indexes and the journal.\n\n' +
    'The service can run meanwhile: its callers see all of the import or nothing, and do not wait. Tills that write to the same ' +
    'database wait only while rows are written, not while files are checked.',
  operands: [{ name: 'DIR', help: 'The folder with the files.' }],
  options: [
    { name: 'delete-missing', help: 'Deletes rows whose key is not in the file of their relation.' },
    { name: 'dry-run', help: 'Checks everything and shows what would change, without changing it.' },
    { name: 'decimal-comma', help: 'Reads numbers in CSV files with a decimal comma: 12,50.' },
    mostFaults.option,
  ],
  check: mostFaults.check,
  async run({ operands, options, flags, settings: { databaseUrl }, output }) {
    const { importFolder } = await import('../operate/import/run.ts')
    const startedAt = performance.now()
    const isDryRun = flags.has('dry-run')
    const deletesMissing = flags.has('delete-missing')
    const imported = await untilInterrupted(output, (given) =>
      importFolder(databaseUrl, resolve(operands[0] ?? ''), {
        ...given,
        deletesMissing,
        isDryRun,
        hasDecimalComma: flags.has('decimal-comma'),
        mostFaults: mostFaults.valueOf(options),
      }),
    )
    if ('faults' in imported) throw refusal(imported.faults, output, '; --faults shows more')
    showResult(imported, { isDryRun, deletesMissing }, secondsSince(startedAt), output)
  },
}

function showResult(
  { database, relations, ignored, remarks }: ImportResult,
  { isDryRun, deletesMissing }: Pick<ImportOptions, 'isDryRun' | 'deletesMissing'>,
  seconds: number,
  output: Output,
) {
  if (ignored.length > 0) output.remark(`Not read: ${ignored.join(', ')}.`)
  for (const { file, relation, read, deleted } of relations)
    if (deletesMissing && read === 0)
      output.remark(
        `${file} has no rows: ${isDryRun ? 'all' : `all ${whole(deleted)}`} rows of ${relation} ${isDryRun ? 'would be' : 'were'} deleted.`,
      )
  const counted = ['read', 'new', 'changed', 'unchanged', ...(deletesMissing ? (['deleted'] as const) : [])] as const
  const rows = relations.map((each) => [each.relation, ...counted.map((name) => whole(each[name]))])
  const done = isDryRun
    ? `Everything is right; nothing was changed in ${database}.`
    : `Imported into ${database} in ${seconds} s.`
  output.result(
    { database, dry_run: isDryRun, seconds, relations, ignored, remarks },
    `${table([['RELATION', ...counted.map((name) => name.toUpperCase())], ...rows])}\n\n${done}`,
  )
}
