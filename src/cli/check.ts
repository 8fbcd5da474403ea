// `vitrine check`: finds what is wrong with the connected database.
import process from 'node:process'
import { findExposures } from '../settings/exposures.ts'
import { countOption } from './options.ts'
import type { Runnable } from './command.ts'
import { withProgress } from './output.ts'

const timeout = countOption({
  name: 'timeout',
  defaultValue: undefined,
  maximum: 3600,
  counts: 'Seconds for each query',
  defaultText: 'VITRINE_STATEMENT_TIMEOUT_MS; 1 for a SQLite file without a write-ahead log',
})

export const check: Runnable = {
  name: 'check',
  isStateless: true,
  summary: 'Finds what is wrong with the connected database, and says what to do about it.',
  details:
    'Checks that all relations and columns exist and have the right types; checks keys, codes, times, references, totals, the ' +
    'journal and rights. It only reads, one query at a time; a query that takes too ' +
    'long is stopped and reported.\n\n' +
    'Exit status 1: the service cannot serve this database. docs/check.md explains every finding.',
  options: [{ name: 'quick', help: 'Skips queries that read whole relations.' }, timeout.option],
  check: timeout.check,
  async run({ settings, secretFiles, clock, output, options, flags }) {
    const [{ canServe, checkDatabase }, { reportJson, reportText }] = await Promise.all([
      import('../operate/check/check.ts'),
      import('./check-text.ts'),
    ])
    const seconds = timeout.valueOf(options)
    const report = await withProgress(output, (onProgress) =>
      checkDatabase({
        settings,
        exposures: findExposures(settings, secretFiles),
        clock,
        scope: flags.has('quick') ? 'quick' : 'all',
        timeoutMs: seconds === undefined ? undefined : seconds * 1000,
        onProgress,
      }),
    )
    output.result(reportJson(report), reportText(report, process.stdout.columns || 100))
    return canServe(report) ? undefined : 1
  },
}
