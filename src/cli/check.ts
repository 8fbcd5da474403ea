// `vitrine check`: the doctor of a connected database.
import process from 'node:process'
import { findExposures } from '../settings/exposures.ts'
import { countOption } from './count-option.ts'
import type { Runnable } from './runnable.ts'
import { withProgress } from './with-progress.ts'

const mostSeconds = 3600
const timeout = countOption({
  name: 'timeout',
  usual: 5,
  most: mostSeconds,
  counts: 'Seconds for each question',
  otherwise: 'as VITRINE_STATEMENT_TIMEOUT_MS says (a second, for a SQLite file without a write-ahead log)',
})

export const check: Runnable = {
  name: 'check',
  isStateless: true,
  summary: 'Tells what is wrong with the connected database, and what to do about it.',
  details:
    'Looks whether all relations and columns are there and of the right type, at keys, codes, times and references, whether documents ' +
    'add up, at the journal and rights, and measures the ten most common requests. It only reads, one question at a time; one that ' +
    'takes too long is left, and told of.\n\n' +
    'Exit status 1: the service cannot serve this database. docs/check.md explains every finding.',
  operands: [],
  options: [{ name: 'quick', help: 'Leaves out whatever reads whole relations.' }, timeout.option],
  check: timeout.check,
  async run({ settings, secretFiles, clock, output, options, flags }) {
    const [{ canServe, checkDatabase }, { reportJson, reportText }] = await Promise.all([
      import('../operate/check/check.ts'),
      import('./check-text.ts'),
    ])
    const report = await withProgress(output, (onProgress) =>
      checkDatabase({
        settings,
        exposures: findExposures(settings, secretFiles),
        clock,
        asks: flags.has('quick') ? 'what is quick' : 'everything',
        timeoutMs: options['timeout'] === undefined ? undefined : timeout.valueOf(options) * 1000,
        onProgress,
      }),
    )
    output.result(reportJson(report), reportText(report, process.stdout.columns || 100))
    return canServe(report) ? undefined : 1
  },
}
