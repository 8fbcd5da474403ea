// What `npm test` runs: every test, then once more on PostgreSQL those that hold for every engine, then the specification's over a
// POS that is connected by views. Words on the command line are globs that narrow all. One server is there for all; Ctrl-C ends the
// tests and the server.
import { globSync } from 'node:fs'
import { availableParallelism, constants, setPriority } from 'node:os'
import { join, relative } from 'node:path'
import { run } from 'node:test'
import { isLong } from './support/how-much.ts'
import { compiledFolder } from './support/process.ts'
import { startPostgres, type PostgresServer } from './support/postgres-server.ts'
import { createReport } from './support/reporter.ts'

// Through views nothing changes but how data is read: what that is mostly about, and all of it where there is time.
const overViews = (part: string) => [`test/spec/${isLong ? '*' : part}.test.ts`]
// A service on SQLite gives way to whatever else runs: what asks it does so, too, and so does all that is started here.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

const passes = [
  { engine: undefined, patterns: ['test/**/*.test.ts'] },
  {
    engine: { name: 'postgres', label: 'on PostgreSQL' },
    // What is about HTTP is the same on both.
    patterns: [
      'test/{spec,model,consistency}/**/*.test.ts',
      'test/console/routes.test.ts',
      'test/security/{authorization,fuzz,made-up,non-interference,secrets,sign-in}*.test.ts',
    ],
  },
  {
    engine: { name: 'postgres-views', label: 'on PostgreSQL, through views' },
    patterns: overViews('{business-rules*,envelope*,filters-and-sorting,resources-and-fields,restrictions-prices}'),
  },
  {
    engine: { name: 'sqlite-views', label: 'on SQLite, through views' },
    patterns: overViews('{resources-and-fields,restrictions-prices,snapshot}'),
  },
]
const root = join(import.meta.dirname, '..')
const wanted = process.argv.slice(2)
const isWanted = wanted.length > 0 ? new Set(findFiles(wanted)) : undefined
const stopping = new AbortController()
let server: PostgresServer | undefined

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void stop(signal))

// The events of a run that is aborted never end, so nobody waits for them.
async function stop(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP'): Promise<never> {
  stopping.abort()
  await server?.remove()
  process.exit(128 + constants.signals[signal])
}

function findFiles(patterns: readonly string[]): string[] {
  return patterns.flatMap((pattern) => globSync(pattern, { cwd: root })).map((file) => relative(root, join(root, file)))
}

async function runPasses(): Promise<boolean> {
  const report = createReport()
  for (const { engine, patterns } of passes) {
    const files = [...new Set(findFiles(patterns))].filter((file) => isWanted?.has(file) ?? true).toSorted()
    if (files.length === 0 || stopping.signal.aborted) continue
    // The test processes inherit it. (An option of `run` for this is newer than the oldest Node that will do.)
    if (engine) process.env['VITRINE_TEST_ENGINE'] = engine.name
    else delete process.env['VITRINE_TEST_ENGINE']
    // They wait much of the time. More would need more connections than the one server has.
    const events = run({
      files,
      cwd: root,
      concurrency: Math.min(availableParallelism() + 1, 8),
      signal: stopping.signal,
    })
    for await (const text of report.follow(events, engine?.label)) process.stdout.write(text)
  }
  for (const text of report.close()) process.stdout.write(text)
  return report.isGood()
}

if (!process.env['VITRINE_TEST_POSTGRES_URL']) {
  server = await startPostgres()
  process.env['VITRINE_TEST_POSTGRES_URL'] = server.url
}
// Hundreds of processes are started, each of which would compile the same files anew.
process.env['NODE_COMPILE_CACHE'] ??= compiledFolder
try {
  process.exitCode = (await runPasses()) ? 0 : 1
} finally {
  await server?.remove()
}
