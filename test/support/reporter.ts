// What a test run prints: a line for each file, what tests say themselves, every failure in full, and the count.
// A run may have several passes over the same files; a label tells the later ones apart.
import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'

interface FileCount {
  passed: number
  failed: number
  skipped: number
  ms: number
}

export function createReport() {
  const totals = { passed: 0, failed: 0, skipped: 0 }
  const failures: string[] = []

  return {
    /** One pass: what is to be printed while it runs, and its files at the end. */
    async *follow(events: AsyncIterable<TestEvent>, label?: string): AsyncGenerator<string> {
      const files = new Map<string, FileCount>()
      const suffix = label ? ` (${label})` : ''
      for await (const event of events) {
        if (event.type === 'test:stdout' || event.type === 'test:stderr') yield event.data.message
        // Diagnostics of the whole run are what the closing lines say.
        if (event.type === 'test:diagnostic' && event.data.file && event.data.nesting > 0) {
          yield `  ${event.data.message}\n`
        }
        if (event.type !== 'test:pass' && event.type !== 'test:fail') continue
        const { data } = event
        // A file and a suite pass or fail with their tests; a file that cannot even start fails by itself.
        const isGroup = data.details.type === 'suite' || data.name.endsWith('.test.ts')
        const file = `${relative(process.cwd(), data.file ?? '')}${suffix}`
        const count = files.get(file) ?? { passed: 0, failed: 0, skipped: 0, ms: 0 }
        files.set(file, count)
        // What is part of another takes its time within that.
        if (data.nesting === 0) count.ms += data.details.duration_ms
        if (isGroup && (event.type === 'test:pass' || failureType(event.data.details.error) === 'subtestsFailed')) {
          continue
        }
        if (data.skip !== undefined) {
          count.skipped += 1
          yield `  skipped${suffix}: ${data.name} (${String(data.skip)})\n`
        } else if (event.type === 'test:pass') count.passed += 1
        else {
          count.failed += 1
          const text = failureText(event.data.details.error)
          failures.push(
            `\n✖ ${relative(process.cwd(), data.file ?? '')}:${data.line}${suffix}  ${data.name}\n${text}\n`,
          )
          yield `✖ ${file}  ${data.name}\n`
        }
      }
      for (const [file, count] of [...files].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
        yield lineOf(file, count)
        for (const part of ['passed', 'failed', 'skipped'] as const) totals[part] += count[part]
      }
    },

    /** Over all passes: every failure in full, and the count. */
    *close(): Generator<string> {
      yield* failures
      yield `\n${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped\n`
    },

    isGood: () => totals.failed === 0 && totals.passed > 0,
  }
}

const lineOf = (file: string, { passed, failed, skipped, ms }: FileCount) =>
  `${failed > 0 ? '✖' : '✔'} ${file}  ${passed}${skipped > 0 ? ` (${skipped} skipped)` : ''}  ${(ms / 1000).toFixed(1)} s\n`

const failureType = (error: Error & { failureType?: string }) => error.failureType

function failureText(error: Error): string {
  const cause = error.cause instanceof Error ? error.cause : error
  return (cause.stack ?? cause.message).replaceAll(/^/gm, '    ')
}
