// What `npm test`, `npm run test:all` (`--slow`) and `npm run test:long` (`--everything`) run: passes over test files, each on one
// engine. Globs on the command line narrow them. One PostgreSQL server is shared by all; Ctrl-C ends the tests and the server.
import { globSync } from 'node:fs'
import { availableParallelism, constants } from 'node:os'
import { join, relative } from 'node:path'
import { isLong } from './support/how-much.ts'
import { compiledFolder } from './support/process.ts'
import { noMariadb } from './support/mariadb-server.ts'
import { startPostgres, type PostgresServer } from './support/postgres-server.ts'
import { createReport, type Job } from './support/reporter.ts'
import { runJobs } from './support/run-jobs.ts'

interface Pass {
  readonly isSlow: boolean
  readonly engine: 'sqlite' | 'postgres' | 'postgres-views' | `${'sqlite' | 'postgres' | 'mysql'}-copy`
  readonly files: readonly string[]
}

const root = join(import.meta.dirname, '..')
// Rules of HTTP, of parameters and of documents do not depend on the engine.
const onOneEngine =
  `compression docs headers list-parameters-faults oauth-metadata openapi order-of-checks resources-route
  versioning-and-paths`.split(/\s+/)
const spec = findFiles('test/spec/*.test.ts')
const specOnPostgres = spec.filter((file) => !onOneEngine.some((name) => file === `test/spec/${name}.test.ts`))
const isSlow = (file: string) => file.endsWith('.slow.test.ts')
const all = findFiles('test/**/*.test.ts')

const passes: readonly Pass[] = [
  { isSlow: false, engine: 'sqlite', files: all.filter((file) => !isSlow(file)) },
  { isSlow: true, engine: 'sqlite', files: all.filter(isSlow) },
  {
    isSlow: true,
    engine: 'postgres',
    files: [
      // What the engine decides: answers, their consistency, and that nothing hidden shows in them.
      ...findFiles('test/model/*.test.ts', 'test/consistency/{changes,changes-hidden,instances,lists,stale}.test.ts'),
      ...findFiles('test/hostile/non-interference*.test.ts', 'test/pages/{access,routes}.test.ts'),
      // The same tests on SQLite are about HTTP and the client; the model compares restricted keys here, too.
      ...(isLong
        ? findFiles(
            'test/consistency/{synchronising,walks}.test.ts',
            'test/hostile/{authorization,fuzz,made-up,secrets,sign-in}*.test.ts',
          )
        : []),
      ...specOnPostgres,
    ],
  },
  {
    isSlow: true,
    engine: 'postgres-views',
    files: overViews('business-rules*,envelope*,filters-and-sorting,resources-and-fields,restrictions-prices'),
  },
  // A copy is the same whatever it comes from, except for types and the views, which are also read from themselves on PostgreSQL.
  { isSlow: true, engine: 'sqlite-copy', files: overViews('business-rules*,resources-and-fields') },
  { isSlow: true, engine: 'postgres-copy', files: overViews('resources-and-fields') },
  ...(noMariadb
    ? []
    : [
        {
          isSlow: true,
          engine: 'mysql-copy' as const,
          files: [
            ...overViews('business-rules*,changes,envelope*,resources-and-fields'),
            ...findFiles('test/consistency/changes.test.ts'),
          ],
        },
      ]),
]
const labels = {
  sqlite: '',
  postgres: ' (on PostgreSQL)',
  'postgres-views': ' (on PostgreSQL, through views)',
  'sqlite-copy': ' (a copy from SQLite)',
  'postgres-copy': ' (a copy from PostgreSQL)',
  'mysql-copy': ' (a copy from MariaDB)',
}

// Loading takes half a second of processor time: quick files share a process. Those of test/units/engine take longer.
const sharing = /^test\/(units\/(?!engine)|spec|client|[^/]+\.test\.ts$)/
const filesEach = 8
// On other engines each takes several times as long, and a long job that starts last costs its whole length.
const filesEachElsewhere = 3
// More than half a minute each, the longest first.
const longest = `model/model pages/docs-page-looks.slow pages/page-looks.slow commands/copy.slow client/pull.slow
  consistency/changes hostile/non-interference pages/docs-page consistency/copy.slow consistency/parity commands/package.slow
  pages/page-service pages/page-troubles.slow consistency/exact-postgres.slow hostile/siege.slow
  consistency/mirrors.slow units/engine/search-postgres.slow hostile/authorization-matrix pages/access
  model/lacking-columns.slow commands/taking-over.slow pages/page-keys units/engine/answers.slow outages/pos-faults.slow outages/kill.slow
  commands/state-migrations-postgres.slow commands/check.slow outages/stopping.slow client/examples.slow commands/copy-serve.slow outages/overload.slow`
  .split(/\s+/)
  .map((name) => `test/${name}.test.ts`)
