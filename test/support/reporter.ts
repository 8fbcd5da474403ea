// What a test run prints: a line for each file, what tests print themselves, every failure in full, the slowest files and the count.
// Files arrive in processes that run side by side; a label tells apart the runs of one file on several engines.
import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'

interface FileCount {
  passed: number
  failed: number
  skipped: number
  ms: number
}

const slowestShown = 10

export function createReport() {
  const finished: [file: string, count: FileCount][] = []
  const failures: string[] = []

  return {
    /** The events of one process → what is to be printed while it runs, and a line for each of its files. */
    async *follow(events: AsyncIterable<TestEvent>, files: readonly string[], label: string): AsyncGenerator<string> {
      const counts = new Map<string, FileCount>(
        files.map((file) => [file, { passed: 0, failed: 0, skipped: 0, ms: 0 }]),
      )
      const [first = ''] = files
      for await (const event of events) {
        if (event.type === 'test:stdout' || event.type === 'test:stderr') yield event.data.message
        // Diagnostics of the whole process repeat the counts.
        if (event.type === 'test:diagnostic' && event.data.file && event.data.nesting > 0) {
          yield `  ${event.data.message}\n`
        }
        if (event.type !== 'test:pass' && event.type !== 'test:fail') continue
        const { data } = event
        const isFile = data.nesting === 0 && counts.has(data.name)
        const file = isFile ? data.name : relative(process.cwd(), data.file ?? '')
        // A process that died belongs to no file.
        const count = counts.get(file) ?? counts.get(first)
        if (!count) continue
        if (isFile) count.ms += data.details.duration_ms
        // A group passes and fails with its tests, but may also fail by itself: in a hook, or because a file cannot be loaded.
        const isGroup = isFile || data.nesting === 0 || data.details.type === 'suite'
        if (isGroup && (event.type === 'test:pass' || failureType(event.data.details.error) === 'subtestsFailed')) {
          continue
        }
        if (data.skip !== undefined) {
          count.skipped += 1
          yield `  skipped${label}: ${data.name} (${String(data.skip)})\n`
        } else if (event.type === 'test:pass') count.passed += 1
        else {
          count.failed += 1
          failures.push(`\n✖ ${file}:${data.line}${label}  ${data.name}\n${failureText(event.data.details.error)}\n`)
          yield `✖ ${file}${label}  ${data.name}\n`
        }
      }
      for (const [file, count] of counts) {
        finished.push([`${file}${label}`, count])
        yield lineOf(`${file}${label}`, count)
      }
    },

    /** Over all processes: every failure in full, the slowest files, and the count. */
    *close(): Generator<string> {
      yield* failures
      const slowest = finished.toSorted(([, one], [, other]) => other.ms - one.ms).slice(0, slowestShown)
      if (finished.length > slowestShown) {
        yield '\nSlowest files:\n'
        for (const [file, { ms }] of slowest) yield `  ${(ms / 1000).toFixed(1).padStart(6)} s  ${file}\n`
      }
      yield `\n${total('passed')} passed, ${total('failed')} failed, ${total('skipped')} skipped\n`
    },

    isGood: () => total('failed') === 0 && total('passed') > 0,
  }

  function total(part: 'passed' | 'failed' | 'skipped'): number {
    return finished.reduce((sum, [, count]) => sum + count[part], 0)
  }
}

const lineOf = (file: string, { passed, failed, skipped, ms }: FileCount) =>
  `${failed > 0 ? '✖' : '✔'} ${file}  ${passed}${skipped > 0 ? ` (${skipped} skipped)` : ''}  ${(ms / 1000).toFixed(1)} s\n`

const failureType = (error: Error & { failureType?: string }) => error.failureType

function failureText(error: Error): string {
  const cause = error.cause instanceof Error ? error.cause : error
  return (cause.stack ?? cause.message).replaceAll(/^/gm, '    ')
}
