// `vitrine import DIR`: loads files named after the relations into the connected database, all or nothing.
import { resolve } from 'node:path'
import process from 'node:process'
import { OperatorError } from '../errors.ts'
import { faultText, type Faults } from '../operate/import/faults.ts'
import type { Imported } from '../operate/import/run.ts'
import { countOption } from './count-option.ts'
import { table, type Output } from './output.ts'
import type { Runnable } from './runnable.ts'
import { withProgress } from './with-progress.ts'

const mostFaults = countOption({ name: 'faults', usual: 100, most: 100_000, counts: 'How many faults to tell' })

export const importCommand: Runnable = {
  name: 'import',
  isStateless: true,
  summary: 'Loads CSV or NDJSON files named after the relations, all or nothing.',
  details:
    'The folder holds one file a relation: invoices.csv or invoices.ndjson, also compressed (.gz). CSV has a header row, in any ' +
    'order of the columns, and is separated by semicolons or commas; NDJSON is one JSON object a line. Text is UTF-8. Everything is ' +
    'checked first; if anything is wrong, every fault is told with its file, line and column, and nothing is changed.\n\n' +
    'A row whose key is there already replaces that row whole: a column that is empty or not in the file becomes empty. So an import ' +
    'can be repeated. Relations without a file are left alone. What is missing of the relations, with their indexes and the journal, is made.\n\n' +
    'The service may go on: its callers see all of it or nothing, and wait for nothing. Tills that write to the same database wait ' +
    'only while rows are written, not while files are checked.',
  operands: [{ name: 'DIR', help: 'The folder with the files.' }],
  options: [
    { name: 'delete-missing', help: 'For a full load: deletes rows whose key is not in the file of their relation.' },
    { name: 'dry-run', help: 'Checks everything, tells what would change, and changes nothing.' },
    { name: 'decimal-comma', help: 'In CSV files, numbers have a decimal comma: 12,50.' },
    mostFaults.option,
  ],
  check: (options) => mostFaults.check(options),
  async run({ operands, options, flags, settings: { databaseUrl }, output }) {
    const { importFolder } = await import('../operate/import/run.ts')
    const startedAt = performance.now()
    const isDryRun = flags.has('dry-run')
    const deletesMissing = flags.has('delete-missing')
    const imported = await untilInterrupted((signal, onCommit) =>
      withProgress(output, (onProgress, remark) =>
        importFolder(databaseUrl, resolve(operands[0] ?? ''), {
          deletesMissing,
          isDryRun,
          hasDecimalComma: flags.has('decimal-comma'),
          mostFaults: mostFaults.valueOf(options),
          onProgress,
          remark,
          signal,
          onCommit,
        }),
      ),
    )
    if ('faults' in imported) throw refusal(imported.faults, output)
    const seconds = Number(((performance.now() - startedAt) / 1000).toFixed(1))
    tell(imported, { isDryRun, deletesMissing, seconds }, output)
  },
}

// All faults on stderr, or as JSON, and the sentence that ends them.
function refusal({ first, count }: Faults, output: Output): OperatorError {
  if (output.isJson) output.result({ faults: first, count }, '')
  else for (const fault of first) output.remark(faultText(fault))
  const rest = count - first.length
  const more = rest > 0 ? ` (${whole(rest)} more are not shown; --faults shows more)` : ''
  return new OperatorError(`${whole(count)} ${count === 1 ? 'fault' : 'faults'}${more}: nothing was changed.`, 1)
}

const whole = (count: number) => count.toLocaleString('en-US')

interface How {
  readonly isDryRun: boolean
  readonly deletesMissing: boolean
  readonly seconds: number
}

function tell(
  { database, relations, ignored, remarks }: Imported,
  { isDryRun, deletesMissing, seconds }: How,
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

// Ctrl-C takes everything back, as long as it can be. After that it ends the program, as it does any other.
async function untilInterrupted<Result>(
  run: (signal: AbortSignal, onCommit: () => void) => Promise<Result>,
): Promise<Result> {
  const stop = new AbortController()
  const onSignal = () => stop.abort()
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const letGo = () => {
    for (const signal of signals) process.off(signal, onSignal)
  }
  for (const signal of signals) process.on(signal, onSignal)
  try {
    return await run(stop.signal, letGo)
  } catch (error) {
    // Looked at a last time before the end: with the signal, it never came to that.
    if (stop.signal.aborted) throw new OperatorError('Interrupted: nothing was changed.', 1)
    throw error
  } finally {
    letGo()
  }
}
