// What a test run prints: a line for each file, what tests print themselves, every failure in full, the slowest files and the count.
// Files arrive in processes that run side by side; a label tells apart the runs of one file on several engines.
import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'

export interface Job {
  readonly engine: string
  /** From the root of the project. */
  readonly files: readonly string[]
  /** Behind the names of the files in the report. */
  readonly label: string
}

interface FileCount {
  passed: number
  failed: number
  skipped: number
  ms: number
}

const slowestShown = 10
const lastPrinted = 20

export type Report = ReturnType<typeof createReport>

export function createReport() {
  const finished: [file: string, count: FileCount][] = []
  const failures: string[] = []

  return {
    /** The events of one process → what is to be printed while it runs, and a line for each of its files. `late` has ended it. */
    async *follow(
      events: AsyncIterable<TestEvent>,
      { engine, files, label }: Job,
      late: AbortSignal,
    ): AsyncGenerator<string> {
      const counts = new Map<string, FileCount>(
        files.map((file) => [file, { passed: 0, failed: 0, skipped: 0, ms: 0 }]),
      )
      const [first = ''] = files
      // Files, groups and tests under way, and what was printed lately: where a process died.
      const startMs = performance.now()
      const underWay = new Set<string>()
      const printed: string[] = []
      for await (const event of events) {
        if (event.type === 'test:stdout' || event.type === 'test:stderr') {
          printed.push(event.data.message)
          if (printed.length > lastPrinted) printed.shift()
          yield event.data.message
        }
        if (event.type === 'test:dequeue' && event.data.name !== event.data.file) underWay.add(event.data.name)
        if (event.type === 'test:complete') underWay.delete(event.data.name)
        // Diagnostics of the whole process repeat the counts.
        if (event.type === 'test:diagnostic' && event.data.file && event.data.nesting > 0) {
          yield `  ${event.data.message}\n`
        }
        if (event.type !== 'test:pass' && event.type !== 'test:fail') continue
        const { data } = event
        const isFile = data.nesting === 0 && counts.has(data.name)
        const file = isFile ? data.name : relative(process.cwd(), data.file ?? '')
        // A process that died belongs to the file that was under way.
        const hasDied = data.nesting === 0 && !counts.has(file)
        const place = hasDied ? (files.find((each) => underWay.has(each)) ?? first) : file
        const count = counts.get(place) ?? counts.get(first)
        if (!count) continue
        if (hasDied) {
          if (event.type === 'test:pass') continue
          const { error } = event.data.details
          if (failureType(error) === 'subtestsFailed' && !late.aborted) continue
          const seconds = Math.round((performance.now() - startMs) / 1000)
          const what = late.aborted ? `did not end by itself within ${seconds} s` : 'ended before its tests'
          const tests = [...underWay].filter((name) => name !== place).join(' > ')
          const lines = [
            ...(late.aborted ? [] : [failureText(error)]),
            `under way: ${tests || 'no test'}`,
            `printed last:\n${printed.join('')}`,
          ]
          count.failed += 1
          failures.push(
            `\n✖ ${place}${label}  ${what}\n${lines.join('\n').trimEnd().replaceAll(/^/gm, '    ')}\n${repeating(engine, place)}`,
          )
          yield `✖ ${place}${label}  ${what}: ${tests || 'no test'} under way\n`
          continue
        }
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
          failures.push(
            `\n✖ ${file}:${data.line}${label}  ${data.name}\n${failureText(event.data.details.error)}\n${repeating(engine, place)}`,
          )
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

const repeating = (engine: string, file: string) => {
  const seed = process.env['VITRINE_TEST_SEED']
  const words = [engine !== 'sqlite' && `VITRINE_TEST_ENGINE=${engine}`, seed && `VITRINE_TEST_SEED=${seed}`]
  return `    again: ${[...words.filter(Boolean), 'node bin/node.mjs --test', file].join(' ')}\n`
}

const lineOf = (file: string, { passed, failed, skipped, ms }: FileCount) =>
  `${failed > 0 ? '✖' : '✔'} ${file}  ${passed}${skipped > 0 ? ` (${skipped} skipped)` : ''}  ${(ms / 1000).toFixed(1)} s\n`

const failureType = (error: Error & { failureType?: string }) => error.failureType

function failureText(error: Error): string {
  const cause = error.cause instanceof Error ? error.cause : error
  return (cause.stack ?? cause.message).replaceAll(/^/gm, '    ')
}
