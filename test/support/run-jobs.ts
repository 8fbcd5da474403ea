// Runs jobs, each a process with several test files, side by side. One that has not ended by the deadline is ended with all that
// it has started, and has failed: no file can hang a run.
import { join } from 'node:path'
import { run } from 'node:test'
import { endTree, listProcesses } from './process-table.ts'
import type { Job, Report } from './reporter.ts'

export interface RunOptions {
  readonly report: Report
  /** For each job that starts: when it should have ended long ago. */
  readonly deadline: (job: Job) => AbortSignal
  readonly atOnce: number
  /** Ends the run; what is cut short by it has not failed. */
  readonly signal: AbortSignal
  readonly print: (text: string) => void
}

const root = join(import.meta.dirname, '..', '..')
const runner = join(import.meta.dirname, 'run-files.ts')

export async function runJobs(jobs: readonly Job[], options: RunOptions): Promise<void> {
  const waiting = [...jobs]
  const work = async () => {
    for (let job = waiting.shift(); job && !options.signal.aborted; job = waiting.shift()) await runJob(job, options)
  }
  await Promise.all(Array.from({ length: options.atOnce }, work))
}

async function runJob(job: Job, { report, deadline, signal, print }: RunOptions): Promise<void> {
  const words = [job.engine, ...job.files]
  const late = deadline(job)
  const end = () => {
    const child = listProcesses().find(({ parent, command }) => parent === process.pid && isOf(command, words))
    // The wardens of test servers remove those when the process has ended.
    if (child) endTree(child.pid, (command) => command.includes('postgres-warden.ts'))
  }
  late.addEventListener('abort', end)
  // Also where something that is not below it holds its output open.
  const events = run({ files: [runner], argv: words, cwd: root, signal: AbortSignal.any([signal, late]) })
  for await (const text of report.follow(events, job, late)) {
    if (signal.aborted) break
    print(text)
  }
  late.removeEventListener('abort', end)
}

const isOf = (command: string, words: readonly string[]) =>
  command.includes('run-files.ts') &&
  command
    .replaceAll('\0', ' ')
    .trim()
    .endsWith(` ${words.join(' ')}`)
