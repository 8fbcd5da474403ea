// `vitrine copy`: copies a POS that has its own tables into the connected database, by the SELECTs of a file of views.
import { resolve } from 'node:path'
import process from 'node:process'
import { OperatorError } from '../errors.ts'
import type { CopyResult } from '../operate/copy/run.ts'
import { settingsTable, type Settings } from '../settings/table.ts'
import type { SourceUrl } from '../settings/types.ts'
import type { CommandContext, Runnable } from './command.ts'
import { refusal, untilInterrupted, whole } from './importing.ts'
import { table, withProgress, type Output } from './output.ts'

export const copy: Runnable = {
  name: 'copy',
  isStateless: true,
  summary: 'Copies a POS that has its own tables into the connected database, through the SELECTs of a file of views.',
  details:
    'The source is only read: MariaDB 10.6 or MySQL 8 (mysql://…), PostgreSQL (postgres://…) or a SQLite file (sqlite:PATH). The file of ' +
    'views has statements CREATE VIEW relation AS SELECT …, in the SQL of the source ("views print" writes a template); their SELECTs are ' +
    'run, and nothing is created there. Relations without a view are not copied. One connection reads one snapshot.\n\n' +
    'All rows are checked first; if anything is wrong, every fault is shown, and nothing is changed. What is new, changed or gone is then ' +
    'written in one transaction. Ids that are texts become numbers that stay the same. A row without an updated_at gets the time at ' +
    'which the copy found it changed.\n\n' +
    'The connected database must be empty, or a copy. The service can run meanwhile.',
  options: [
    { name: 'from', value: 'URL', help: `The database to copy (default: ${settingsTable.copyFrom.name}).` },
    { name: 'views', value: 'FILE', help: `The file of views (default: ${settingsTable.copyViews.name}).` },
  ],
  async run(context) {
    const { settings, output } = context
    const { copyOnce, prepareCopy } = await import('../operate/copy/run.ts')
    const { from, views } = copied(context)
    const startedAt = performance.now()
    const result = await untilInterrupted((signal, onCommit) =>
      withProgress(output, async (onProgress, remark) => {
        await prepareCopy(settings.databaseUrl, from)
        return copyOnce(settings.databaseUrl, {
          ...roundOptions(context),
          from,
          views,
          onProgress,
          remark,
          signal,
          onCommit,
        })
      }),
    )
    if ('faults' in result) throw refusal(result.faults, output)
    showResult(result, Number(((performance.now() - startedAt) / 1000).toFixed(1)), output)
  },
}

const mostFaults = 100

const roundOptions = ({ settings, clock }: CommandContext) => ({
  timeZone: settings.timeZone,
  timeoutMs: settings.copyTimeoutMs,
  wholeEveryMs: settings.copyWholeEveryMs,
  mostFaults,
  clock,
})

// All faults at once.
function copied({ options, settings }: CommandContext): { from: SourceUrl; views: string } {
  const given = options['from']
  const parsed = given === undefined ? undefined : settingsTable.copyFrom.type.parse(given, process.cwd())
  const from = parsed && 'value' in parsed ? parsed.value : settings.copyFrom
  const views = options['views'] === undefined ? settings.copyViews : resolve(options['views'])
  const faults = [
    ...(parsed && 'fault' in parsed ? [`--from ${parsed.fault}.`] : missing('from', 'copyFrom', from)),
    ...missing('views', 'copyViews', views),
  ]
  if (faults.length > 0 || !from || !views) throw new OperatorError(faults.join('\n'))
  return { from, views }
}

const missing = (option: string, field: keyof Settings, value: unknown) =>
  value === null ? [`--${option} or ${settingsTable[field].name} must be given.`] : []

function showResult({ relations, database, ...result }: CopyResult, seconds: number, output: Output): void {
  const counted = ['read', 'new', 'changed', 'unchanged', 'deleted'] as const
  const rows = relations.map((each) => [each.relation, each.how, ...counted.map((name) => whole(each[name]))])
  output.result(
    { database, seconds, ...result, relations },
    `${table([['RELATION', 'HOW', ...counted.map((name) => name.toUpperCase())], ...rows])}\n\nCopied into ${database} in ${seconds} s.`,
  )
}