// On slow machines a file takes several times as long as here; only what hangs takes longer.
const jobDeadlineMs = (isLong ? 120 : 15) * 60_000
const isShared = (file: string) => sharing.test(file) && !longest.includes(file)
for (const file of longest) if (!all.includes(file)) throw new Error(`${file} is not there`)

const words = process.argv.slice(2)
const globs = words.filter((word) => !word.startsWith('--'))
const stopping = new AbortController()
let server: PostgresServer | undefined

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void stop(signal))

async function stop(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP'): Promise<never> {
  stopping.abort()
  await server?.remove()
  process.exit(128 + constants.signals[signal])
}

function findFiles(...patterns: readonly string[]): string[] {
  const found = patterns.flatMap((pattern) => globSync(pattern, { cwd: root }))
  return [...new Set(found.map((file) => relative(root, join(root, file))))].toSorted()
}

/** Through views and in a copy only reading differs: the part of the specification that is mostly about that, or all of it where there is time. */
function overViews(part: string): string[] {
  return isLong ? spec : findFiles(`test/spec/{${part}}.test.ts`)
}

/** Globs without a flag name files of the first two passes, slow or not. */
function chosenPasses(): Pass[] {
  const isChosen = words.includes('--everything')
    ? () => true
    : ({ isSlow, engine }: Pass) => isSlow === words.includes('--slow') || (globs.length > 0 && engine === 'sqlite')
  const named = new Set(findFiles(...globs))
  const isNamed = (file: string) => globs.length === 0 || named.has(file)
  return passes.filter(isChosen).map((pass) => ({ ...pass, files: pass.files.filter(isNamed) }))
}

function jobsOf({ engine, files }: Pass): Job[] {
  const alone = files.filter((file) => !isShared(file))
  const shared = files.filter(isShared)
  const count = Math.ceil(shared.length / (engine === 'sqlite' ? filesEach : filesEachElsewhere))
  const groups = Array.from({ length: count }, (_, at) => shared.filter((_file, place) => place % count === at))
  return [...alone.map((file) => [file]), ...groups].map((each) => ({ engine, files: each, label: labels[engine] }))
}

/** The longest files first, then those that share a process; short jobs at the end keep all cores busy. */
function placeOf({ files: [first = '', ...others] }: Job): number {
  const place = longest.indexOf(first)
  if (place >= 0) return place
  return longest.length + (others.length > 0 ? 0 : 1)
}

async function runAll(): Promise<boolean> {
  const report = createReport()
  const jobs = chosenPasses()
    .flatMap(jobsOf)
    .toSorted((one, other) => placeOf(one) - placeOf(other))
  await runJobs(jobs, {
    report,
    deadline: () => AbortSignal.timeout(jobDeadlineMs),
    // Tests wait much of the time. More processes would need more connections than the one server has.
    atOnce: Math.min(2 * availableParallelism(), 8),
    signal: stopping.signal,
    print: (text) => process.stdout.write(text),
  })
  if (stopping.signal.aborted) return false
  for (const text of report.close()) process.stdout.write(text)
  return report.isGood()
}

if (noMariadb) process.stdout.write(`Copies from MariaDB are not tested: ${noMariadb}\n`)
if (!process.env['VITRINE_TEST_POSTGRES_URL']) {
  server = await startPostgres()
  process.env['VITRINE_TEST_POSTGRES_URL'] = server.url
}
// One for all files: the command that repeats a failure names it.
process.env['VITRINE_TEST_SEED'] ??= String(Math.floor(Math.random() * 2 ** 31))
// Hundreds of processes are started, and each would compile the same files again.
process.env['NODE_COMPILE_CACHE'] ??= compiledFolder
try {
  process.exitCode = (await runAll()) ? 0 : 1
} finally {
  await server?.remove()
}
